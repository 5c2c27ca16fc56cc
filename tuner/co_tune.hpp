// One shape: kernels and splits together, decided by a duel of whole calls.
#pragma once

#include <optional>
#include <vector>

#include "tuner/kernel_screen.hpp"

namespace duoblas {

/// Tunes the shape of `problem` within `seconds`; `ranked`: kernels by their time alone at this
/// very problem, fastest first, not empty. The point's `simple` is the fastest kernel with its best
/// split, and `hybrid` is another pair only where that was clearly faster in the same interleaved
/// run: so co-tuned is never the slower of the two.
TunedPoint co_tune(TuneContext& context, const MeasuredProblem& problem,
                   const std::vector<ScreenedKernel>& ranked, double seconds);

}  // namespace duoblas
