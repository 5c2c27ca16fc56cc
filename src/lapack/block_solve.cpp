#include "lapack/block_solve.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <new>

#include "cpu/panel_loops.hpp"
#include "lapack/block_reflector.hpp"
#include "problem/element_types.hpp"

namespace duoblas {
namespace {

// Lines of an inverse, as where the device solves. Twice as many flops are spent on leaves.
constexpr std::int64_t leaf = 64;

// An inverse loses as many digits as its triangle's condition number has. Beyond this the CPU BLAS
// solves; with an H100 spoiled triangles were corrected from there on.
constexpr double harmless_condition = 1e3;

// Norm of a lower triangle's rows; NaN if one contains NaN. A unit diagonal is not read.
template <typename At>
double largest_row_sum(std::int64_t order, bool unit, At&& at) {
  double largest = 0;
  for (std::int64_t i = 0; i < order; ++i) {
    double sum = unit ? 1 : std::abs(at(i, i));
    for (std::int64_t j = 0; j < i; ++j) sum += std::abs(at(i, j));
    if (!(sum <= largest)) largest = sum;
  }
  return largest;
}

}  // namespace

BlockSolve::BlockSolve(const BlockSteps& steps, Precision precision, std::int64_t order,
                       std::int64_t extent) noexcept
    : steps_(steps), precision_(precision) {
  if (is_complex(precision)) return;
  try {
    const auto lines = static_cast<std::size_t>((order + leaf - 1) / leaf * leaf);
    const std::size_t line = static_cast<std::size_t>(leaf) * element_size(precision);
    inverses_ = PageBlock(lines * line);
    in_double_ = PageBlock(2 * static_cast<std::size_t>(leaf * leaf) * sizeof(double));
    copy_ = PageBlock(static_cast<std::size_t>(extent) * line);
    is_inverted_.resize(lines / static_cast<std::size_t>(leaf));
  } catch (const std::bad_alloc&) {
    is_inverted_.clear();
  }
}

void BlockSolve::begin(const SolvedTriangle& triangle) noexcept {
  triangle_ = triangle;
  const std::int64_t order = triangle.block.columns;
  for (std::size_t i = 0; i < is_inverted_.size(); ++i) {
    const std::int64_t first = static_cast<std::int64_t>(i) * leaf;
    is_inverted_[i] = first < order && invert({first, std::min(leaf, order - first)});
  }
}

// Computed in double precision, row by row. The triangle times its inverse differs from 1 by little
// more than roundings. In the other order it could be far more.
bool BlockSolve::invert(Interval lines) noexcept {
  const bool is_lower = triangle_.uplo == Uplo::lower, unit = triangle_.diag == Diag::unit;
  double* const near = reinterpret_cast<double*>(in_double_.data());
  double* const inverse = near + leaf * leaf;
  bool is_harmless = false;
  with_real_type(precision_, [&](auto zero) {
    using T = decltype(zero);
    for (std::int64_t i = 0; i < lines.count; ++i)
      for (std::int64_t j = 0; j <= i; ++j) {
        const std::int64_t row = lines.first + (is_lower ? i : j);
        const std::int64_t column = lines.first + (is_lower ? j : i);
        near[i * leaf + j] = static_cast<double>(*static_cast<const T*>(
            steps_.at(triangle_.block.row + row, triangle_.block.column + column)));
      }
    if (!panel_loops<double>().invert_lower(near, leaf, 1, lines.count, unit, inverse)) return;
    const std::int64_t ld = in_whole_vectors(lines.count);
    const double condition =
        largest_row_sum(lines.count, unit,
                        [&](std::int64_t i, std::int64_t j) { return near[i * leaf + j]; }) *
        largest_row_sum(lines.count, false,
                        [&](std::int64_t i, std::int64_t j) { return inverse[i * ld + j]; });
    if (!(condition <= harmless_condition)) return;
    is_harmless = true;
    T* const result = reinterpret_cast<T*>(inverses_.data()) + lines.first * leaf;
    for (std::int64_t i = 0; i < lines.count; ++i) {
      T* const row = result + i * leaf;
      std::transform(inverse + i * ld, inverse + i * ld + lines.count, row,
                     [](double x) { return static_cast<T>(x); });
      std::fill(row + i + 1, row + lines.count, T(0));
    }
  });
  return is_harmless;
}

Block BlockSolve::part_of(const Block& x, Interval lines) const {
  if (triangle_.side == Side::left) return {x.row + lines.first, x.column, lines.count, x.columns};
  return {x.row, x.column + lines.first, x.rows, lines.count};
}

void BlockSolve::solve(const Block& x) const {
  if (!x.empty()) solve({0, triangle_.block.columns}, x);
}

void BlockSolve::solve(Interval lines, const Block& x) const {
  if (lines.count <= leaf) return solve_leaf(lines, x);
  const std::int64_t half = (lines.count / 2 + leaf - 1) / leaf * leaf;
  const Interval first{lines.first, half}, second{lines.first + half, lines.count - half};
  solve(first, x);
  const Block& a = triangle_.block;
  const Block below{a.row + second.first, a.column + first.first, second.count, first.count};
  const Block right{a.row + first.first, a.column + second.first, first.count, second.count};
  const Block& beside = triangle_.uplo == Uplo::lower ? below : right;
  const Block known = part_of(x, first), rest = part_of(x, second);
  steps_.multiply(triangle_.side == Side::left
                      ? steps_.product(rest, beside, triangle_.op, known, Op::none)
                      : steps_.product(rest, known, Op::none, beside, triangle_.op));
  solve(second, x);
}

void BlockSolve::solve_leaf(Interval lines, const Block& x) const {
  const Block b = part_of(x, lines);
  const auto number = static_cast<std::size_t>(lines.first / leaf);
  if (number >= is_inverted_.size() || !is_inverted_[number]) {
    const Block& a = triangle_.block;
    const Block diagonal{a.row + lines.first, a.column + lines.first, lines.count, lines.count};
    steps_.solve(diagonal, triangle_.side, triangle_.uplo, triangle_.op, triangle_.diag, b);
    return;
  }
  const std::size_t column = static_cast<std::size_t>(b.rows) * element_size(precision_);
  for (std::int64_t j = 0; j < b.columns; ++j)
    std::memcpy(copy_.data() + static_cast<std::size_t>(j) * column, steps_.at(b.row, b.column + j),
                column);
  // An inverse is stored row by row, so as columns it is transposed.
  const ColumnMajorFactor known{copy_.data(), b.rows, Op::none};
  ColumnMajorFactor inverse{
      inverses_.data() + static_cast<std::size_t>(lines.first * leaf) * element_size(precision_),
      leaf, Op::none};
  const bool is_left = triangle_.side == Side::left;
  if (is_left) inverse.op = Op::transpose;
  steps_.multiply(column_major_product(precision_, b.rows, b.columns, lines.count, 1,
                                       is_left ? inverse : known, is_left ? known : inverse, 0,
                                       steps_.at(b.row, b.column), steps_.ld()));
}

}  // namespace duoblas
