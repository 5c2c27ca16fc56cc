// A gemv, ger or axpy of any size as calls that a BLAS with 32-bit integers can do.
#pragma once

#include <climits>
#include <cstdint>
#include <functional>

#include "problem/axpy_problem.hpp"
#include "problem/gemv_problem.hpp"
#include "problem/ger_problem.hpp"

namespace duoblas {

/// What one call may have. Tests lower these.
struct VectorPieceLimits {
  std::int64_t extent = INT_MAX - 65535;
  std::int64_t distance = INT_MAX;  ///< of leading dimensions and increments
  /// A fork waits for the piece under way: 2 GiB of doubles, a fifth of a second of two cores.
  std::int64_t elements = std::int64_t{1} << 28;
};

/// Calls `run` for pieces that together are `p`, one after another, each within the limits. beta is
/// applied once: pieces over later terms add to what is there. A piece of which an increment is
/// over the limit has copies of the vectors; rows that are too far apart come one by one.
/// \pre not empty, not only_scales_y.
void for_each_piece(const GemvProblem& p, const VectorPieceLimits& limits,
                    const std::function<void(const GemvProblem&)>& run);
/// The same. \pre not changes_nothing.
void for_each_piece(const GerProblem& p, const VectorPieceLimits& limits,
                    const std::function<void(const GerProblem&)>& run);
void for_each_piece(const AxpyProblem& p, const VectorPieceLimits& limits,
                    const std::function<void(const AxpyProblem&)>& run);

}  // namespace duoblas
