// Curves of single kernel parameters of gemv, in GB/s: those that the search has measured around
// the best kernel, the values for a new curve, and charts.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "plot/chart.hpp"
#include "tuner/gemv_search.hpp"
#include "tuner/gemv_tuning.hpp"
#include "tuner/rate_curve.hpp"

namespace duoblas {

/// `best` with each value of the parameter that the device can launch: powers of two, and 0 if that
/// switches it off. At most `most`, those nearest to its own, ascending. Pure.
std::vector<GemvKernel> gemv_neighbours(const GemvKernel& best, int GemvKernel::*field,
                                        const DeviceLimits& device, Precision precision,
                                        bool transposes, std::size_t most = 11);

/// For every parameter: the rates of timed kernels that differ from `best` in that parameter only.
/// Those with the most values come first. `bytes` of a call. Pure.
std::vector<FieldCurve> searched_curves(const std::vector<TimedGemv>& timed, const GemvKernel& best,
                                        double bytes);

/// A chart for each parameter that has a curve, with a line for each finding.
std::vector<Chart> gemv_charts(const std::vector<GemvFinding>& findings);

/// The parameters of a kernel.
std::vector<std::string> gemv_field_names();

}  // namespace duoblas
