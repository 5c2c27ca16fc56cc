// How long a call takes at other shares than those that were measured.
#pragma once

#include "tuner/search/strategy.hpp"

namespace duoblas {

/// Each side's time goes with its share of the work; the call takes as long as the slower side.
struct ShareModel {
  double gpu_whole = 0;  ///< seconds of the GPU if it did all, while the CPU works too
  double cpu_whole = 0;
  int parts = 16;

  double seconds(int gpu_parts) const;
  /// The share at which the slower side is fastest, from 1 to `parts` - 1 (1 where there is one
  /// part only); half where a time is not known.
  int best_share() const;
};

/// From a call at a share below all parts; a side that had nothing to do keeps the time of
/// `before`.
ShareModel share_model(const CallSample& corun, int gpu_parts, const ShareModel& before);

}  // namespace duoblas
