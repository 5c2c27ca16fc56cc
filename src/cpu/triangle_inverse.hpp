// The inverse of a small triangular matrix, by which right-hand sides are multiplied instead of
// being solved for.
#pragma once

#include <cstdint>
#include <optional>

#include "cpu/panel_loops.hpp"
#include "problem/level3_problem.hpp"
#include "problem/panel_inverse.hpp"
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

/// The inverses of the diagonal blocks of a triangle, of `lines` lines each, for several threads
/// that solve with them. Takes no memory that must be there.
class TriangleInverses {
 public:
  /// Memory for a triangle of at most so many lines. There are none yet.
  TriangleInverses(Precision precision, std::int64_t order, std::int64_t lines) noexcept;
  /// All of them, made by this thread.
  TriangleInverses(const Level3Problem& solve, std::int64_t lines) noexcept;

  /// Where a panel's threads write the inverse of the block that begins with this line.
  PanelInverse place_of(std::int64_t first) const;
  /// They wrote it there, or did not.
  void note(std::int64_t first, const PanelInverse& made);
  /// Makes the inverse of the block that begins with this line.
  void make(const Level3Problem& solve, std::int64_t first) noexcept;

  /// `solve`: with the diagonal block from this line of the triangle on. A trmm with its inverse;
  /// or as it is where the block is ill-conditioned, or memory was short.
  Level3Problem with_inverse(const Level3Problem& solve, std::int64_t first) const;

 private:
  void* block_at(std::int64_t first) const;
  void note(std::int64_t first, double condition);

  std::int64_t lines_;
  std::size_t bytes_;  ///< of an inverse
  PanelMemory inverses_;
  std::uint64_t usable_ = 0;  ///< a bit per block
};

}  // namespace duoblas
