// The charts of a comparison: one function per kind.
#pragma once

#include <vector>

#include "cli/bench/record.hpp"
#include "plot/chart.hpp"

namespace duoblas::cli {

/// GFLOPS over size for each strategy, with quartiles: one per precision, ops and layout. The x
/// axis is the extent that varies. If not exactly one varies, it is the cube root of m n k.
std::vector<Chart> rate_charts(const BenchRecord& record);

/// Milliseconds of both sides and of the whole call over the GPU's share: one per split curve.
std::vector<Chart> split_charts(const BenchRecord& record);

/// Watts of each domain while strategies take turns: one per trace.
std::vector<Chart> power_charts(const BenchRecord& record);

/// All charts that have something to show, in this order.
std::vector<Chart> comparison_charts(const BenchRecord& record);

}  // namespace duoblas::cli
