// The watts and joules of each strategy.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/bench/strategy_table.hpp"

namespace duoblas::cli {

/// Watts of each domain that has a sensor, joules of one call and GFLOPS per watt. Nothing if power
/// was not asked for. Unknown figures are "unavailable". \pre rows is not empty.
std::optional<StrategyTable> energy_table(const ProblemRows& rows,
                                          const std::vector<EnergySource>& sources);

/// Each domain's sensor and its resolution, or why it has none. Empty where power was not asked
/// for.
std::vector<std::string> source_lines(const BenchRecord& record);

}  // namespace duoblas::cli
