// A product of any size as products that a BLAS with 32-bit integers can do.
#pragma once

#include <climits>
#include <cstdint>
#include <functional>

#include "problem/gemm_problem.hpp"

namespace duoblas {

/// What one call may have. Tests lower these.
struct PieceLimits {
  /// Sizes: 2^31 less a slack, since a BLAS rounds up to its tiles before it compares.
  std::int64_t extent = INT_MAX - 65535;
  std::int64_t leading_dimension = INT_MAX;
  /// Rows and columns of a piece whose operands are copied because their ld is over the limit:
  /// 64 MiB at most per operand (double complex).
  std::int64_t copied_extent = 2048;
  /// A fork waits for the piece under way (fork_state.hpp): about half a second of two cores, a
  /// single product up to n = 5000; cutting larger ones into pieces of this size costs nothing
  /// measurable.
  double flops = 2.5e11;
};

/// Calls `run` for pieces that together are `p`, one after another, each within the limits. beta
/// is applied once: pieces over later parts of k add to what is there.
/// \pre not empty, not only_scales_c.
void for_each_piece(const GemmProblem& p, const PieceLimits& limits,
                    const std::function<void(const GemmProblem&)>& run);

}  // namespace duoblas
