// Kernels of products that are no whole calls (tuned_uses). Copies hide by what kernels differ, so
// each use has measurements of its own, with all operands in the device's memory.
#pragma once

#include "tuner/final_choice.hpp"

namespace duoblas {

/// Measures kernels of this tuning case in each use, in turns: what is built in for the use, those
/// of `decision`, and the fastest of the search. Stores the best in the point. Does nothing where
/// calls copy nothing, or within `seconds` there is no time.
void tune_uses(TuneContext& context, LiveEvaluator& evaluator, const SearchResult& found,
               double seconds, FinalChoice& decision);

}  // namespace duoblas
