#include "cpu/triangle_inverse.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

#include "cpu/panel_loops.hpp"
#include "problem/element_types.hpp"
#include "problem/precision.hpp"
#include "problem/rounding.hpp"
#include "problem/triangle_condition.hpp"
#include "problem/triangle_rows.hpp"

namespace duoblas {
namespace {

template <typename T>
struct Wider {
  using type = double;
};
template <typename T>
struct Wider<std::complex<T>> {
  using type = std::complex<double>;
};

constexpr Uplo other(Uplo uplo) {
  return uplo == Uplo::lower ? Uplo::upper : Uplo::lower;
}

/// A triangular matrix as it is stored, or its transpose.
template <typename T>
struct Triangle {
  const T* data;
  std::int64_t down, across;  ///< elements to the next row, and to the next column
  Uplo uplo;

  const T& at(std::int64_t i, std::int64_t j) const { return data[i * down + j * across]; }
};
/// The transpose: an upper triangle becomes a lower one, and the reverse.
template <typename T>
Triangle<T> from_the_other_end(const Triangle<T>& a, std::int64_t size) {
  return {&a.at(size - 1, size - 1), -a.down, -a.across, other(a.uplo)};
}

/// Columns whose sums stay in registers while rows are added.
constexpr std::int64_t columns_at_once = 8;

/// Subtracts from the columns [begin, end) of a row of the inverse its factors times rows `rows`.
template <typename W>
void subtract_rows(const W* factors, Interval rows, const W* x, std::int64_t size, Uplo uplo,
                   std::int64_t begin, std::int64_t end, W* row) {
  for (std::int64_t j = rows.first; j < rows.first + rows.count; ++j) {
    const StoredColumns there = stored_of(uplo, j, size);
    for (std::int64_t column = std::max(begin, there.begin); column < std::min(end, there.end);
         ++column)
      row[column] -= factors[j] * x[j * size + column];
  }
}
/// The same for columns_at_once columns from `begin` on, with rows in which all of them are stored.
template <typename W>
void subtract_whole_rows(const W* factors, Interval rows, const W* x, std::int64_t size,
                         std::int64_t begin, W* row) {
  W sums[columns_at_once];
  std::copy_n(row + begin, columns_at_once, sums);
  for (std::int64_t j = rows.first; j < rows.first + rows.count; ++j) {
    const W* const solved = x + j * size + begin;
    const W factor = factors[j];
    for (int column = 0; column < columns_at_once; ++column)
      sums[column] -= factor * solved[column];
  }
  std::copy_n(sums, columns_at_once, row + begin);
}

// Row by row, from the one that needs no other: X_i = (E_i - sum A_ij X_j) / A_ii. `factors`:
// memory for `size` of them.
template <typename W>
void invert(const Triangle<W>& a, std::int64_t size, bool unit, W* factors, W* x) {
  for (std::int64_t step = 0; step < size; ++step) {
    const std::int64_t i = a.uplo == Uplo::lower ? step : size - 1 - step;
    W* const row = x + i * size;
    std::fill_n(row, size, W(0));
    row[i] = W(1);
    const std::int64_t from = a.uplo == Uplo::lower ? 0 : i + 1;
    const std::int64_t end = a.uplo == Uplo::lower ? i : size;
    for (std::int64_t j = from; j < end; ++j) factors[j] = a.at(i, j);
    for (std::int64_t column = 0; column < size; column += columns_at_once) {
      const std::int64_t behind = std::min(column + columns_at_once, size);
      // Rows in which some of these columns are stored, and rows in which all are.
      const std::int64_t first = std::max(from, column), last = std::min(end, behind);
      const Interval some{first, last - first};
      const Interval whole = a.uplo == Uplo::lower
                                 ? Interval{std::max(from, behind), end - std::max(from, behind)}
                                 : Interval{from, std::min(end, column) - from};
      const auto add_some = [&] {
        subtract_rows(factors, some, x, size, a.uplo, column, behind, row);
      };
      if (a.uplo == Uplo::lower) add_some();
      if (behind - column == columns_at_once)
        subtract_whole_rows(factors, whole, x, size, column, row);
      else
        subtract_rows(factors, whole, x, size, a.uplo, column, behind, row);
      if (a.uplo == Uplo::upper) add_some();
    }
    if (unit) continue;
    const W diagonal = a.at(i, i);
    const StoredColumns here = stored_of(a.uplo, i, size);
    for (std::int64_t column = here.begin; column < here.end; ++column) row[column] /= diagonal;
  }
}

/// Computes X in `memory` of `size` rows that are `ld` apart. Uses vectors for real numbers, unless
/// some are not finite: the result then depends on the zeros that are multiplied.
template <typename W>
Triangle<W> invert(const Triangle<W>& a, std::int64_t size, bool unit, W* factors, W* memory,
                   std::int64_t ld) {
  if constexpr (std::is_same_v<W, double>) {
    const Triangle<W> lower = a.uplo == Uplo::lower ? a : from_the_other_end(a, size);
    if (panel_loops<W>().invert_lower(lower.data, lower.down, lower.across, size, unit, memory)) {
      const Triangle<W> x{memory, ld, 1, Uplo::lower};
      return a.uplo == Uplo::lower ? x : from_the_other_end(x, size);
    }
  }
  invert(a, size, unit, factors, memory);
  return {memory, size, 1, a.uplo};
}

/// Copies a triangle's stored part, with ones on a unit diagonal, from rows that lie `lda` apart to
/// rows without gaps. Returns the largest row sum. The processor foresees nothing beyond a page,
/// where the next row begins, so some rows are asked for early.
template <typename T, typename W>
double copy_rows(const T* a, std::int64_t lda, Uplo uplo, bool unit, std::int64_t size, W* rows,
                 std::int64_t ld) {
  constexpr std::int64_t early = 8;
  constexpr std::ptrdiff_t line = 64;
  const auto ask_for = [&](std::int64_t i) {
    if (i >= size) return;
    const StoredColumns stored = stored_of(uplo, i, size);
    const auto* const begin = reinterpret_cast<const char*>(a + i * lda + stored.begin);
    const auto* const end = reinterpret_cast<const char*>(a + i * lda + stored.end);
    for (const char* at = begin; at < end; at += line) __builtin_prefetch(at);
    __builtin_prefetch(end - 1);
  };
  for (std::int64_t i = 0; i < early; ++i) ask_for(i);
  double largest = 0;
  for (std::int64_t i = 0; i < size; ++i) {
    ask_for(i + early);
    const StoredColumns stored = stored_of(uplo, i, size);
    W* const row = rows + i * ld;
    std::copy(a + i * lda + stored.begin, a + i * lda + stored.end, row + stored.begin);
    if (unit) row[i] = W(1);
    largest = larger_sum(sum_of_sizes(row + stored.begin, stored.end - stored.begin), largest);
  }
  return largest;
}

/// Writes a triangle's stored part into rows of `ld` elements, and zeros beside it; in tiles, so
/// that a transpose stays in the cache. Returns the largest row sum.
template <typename W, typename T>
double write_rows(const Triangle<W>& x, std::int64_t size, T* rows, std::int64_t ld) {
  constexpr std::int64_t tile = 16;
  double largest = 0;
  for (std::int64_t top = 0; top < size; top += tile) {
    const std::int64_t bottom = std::min(top + tile, size);
    const StoredColumns first = stored_of(x.uplo, top, size);
    const StoredColumns last = stored_of(x.uplo, bottom - 1, size);
    const std::int64_t begin = std::min(first.begin, last.begin);
    const std::int64_t end = std::max(first.end, last.end);
    for (std::int64_t i = top; i < bottom; ++i) {
      std::fill_n(rows + i * ld, begin, T(0));
      std::fill_n(rows + i * ld + end, ld - end, T(0));
    }
    for (std::int64_t left = begin; left < end; left += tile) {
      const std::int64_t right = std::min(left + tile, end);
      for (std::int64_t i = top; i < bottom; ++i)
        for (std::int64_t j = left; j < right; ++j) rows[i * ld + j] = static_cast<T>(x.at(i, j));
    }
    for (std::int64_t i = top; i < bottom; ++i)
      largest = larger_sum(sum_of_sizes(rows + i * ld + begin, end - begin), largest);
  }
  return largest;
}

/// The largest row sum of a triangle of `size` rows, `ld` elements apart; NaN if it contains one.
template <typename T>
double largest_stored_sum(const T* a, std::int64_t ld, std::int64_t size, Uplo uplo, bool unit) {
  double largest = 0;
  for (std::int64_t i = 0; i < size; ++i) {
    auto [begin, end] = stored_of(uplo, i, size);
    if (unit) (uplo == Uplo::lower ? --end : ++begin);
    const double sum = sum_of_sizes(a + i * ld + begin, end - begin);
    largest = larger_sum(unit ? sum + 1 : sum, largest);
  }
  return largest;
}

}  // namespace

std::optional<double> invert_triangle(const Level3Problem& p, Interval lines, void* inverse,
                                      std::int64_t ld) noexcept {
  return with_element_type(p.precision, [&](auto zero) -> std::optional<double> {
    using T = decltype(zero);
    using W = typename Wider<T>::type;
    // invert() keeps A X - 1 small. If X is multiplied from the other side, X A - 1 must be small.
    const bool turned = (p.op == Op::none) != (p.side == Side::left);
    const std::int64_t size = lines.count, width = in_whole_vectors(size);
    const T* const far = static_cast<const T*>(p.a) + lines.first * p.lda + lines.first;
    const auto elements = static_cast<std::size_t>(size * (size + width + 1));
    const PanelMemory memory(
        ::operator new (elements * sizeof(W), std::align_val_t{64}, std::nothrow));
    if (memory == nullptr) return {};
    W* const wide = static_cast<W*>(memory.get());
    // Uses dense memory, because rows at a matrix's distance fall into few sets of a cache.
    W* const near = wide + size * width;
    const bool unit = p.diag == Diag::unit;
    const double largest = copy_rows(far, p.lda, p.uplo, unit, size, near, size);
    Triangle<W> a{near, size, 1, p.uplo};
    if (turned) a = {a.data, a.across, a.down, other(p.uplo)};
    Triangle<W> x = invert(a, size, unit, near + size * size, wide, width);
    if (turned) std::swap(x.down, x.across);
    // x may have been turned, which changes what is stored of it.
    x.uplo = p.uplo;
    return largest * write_rows(x, size, static_cast<T*>(inverse), ld);
  });
}

double copy_leaf(const Level3Problem& p, Interval lines, void* to, std::int64_t ld) noexcept {
  return with_element_type(p.precision, [&](auto zero) {
    using T = decltype(zero);
    T* const rows = static_cast<T*>(to);
    const std::int64_t size = lines.count;
    const T* const a = static_cast<const T*>(p.a) + lines.first * p.lda + lines.first;
    const double largest = copy_rows(a, p.lda, p.uplo, p.diag == Diag::unit, size, rows, ld);
    if (p.uplo == Uplo::upper)
      for (std::int64_t i = 0; i < size; ++i) std::fill_n(rows + i * ld + size, ld - size, T(0));
    for (std::int64_t i = size; i < ld; ++i) {
      std::fill_n(rows + i * ld, ld, T(0));
      rows[i * ld + i] = T(1);
    }
    return largest;
  });
}

TriangleInverses::TriangleInverses(Precision precision, std::int64_t order,
                                   std::int64_t lines) noexcept
    : precision_(precision), lines_(lines) {
  if (round_up(order, lines) > most_lines) return;
  const auto elements = static_cast<std::size_t>(round_up(order, lines) * lines);
  inverses_.reset(
      ::operator new (elements* element_size(precision), std::align_val_t{64}, std::nothrow));
}

TriangleInverses::TriangleInverses(const Level3Problem& solve, std::int64_t lines) noexcept
    : TriangleInverses(solve.precision, order(solve), lines) {
  for (std::int64_t first = 0; first < order(solve); first += lines) make(solve, first);
}

void* TriangleInverses::diagonal_at(std::int64_t line) const {
  const std::int64_t element = line * lines_ + line % lines_;
  return static_cast<char*>(inverses_.get()) +
         static_cast<std::size_t>(element) * element_size(precision_);
}

PanelInverse TriangleInverses::place_of(std::int64_t first) const {
  PanelInverse place;
  if (inverses_ != nullptr) place.columns = diagonal_at(first);
  place.pitch = lines_;
  return place;
}

double TriangleInverses::condition_of(const Level3Problem& solve, const Interval& part) const {
  return with_element_type(precision_, [&](auto zero) {
    using T = decltype(zero);
    const T* const a = static_cast<const T*>(solve.a) + part.first * (solve.lda + 1);
    const T* const inverse = static_cast<const T*>(diagonal_at(part.first));
    return largest_stored_sum(a, solve.lda, part.count, solve.uplo, solve.diag == Diag::unit) *
           largest_stored_sum(inverse, lines_, part.count, solve.uplo, false);
  });
}

void TriangleInverses::note(const Level3Problem& solve, const Interval& part,
                            double condition) noexcept {
  std::int16_t& used = used_[static_cast<std::size_t>(part.first / least_lines)];
  used = 0;
  if (condition <= harmless_condition) {
    used = static_cast<std::int16_t>(part.count);
  } else if (part.count > least_lines) {
    const std::int64_t half = half_of(part.count);
    for (const Interval& of :
         {Interval{part.first, half}, Interval{part.first + half, part.count - half}})
      note(solve, of, condition_of(solve, of));
  }
}

void TriangleInverses::note(const Level3Problem& solve, std::int64_t first,
                            const PanelInverse& made) {
  const Interval block{first, std::min(lines_, order(solve) - first)};
  if (inverses_ == nullptr) return;
  if (std::isinf(made.condition))
    used_[static_cast<std::size_t>(first / least_lines)] = 0;
  else
    note(solve, block, made.condition);
}

void TriangleInverses::make(const Level3Problem& solve, std::int64_t first) noexcept {
  if (inverses_ == nullptr) return;
  const Interval block{first, std::min(lines_, order(solve) - first)};
  const auto condition = invert_triangle(solve, block, diagonal_at(first), lines_);
  if (condition)
    note(solve, block, *condition);
  else
    used_[static_cast<std::size_t>(first / least_lines)] = 0;
}

Level3Problem TriangleInverses::with_inverse(const Level3Problem& solve, std::int64_t first) const {
  Level3Problem product = solve;
  if (lines_from(first) < order(solve)) return product;
  product.routine = Routine::trmm;
  product.diag = Diag::non_unit;
  product.a = diagonal_at(first);
  product.lda = lines_;
  return product;
}

}  // namespace duoblas
