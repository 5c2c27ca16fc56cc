// The inverse of a small triangular matrix, by which right-hand sides are multiplied instead of
// being solved for.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <variant>

#include "cpu/panel_loops.hpp"
#include "problem/halving.hpp"
#include "problem/level3_problem.hpp"
#include "problem/panel_inverse.hpp"
#include "problem/partition.hpp"
#include "problem/rounding.hpp"

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

/// Copies these lines' diagonal block of a trsm's A to rows of `ld` elements: what is stored of it,
/// with ones on a unit diagonal. Where the block has fewer lines than `ld`, ones on the diagonal
/// and zeros complete it. Returns its largest row sum, which may be NaN.
double copy_leaf(const Level3Problem& solve, Interval lines, void* to, std::int64_t ld) noexcept;

/// The inverses of the diagonal blocks of a triangle, of `lines` lines each, for several threads
/// that solve with them. Where that of a block is ill-conditioned, those of its halves are used,
/// and so on: the inverse of a block on a block's diagonal is that part of the block's inverse. Of
/// L of random matrices one real block of 64 lines in 16 to 64 is over the limit, each complex one
/// is, and no half is (docs/experiments/factorisations-in-place.md#random-matrices). Takes no
/// memory that must be there.
class TriangleInverses {
 public:
  /// Memory for a triangle of at most so many lines. There are none yet. \pre a triangle with
  /// several blocks has blocks of a multiple of 8 lines.
  TriangleInverses(Precision precision, std::int64_t order, std::int64_t lines) noexcept;
  /// All of them, made by this thread.
  TriangleInverses(const Level3Problem& solve, std::int64_t lines) noexcept;

  /// Where a panel's threads write the inverse of the block that begins with this line.
  PanelInverse place_of(std::int64_t first) const;
  /// They wrote it there, or did not. `solve`: with the triangle's first lines, up to the end of
  /// the block.
  void note(const Level3Problem& solve, std::int64_t first, const PanelInverse& made);
  /// Makes the inverse of the block that begins with this line.
  void make(const Level3Problem& solve, std::int64_t first) noexcept;

  /// `solve`: with a diagonal block, or a part that solve_with() divides it into, from this line of
  /// the triangle on. A trmm with its inverse; or as it is where there is none to be used.
  Level3Problem with_inverse(const Level3Problem& solve, std::int64_t first) const;

  /// `solve`: with the diagonal block, or several, from this line of the triangle on. `multiply`
  /// and `run` get the steps of it in their order: products, and with_inverse() of parts.
  template <typename Multiply, typename Run>
  void solve_with(const Level3Problem& solve, std::int64_t first, const Multiply& multiply,
                  const Run& run) const {
    const std::int64_t all = order(solve), lines = lines_from(first);
    const bool is_block = all <= lines_;
    if (is_block && (lines == 0 || lines >= all)) return run(with_inverse(solve, first));
    const std::int64_t half = is_block ? half_of(all) : round_up(all / 2, lines_);
    for (const Step& step : halved(solve, half))
      if (const auto* product = std::get_if<GemmProblem>(&step)) {
        multiply(*product);
      } else {
        const auto& part = std::get<Level3Problem>(step);
        solve_with(part, part.a == solve.a ? first : first + half, multiply, run);
      }
  }

 private:
  /// Parts begin at multiples of it, and are not divided if they have no more lines.
  static constexpr std::int64_t least_lines = 8, most_lines = 4096;
  static std::int64_t half_of(std::int64_t lines) { return round_up((lines + 1) / 2, least_lines); }

  void* diagonal_at(std::int64_t line) const;
  void note(const Level3Problem& solve, const Interval& block, double condition) noexcept;
  double condition_of(const Level3Problem& solve, const Interval& part) const;
  /// How many lines the inverse has that is used and begins with this line; 0: none.
  std::int64_t lines_from(std::int64_t first) const {
    return inverses_ ? used_[static_cast<std::size_t>(first / least_lines)] : 0;
  }

  Precision precision_;
  std::int64_t lines_;
  PanelMemory inverses_;
  std::array<std::int16_t, most_lines / least_lines> used_{};  ///< lines_from()
};

}  // namespace duoblas
