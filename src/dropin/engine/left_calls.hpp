// Calls that planning leaves to the program's own BLAS, remembered: to plan one takes some
// microseconds, a tenth of the smallest calls that are planned.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "problem/level3_call.h"

namespace duoblas {

/// Of calls, what plans depend on: routine, precision, letters, extents, and whether scalars are
/// zero. A call that meets another's place replaces it; one in 2^63 is taken for another, and then
/// left without need, as is one with an imaginary alpha or beta where zero was left. Thread-safe,
/// without locks.
class LeftCalls {
 public:
  bool knows(const duoblas_level3_call& call) const noexcept;
  void remember(const duoblas_level3_call& call) noexcept;

 private:
  std::array<std::atomic<std::uint64_t>, 1024> keys_ = {};
};

}  // namespace duoblas
