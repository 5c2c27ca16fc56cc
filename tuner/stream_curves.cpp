#include "tuner/stream_curves.hpp"

#include <utility>

#include "profile/tuned_kernels.hpp"

namespace duoblas {

std::vector<Chart> stream_charts(const std::vector<StreamFinding>& findings) {
  std::vector<std::pair<std::string, Chart>> charts;
  for (const StreamFinding& finding : findings)
    for (const FieldCurve& curve : finding.curves) {
      auto known = std::ranges::find(charts, curve.field, &std::pair<std::string, Chart>::first);
      if (known == charts.end()) {
        Chart chart;
        chart.title = curve.field + ", the other parameters as tuned: " + finding.routine;
        chart.x_label = curve.field;
        chart.y_label = "GPU alone, operands in its memory (GB/s)";
        known = charts.insert(charts.end(), {curve.field, std::move(chart)});
      }
      add_curve(known->second, curve,
                name_of(finding) + " (chosen: " + std::to_string(curve.chosen) + ")");
    }
  std::vector<Chart> drawn;
  for (auto& [field, chart] : charts) drawn.push_back(std::move(chart));
  return drawn;
}

std::vector<std::string> stream_field_names(const std::string& routine) {
  std::vector<std::string> names;
  TunedStreams::for_each([&](auto kernels, auto) {
    if (routine != kernels.name) return;
    for (const auto& [name, member] : kernels.fields()) names.emplace_back(name);
    for (const auto& [name, member] : kernels.switches()) names.emplace_back(name);
  });
  return names;
}

}  // namespace duoblas
