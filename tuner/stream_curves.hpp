// Curves of single kernel parameters of memory-bound routines, in GB/s: those that the search has
// measured around the best kernel, the values for a new curve, and charts.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "plot/chart.hpp"
#include "tuner/rate_curve.hpp"
#include "tuner/stream_search.hpp"
#include "tuner/stream_tuning.hpp"

namespace duoblas {

/// `best` with each value of the parameter that the device can launch: powers of two, and 0 if that
/// switches it off. At most `most`, those nearest to its own, ascending. Pure.
template <typename Kernels>
std::vector<typename Kernels::Kernel> stream_neighbours(const typename Kernels::Kernel& best,
                                                        int Kernels::Kernel::*field,
                                                        const DeviceLimits& device,
                                                        Precision precision, bool transposes,
                                                        std::size_t most = 11) {
  std::vector<int> values = {0, best.*field};
  for (int value = 1; value <= 1 << 12; value *= 2) values.push_back(value);
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  std::vector<typename Kernels::Kernel> kernels;
  std::size_t own = 0;
  for (const int value : values) {
    typename Kernels::Kernel kernel = best;
    kernel.*field = value;
    if (value == best.*field) own = kernels.size();
    if (value == best.*field || Kernels::is_legal(kernel, device, precision, transposes))
      kernels.push_back(kernel);
  }
  const std::size_t count = std::min(most, kernels.size());
  const std::size_t first = std::min(own - std::min(own, count / 2), kernels.size() - count);
  const auto begin = kernels.begin() + static_cast<std::ptrdiff_t>(first);
  return {begin, begin + static_cast<std::ptrdiff_t>(count)};
}

/// For every parameter: the rates of timed kernels that differ from `best` in that parameter only.
/// Those with the most values come first. `bytes` of a call. Pure.
template <typename Kernels>
std::vector<FieldCurve> searched_curves(
    const std::vector<TimedKernel<typename Kernels::Kernel>>& timed,
    const typename Kernels::Kernel& best, double bytes) {
  std::vector<FieldCurve> curves;
  const auto add = [&](const auto& fields) {
    for (const auto& [name, member] : fields) {
      FieldCurve curve{name, best.*member, {}};
      for (const auto& each : timed) {
        typename Kernels::Kernel changed = best;
        changed.*member = each.kernel.*member;
        if (changed == each.kernel)
          curve.rates.push_back({each.kernel.*member, bytes / each.seconds * 1e-9, ""});
      }
      std::ranges::sort(curve.rates, {}, &FieldRate::value);
      if (curve.rates.size() > 1) curves.push_back(std::move(curve));
    }
  };
  add(Kernels::fields());
  add(Kernels::switches());
  std::ranges::stable_sort(curves, std::greater(),
                           [](const FieldCurve& curve) { return curve.rates.size(); });
  return curves;
}

/// A chart for each parameter that has a curve, with a line for each finding.
std::vector<Chart> stream_charts(const std::vector<StreamFinding>& findings);

/// The parameters of `routine`; empty if it is not a routine.
std::vector<std::string> stream_field_names(const std::string& routine);

}  // namespace duoblas
