// Remembers calls that planning leaves to the program's own BLAS. To plan one takes some
// microseconds, a tenth of the smallest calls that are planned.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>

#include "planner/reason.hpp"
#include "problem/blas_call.h"

namespace duoblas {

/// Stores the facts of a call that plans depend on: routine, precision, letters, extents, and
/// whether scalars are zero. A call with another one's slot replaces it. One call in 2^58 is taken
/// for another and left without need; so is a call with an imaginary alpha or beta, if one with
/// zero was left. Thread-safe, without locks.
class HostCallCache {
 public:
  /// Why such a call was left; nothing if it was not.
  std::optional<Reason> reason_for(const duoblas_blas_call& call) const noexcept;
  void remember(const duoblas_blas_call& call, Reason reason) noexcept;
  void forget(const duoblas_blas_call& call) noexcept;

 private:
  std::array<std::atomic<std::uint64_t>, 1024> keys_ = {};
};

}  // namespace duoblas
