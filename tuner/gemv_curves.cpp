#include "tuner/gemv_curves.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "tuner/gemv_trials.hpp"

namespace duoblas {

std::vector<GemvKernel> gemv_neighbours(const GemvKernel& best, int GemvKernel::*field,
                                        const DeviceLimits& device, Precision precision,
                                        bool transposes, std::size_t most) {
  std::vector<int> values = {0, best.*field};
  for (int value = 1; value <= 1 << 12; value *= 2) values.push_back(value);
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  std::vector<GemvKernel> kernels;
  std::size_t own = 0;
  for (const int value : values) {
    GemvKernel kernel = best;
    kernel.*field = value;
    if (value == best.*field) own = kernels.size();
    if (value == best.*field || is_legal(kernel, device, precision, transposes))
      kernels.push_back(kernel);
  }
  const std::size_t count = std::min(most, kernels.size());
  const std::size_t first = std::min(own - std::min(own, count / 2), kernels.size() - count);
  const auto begin = kernels.begin() + static_cast<std::ptrdiff_t>(first);
  return {begin, begin + static_cast<std::ptrdiff_t>(count)};
}

std::vector<FieldCurve> searched_curves(const std::vector<TimedGemv>& timed, const GemvKernel& best,
                                        double bytes) {
  std::vector<FieldCurve> curves;
  const auto add = [&](const auto& fields) {
    for (const auto& [name, member] : fields) {
      FieldCurve curve{name, best.*member, {}};
      for (const auto& each : timed) {
        GemvKernel changed = best;
        changed.*member = each.kernel.*member;
        if (changed == each.kernel)
          curve.rates.push_back({each.kernel.*member, bytes / each.seconds * 1e-9, ""});
      }
      std::ranges::sort(curve.rates, {}, &FieldRate::value);
      if (curve.rates.size() > 1) curves.push_back(std::move(curve));
    }
  };
  add(gemv_fields());
  add(gemv_switches());
  std::ranges::stable_sort(curves, std::greater(),
                           [](const FieldCurve& curve) { return curve.rates.size(); });
  return curves;
}

std::vector<Chart> gemv_charts(const std::vector<GemvFinding>& findings) {
  std::vector<std::pair<std::string, Chart>> charts;
  for (const GemvFinding& finding : findings)
    for (const FieldCurve& curve : finding.curves) {
      auto known = std::ranges::find(charts, curve.field, &std::pair<std::string, Chart>::first);
      if (known == charts.end()) {
        Chart chart;
        chart.title = curve.field + ", the other parameters as tuned: gemv";
        chart.x_label = curve.field;
        chart.y_label = "GPU alone, operands in its memory (GB/s)";
        known = charts.insert(charts.end(), {curve.field, std::move(chart)});
      }
      add_curve(known->second, curve,
                gemv_name(finding.precision, finding.transposes) +
                    " (chosen: " + std::to_string(curve.chosen) + ")");
    }
  std::vector<Chart> drawn;
  for (auto& [field, chart] : charts) drawn.push_back(std::move(chart));
  return drawn;
}

std::vector<std::string> gemv_field_names() {
  std::vector<std::string> names;
  for (const auto& [name, member] : gemv_fields()) names.emplace_back(name);
  for (const auto& [name, member] : gemv_switches()) names.emplace_back(name);
  return names;
}

}  // namespace duoblas
