// Finds the best share of one kernel by a descent. Pure: the caller measures shares.
#pragma once

#include <functional>
#include <vector>

namespace duoblas {

/// Seconds of the whole call at each of these gpu_parts, measured in one interleaved batch;
/// infinite if it failed.
using SplitCost = std::function<std::vector<double>(const std::vector<int>& gpu_parts)>;

struct SplitRange {
  int low = 1;    ///< the least gpu_parts to try
  int high = 16;  ///< the most
};

struct SplitFound {
  int gpu_parts = 0;
  double seconds = 0;   ///< as last measured
  int evaluations = 0;  ///< measured shares, without repetitions of the incumbent
};

/// The whole call as a function of the share has one minimum, since the side with too much work is
/// waited for. From `start` (a cost model's guess) the search tries `step` in both directions,
/// moves as long as that helps, then halves the step down to 1. The incumbent is measured again in
/// every batch, and challengers are compared with it only within a batch, so clock drift between
/// batches does not matter. Every share is a challenger at most once, so noise cannot make the
/// search endless.
SplitFound search_split(SplitRange range, int start, int step, const SplitCost& cost);

}  // namespace duoblas
