// A LAPACK call of our own interface, with 64-bit pivots: checked.
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
  /// As many as the smaller of A's rows and columns, counted from 1. getrs only reads them.
  std::int64_t* pivots = nullptr;
};

/// \throws ArgumentError with LAPACK's own position (its -info: there is no layout). Nothing was
/// written then. Reads the pivots of getrs.
void check(const CallerLapack& call);

/// 32-bit pivots, as the CPU BLAS needs them, for the duration of a call.
class NarrowPivots {
 public:
  /// Fills problem.pivots. \throws std::bad_alloc.
  NarrowPivots(LapackProblem& problem, std::int64_t* wide);
  /// Copies them to the caller, unless the routine only reads them.
  void publish() const noexcept;

 private:
  std::int64_t count_ = 0;
  std::int64_t* wide_ = nullptr;  ///< null: the routine writes none
  std::unique_ptr<std::int32_t[]> narrow_;
};

}  // namespace duoblas
