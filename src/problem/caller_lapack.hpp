// A call of LAPACK as the caller of our own interface wrote it: with 64-bit pivots; checked.
#pragma once

#include <cstdint>
#include <memory>

#include "problem/lapack_problem.hpp"

namespace duoblas {

/// Most rows, columns, right-hand sides and leading dimension: the CPU BLAS's LAPACK counts in
/// 32-bit integers.
inline constexpr std::int64_t most_lapack_extent = (std::int64_t{1} << 31) - 65536;

struct CallerLapack {
  LapackProblem args;  ///< without pivots
  /// As many as A has rows and columns, counted from 1. getrs reads them only.
  std::int64_t* pivots = nullptr;
};

/// \throws ArgumentError with LAPACK's own position (its -info: there is no layout). Nothing has
/// been written then. Reads getrs's pivots.
void check(const CallerLapack& call);

/// Pivots as the CPU BLAS has them, for the length of a call.
class NarrowPivots {
 public:
  /// Fills problem.pivots. \throws std::bad_alloc.
  NarrowPivots(LapackProblem& problem, std::int64_t* wide);
  /// Hands them to the caller, but where they are only read.
  void publish() const noexcept;

 private:
  std::int64_t count_ = 0;
  std::int64_t* wide_ = nullptr;  ///< null: the routine writes none
  std::unique_ptr<std::int32_t[]> narrow_;
};

}  // namespace duoblas
