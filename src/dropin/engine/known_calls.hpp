// Calls that are left to the program's own BLAS, and why. To plan one takes some microseconds, a
// tenth of the smallest calls that are planned.
#pragma once

#include <cstdint>

#include "planner/reason.hpp"
#include "planner/recent_decisions.hpp"
#include "problem/blas_call.h"

namespace duoblas {

/// A hash of what plans depend on: routine, precision, letters, extents, and whether scalars are
/// zero. One call in 2^64 is taken for another and left without need; so is a call with an
/// imaginary alpha or beta, if one with zero was left.
std::uint64_t call_key(const duoblas_blas_call& call) noexcept;

/// One in 64 calls of a kind is decided again, and timed: the machine may have changed.
inline constexpr RecentDecisions<std::uint64_t, Reason, 1024> left_calls;

/// How many calls of this key were left since kernels_not_missed was kept, and whose loss nobody
/// was told of. The caller is told, and they are forgotten. A call that memory bounds may take ten
/// times as long as its decision; so one that is decided again tells of the others.
unsigned untold_calls(std::uint64_t key) noexcept;

}  // namespace duoblas
