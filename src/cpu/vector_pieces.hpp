// Divides a gemv of any size into calls that a BLAS with 32-bit integers can do.
#pragma once

#include <climits>
#include <cstdint>
#include <functional>

#include "problem/gemv_problem.hpp"

namespace duoblas {

/// The limits of one call. Tests lower them.
struct VectorPieceLimits {
  std::int64_t extent = INT_MAX - 65535;
  std::int64_t distance = INT_MAX;  ///< of leading dimensions and increments
  /// A fork waits for the running piece: 2 GiB of doubles, a fifth of a second on two cores.
  std::int64_t elements = std::int64_t{1} << 28;
};

/// Calls `run` for pieces that together are `p`, one after another, each within the limits. beta is
/// applied once: pieces over later terms add to the earlier results. If an increment exceeds the
/// limit, the vectors are copied. Rows that are too far apart are done one by one. \pre not empty,
/// not only_scales_y.
void for_each_piece(const GemvProblem& p, const VectorPieceLimits& limits,
                    const std::function<void(const GemvProblem&)>& run);
}  // namespace duoblas
