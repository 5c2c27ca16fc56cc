// Times the candidates of a comparison in turns, and fills in their rows.
#pragma once

#include <string>
#include <vector>

#include "tuner/comparison.hpp"
#include "tuner/measure.hpp"

namespace duoblas {

/// Times and joules of `candidates`, which are `rows` in their order: each once per round. A call
/// has `flops` operations; `tuning_case` is how it is called in a trace of power.
void time_rows(const std::vector<TimedCandidate>& candidates, const ComparisonOptions& options,
               double flops, const std::string& tuning_case, std::vector<ComparisonRow>& rows);

}  // namespace duoblas
