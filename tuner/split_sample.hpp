// One share of the GPU and its time.
#pragma once

namespace duoblas {

/// One share, measured with both sides at work. A time that is not above 0 was not measured, and
/// its curve skips the share.
struct SplitSample {
  double share = 0;  ///< of C that the GPU computes, 0 to 1
  double cpu_seconds = 0;
  double gpu_seconds = 0;
  double whole_seconds = 0;
};

}  // namespace duoblas
