// Divides a product of any size into products that a BLAS with 32-bit integers can do.
#pragma once

#include <climits>
#include <cstdint>
#include <functional>

#include "problem/gemm_problem.hpp"

namespace duoblas {

/// The limits of one call. Tests lower them.
struct PieceLimits {
  /// Sizes: 2^31 minus a margin, since a BLAS rounds up to its tiles before it compares.
  std::int64_t extent = INT_MAX - 65535;
  std::int64_t leading_dimension = INT_MAX;
  /// Rows and columns of a piece whose operands are copied because their ld exceeds the limit: at
  /// most 64 MiB per operand (double complex).
  std::int64_t copied_extent = 2048;
  /// A fork waits for the running piece (fork_state.hpp): about half a second on two cores. That is
  /// a whole product up to n = 5000. Dividing larger ones costs nothing measurable.
  double flops = 2.5e11;
};

/// Calls `run` for pieces that together are `p`, one after another, each within the limits. beta is
/// applied once: pieces over later parts of k add to the earlier results. \pre not empty, not
/// only_scales_c.
void for_each_piece(const GemmProblem& p, const PieceLimits& limits,
                    const std::function<void(const GemmProblem&)>& run);

}  // namespace duoblas
