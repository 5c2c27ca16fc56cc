#include "gpu/diagonal_blocks.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <complex>
#include <limits>
#include <new>
#include <type_traits>
#include <utility>

#include "cpu/panel_loops.hpp"
#include "gpu/triangle_condition.hpp"
#include "memory/copy_threads.hpp"
#include "problem/element_types.hpp"
#include "problem/precision.hpp"
#include "problem/rounding.hpp"

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

template <typename T>
T conjugate(T x) {
  return x;
}
template <typename T>
std::complex<T> conjugate(std::complex<T> x) {
  return std::conj(x);
}
template <typename T>
T real_part(T x) {
  return x;
}
template <typename T>
std::complex<T> real_part(std::complex<T> x) {
  return x.real();
}

/// Columns of a row that are stored.
struct Stored {
  std::int64_t begin, end;
};
Stored stored_of(Uplo uplo, std::int64_t row, std::int64_t size) {
  return uplo == Uplo::lower ? Stored{0, row + 1} : Stored{row, size};
}

constexpr Uplo other(Uplo uplo) {
  return uplo == Uplo::lower ? Uplo::upper : Uplo::lower;
}

template <typename T>
const T* block_at(const void* matrix, std::int64_t ld, Interval lines) {
  return static_cast<const T*>(matrix) + lines.first * ld + lines.first;
}

/// Calls `body` for the lines [begin, end) in pieces of so many.
template <typename Body>
void in_pieces(CopyThreads* threads, std::int64_t lines, std::int64_t of_a_piece, Body&& body) {
  if (threads == nullptr) return body(std::int64_t{0}, lines);
  threads->share(static_cast<std::size_t>(parts(lines, of_a_piece)), [&](std::size_t piece) {
    const std::int64_t begin = static_cast<std::int64_t>(piece) * of_a_piece;
    body(begin, std::min(lines, begin + of_a_piece));
  });
}

constexpr std::int64_t lines_of_a_piece = 32;

template <typename T>
T* sized(DenseBlock& block, std::int64_t rows, std::int64_t columns) {
  block.resize(static_cast<std::size_t>(rows * columns) * sizeof(T));
  return reinterpret_cast<T*>(block.data());
}

/// Copies the stored part of a row, and fills the rest with zeros.
template <typename T, typename W>
void copy_stored(const T* from, Uplo uplo, std::int64_t row, std::int64_t size, W* to) {
  const auto [begin, end] = stored_of(uplo, row, size);
  std::fill(to, to + begin, W(0));
  std::copy(from + begin, from + end, to + begin);
  std::fill(to + end, to + size, W(0));
}

// Copies a strip of rows, and its columns above, in tiles, so that destinations of column-by-column
// writes stay in the cache.
constexpr std::int64_t tile = 16;
template <typename T>
void mirror(T* block, std::int64_t size, std::int64_t top, Uplo stored, bool conjugates) {
  for (std::int64_t left = 0; left <= top; left += tile)
    for (std::int64_t i = top; i < std::min(top + tile, size); ++i)
      for (std::int64_t j = left; j < std::min({left + tile, i, size}); ++j) {
        T& below = block[i * size + j];
        T& above = block[j * size + i];
        const T value = stored == Uplo::lower ? below : above;
        (stored == Uplo::lower ? above : below) = conjugates ? conjugate(value) : value;
      }
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
    const Stored there = stored_of(uplo, j, size);
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
    const Stored here = stored_of(a.uplo, i, size);
    for (std::int64_t column = here.begin; column < here.end; ++column) row[column] /= diagonal;
  }
}

/// The largest number that any thread saw; NaN counts as infinite.
class LargestOfThreads {
 public:
  void see(double number) {
    if (std::isnan(number)) number = std::numeric_limits<double>::infinity();
    double before = largest_.load(std::memory_order_relaxed);
    while (number > before &&
           !largest_.compare_exchange_weak(before, number, std::memory_order_relaxed))
      continue;
  }
  double largest() const { return largest_.load(std::memory_order_relaxed); }

 private:
  std::atomic<double> largest_ = 0;
};

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

}  // namespace

void complete_a(const Level3Problem& p, Interval lines, DenseBlock& block, CopyThreads* threads) {
  with_element_type(p.precision, [&](auto zero) {
    using T = decltype(zero);
    const std::int64_t size = lines.count;
    const T* const a = block_at<T>(p.a, p.lda, lines);
    T* const whole = sized<T>(block, size, size);
    const bool unit = is_in_place(p.routine) && p.diag == Diag::unit;
    in_pieces(threads, size, lines_of_a_piece, [&](std::int64_t first, std::int64_t end) {
      for (std::int64_t i = first; i < end; ++i) {
        T* const row = whole + i * size;
        copy_stored(a + i * p.lda, p.uplo, i, size, row);
        if (unit) row[i] = T(1);
        if (is_hermitian(p.routine)) row[i] = real_part(row[i]);
      }
    });
    if (is_in_place(p.routine)) return;
    in_pieces(threads, size, tile, [&](std::int64_t first, std::int64_t end) {
      for (std::int64_t top = first; top < end; top += tile)
        mirror(whole, size, top, p.uplo, is_hermitian(p.routine));
    });
  });
}

void copy_triangle_of_c(const Level3Problem& p, Interval lines, DenseBlock& block,
                        CopyThreads* threads) {
  with_element_type(p.precision, [&](auto zero) {
    using T = decltype(zero);
    const T* const c = block_at<T>(p.c, p.ldc, lines);
    T* const whole = sized<T>(block, lines.count, lines.count);
    in_pieces(threads, lines.count, lines_of_a_piece, [&](std::int64_t first, std::int64_t end) {
      for (std::int64_t i = first; i < end; ++i) {
        T* const row = whole + i * lines.count;
        copy_stored(c + i * p.ldc, p.uplo, i, lines.count, row);
        if (is_hermitian(p.routine)) row[i] = real_part(row[i]);
      }
    });
  });
}

void store_triangle_of_c(const Level3Problem& p, Interval lines, Interval rows,
                         const DenseBlock& block, CopyThreads* threads) noexcept {
  with_element_type(p.precision, [&](auto zero) {
    using T = decltype(zero);
    T* const c = const_cast<T*>(block_at<T>(p.c, p.ldc, lines));
    const T* const whole = reinterpret_cast<const T*>(block.data());
    const std::int64_t first = rows.first - lines.first;
    in_pieces(threads, rows.count, lines_of_a_piece, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = first + begin; i < first + end; ++i) {
        const Stored stored = stored_of(p.uplo, i, lines.count);
        const T* const row = whole + i * lines.count;
        std::copy(row + stored.begin, row + stored.end, c + i * p.ldc + stored.begin);
        if (is_hermitian(p.routine)) c[i * p.ldc + i] = real_part(row[i]);
      }
    });
  });
}

double invert_leaves(const Level3Problem& p, Interval lines, std::int64_t leaf,
                     DenseBlock& inverses, CopyThreads* threads) {
  LargestOfThreads worst;
  with_element_type(p.precision, [&](auto zero) {
    using T = decltype(zero);
    using W = typename Wider<T>::type;
    T* const all = sized<T>(inverses, lines.count, leaf);
    // invert() keeps A X - 1 small. If X is multiplied from the other side, X A - 1 must be small.
    const bool turned = (p.op == Op::none) != (p.side == Side::left);
    // The copy threads must not throw.
    std::atomic<bool> is_out_of_memory = false;
    const auto invert_one = [&](std::int64_t first, std::int64_t size) {
      const T* const far = block_at<T>(p.a, p.lda, {lines.first + first, size});
      const std::int64_t ld = in_whole_vectors(size);
      const auto elements = static_cast<std::size_t>(size * (size + ld + 1));
      const PanelMemory memory(
          ::operator new (elements * sizeof(W), std::align_val_t{64}, std::nothrow));
      if (memory == nullptr) {
        is_out_of_memory = true;
        return;
      }
      W* const inverse = static_cast<W*>(memory.get());
      // Uses dense memory, because rows at a matrix's distance fall into few sets of a cache.
      W* const near = inverse + size * ld;
      for (std::int64_t i = 0; i < size; ++i)
        copy_stored(far + i * p.lda, p.uplo, i, size, near + i * size);
      const bool unit = p.diag == Diag::unit;
      for (std::int64_t i = 0; unit && i < size; ++i) near[i * (size + 1)] = W(1);
      Triangle<W> a{near, size, 1, p.uplo};
      if (turned) a = {a.data, a.across, a.down, other(p.uplo)};
      Triangle<W> x = invert(a, size, unit, near + size * size, inverse, ld);
      if (turned) std::swap(x.down, x.across);
      for (std::int64_t i = 0; i < size; ++i) {
        T* const row = all + (first + i) * leaf;
        for (std::int64_t j = 0; j < size; ++j) row[j] = static_cast<T>(x.at(i, j));
        std::fill(row + size, row + leaf, T(0));
      }
      worst.see(largest_row_sum(near, size, size) *
                largest_row_sum(all + first * leaf, size, leaf));
    };
    in_pieces(threads, lines.count, leaf, [&](std::int64_t first, std::int64_t end) {
      for (; first < end; first += leaf) invert_one(first, std::min(leaf, end - first));
    });
    if (is_out_of_memory) throw std::bad_alloc();
  });
  return worst.largest();
}

}  // namespace duoblas
