// The inverse of a small triangular matrix, by which right-hand sides are multiplied instead of
// being solved for.
#pragma once

#include <cstdint>
#include <optional>

#include "cpu/panel_loops.hpp"
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

/// The inverses of all diagonal blocks of `lines` lines, for several threads that solve with them.
/// Takes no memory that must be there.
class TriangleInverses {
 public:
  TriangleInverses(const Level3Problem& solve, std::int64_t lines) noexcept;

  /// `solve`: with the diagonal block from this line of the triangle on. A trmm with its inverse;
  /// or as it is where the block is ill-conditioned, or memory was short.
  Level3Problem with_inverse(const Level3Problem& solve, std::int64_t first) const;

 private:
  std::int64_t lines_;
  std::size_t bytes_;  ///< of an inverse
  PanelMemory inverses_;
  std::uint64_t usable_ = 0;  ///< a bit per block
};

}  // namespace duoblas
