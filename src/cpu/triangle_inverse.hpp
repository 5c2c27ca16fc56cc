// The inverse of a small triangular matrix, by which right-hand sides are multiplied instead of
// being solved for.
#pragma once

#include <cstdint>
#include <optional>

#include "problem/level3_problem.hpp"
#include "problem/partition.hpp"

namespace duoblas {

/// Writes the inverse of these lines' diagonal block of a trsm's A, as that is stored (its op is
/// not applied), in rows of `ld` elements: zeros where A has none, and behind the block. It is
/// computed in double precision, so that that of floats has one rounding each. In the order that
/// trsm uses, op(A) times its inverse times a right-hand side differs from the right-hand side by
/// no more than rounding errors of |A| |X|; in the other order the difference can be thousands of
/// times larger. A zero on the diagonal has the same effect as a division by it. Returns the
/// block's condition number, its largest row sum times its inverse's, which may be NaN; nothing:
/// there is no memory, and nothing was written.
std::optional<double> invert_triangle(const Level3Problem& solve, Interval lines, void* inverse,
                                      std::int64_t ld) noexcept;

}  // namespace duoblas
