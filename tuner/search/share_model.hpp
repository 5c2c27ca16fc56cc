// Predicts the time of a call at shares that were not measured.
#pragma once

#include "tuner/search/strategy.hpp"

namespace duoblas {

/// Each side's time is proportional to its share of the work. The slower side determines the
/// call's.
struct ShareModel {
  double gpu_whole = 0;  ///< of the GPU for all of the work, while the CPU works too
  double cpu_whole = 0;
  int parts = 16;

  double seconds(int gpu_parts) const;
  /// The share at which the slower side is fastest, from 1 to `parts` - 1 (1 if there is only one
  /// part); half if a time is not known.
  int best_share() const;
};

/// Made from a call at a share below all parts. A side without work keeps the time of `before`.
ShareModel share_model(const CallSample& corun, int gpu_parts, const ShareModel& before);

}  // namespace duoblas
