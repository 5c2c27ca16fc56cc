// The threads' work on their bands of an LU panel, and Cholesky of a block, for the processor that
// the including file is compiled for. No name here is visible outside of that file;
// row_sums_loops.hpp says why.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "cpu/panel_loops.hpp"

namespace duoblas {
namespace {

#if defined(__AVX512F__)
constexpr int vector_bytes = 64, tile_columns = 8;
#elif defined(__AVX2__)
constexpr int vector_bytes = 32, tile_columns = 4;
#else
constexpr int vector_bytes = 16, tile_columns = 4;
#endif

template <typename T>
using Vector [[gnu::vector_size(vector_bytes), gnu::may_alias]] = T;
template <typename T>
constexpr std::int64_t lanes = vector_bytes / static_cast<int>(sizeof(T));

template <typename T>
inline Vector<T>& at(T* memory) {
  return *reinterpret_cast<Vector<T>*>(memory);
}
template <typename T>
inline const Vector<T>& at(const T* memory) {
  return *reinterpret_cast<const Vector<T>*>(memory);
}

// Unrolled with constants: arrays indexed in loops would be kept in memory before and after them.
template <int i>
struct Constant {
  constexpr operator int() const { return i; }
};
template <int count, typename Body>
[[gnu::always_inline]] inline void unrolled(Body&& body) {
  [&]<int... i>(std::integer_sequence<int, i...>) {
    (body(Constant<i>{}), ...);
  }
  (std::make_integer_sequence<int, count>{});
}

// Of the size of a T.
template <typename T>
using Integer = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;

template <typename T>
LargestSize<T> larger(const LargestSize<T>& x, const LargestSize<T>& y) {
  return y.size > x.size || (y.size == x.size && y.row < x.row) ? y : x;
}

// The largest sizes so far in each lane. NaN is never the largest.
template <typename T>
class LargestLanes {
  using Rows = Vector<Integer<T>>;

 public:
  void take(const Vector<T>& size, std::int64_t row) {
    const Rows is_larger = size > size_;
    size_ = is_larger ? size : size_;
    row_ = is_larger ? Rows{} + static_cast<Integer<T>>(row) : row_;
  }
  LargestSize<T> all() const {
    LargestSize<T> largest;
    for (int i = 0; i < lanes<T>; ++i) largest = larger(largest, {size_[i], row_[i] + i});
    return largest;
  }

 private:
  Vector<T> size_ = Vector<T>{} - T(1);
  Rows row_ = Rows{} - 1;
};
template <typename T>
inline Vector<T> size_of(const Vector<T>& x) {
  constexpr auto without_sign = std::numeric_limits<Integer<T>>::max();
  return reinterpret_cast<Vector<T>>(reinterpret_cast<Vector<Integer<T>>>(x) & without_sign);
}

// Two vectors at a time, since counting and branching take as long as comparing one.
template <typename T>
LargestSize<T> largest(const T* column, std::int64_t begin, std::int64_t end) {
  constexpr int vectors = lanes<T> < panel_unit ? 2 : 1;
  LargestLanes<T> so_far[vectors];
  for (std::int64_t i = begin; i < end; i += vectors * lanes<T>)
    unrolled<vectors>([&](auto v) {
      const std::int64_t row = i + v * lanes<T>;
      so_far[v].take(size_of<T>(at(column + row)), row);
    });
  LargestSize<T> all;
  for (const LargestLanes<T>& some : so_far) all = larger(all, some.all());
  return all;
}

template <typename T>
LargestSize<T> largest_sum(const T* re, const T* im, std::int64_t begin, std::int64_t end) {
  LargestLanes<T> lanes_so_far;
  for (std::int64_t i = begin; i < end; i += lanes<T>)
    lanes_so_far.take(size_of<T>(at(re + i)) + size_of<T>(at(im + i)), i);
  return lanes_so_far.all();
}

template <typename T>
void scale(T* re, T* im, std::int64_t begin, std::int64_t end, T by_re, T by_im) {
  for (std::int64_t i = begin; i < end; i += lanes<T>) {
    const Vector<T> x = at(re + i), y = at(im + i);
    at(re + i) = x * by_re - y * by_im;
    at(im + i) = x * by_im + y * by_re;
  }
}

template <typename T>
LargestSize<T> eliminate(const BandOfPanel<T>& band, std::int64_t column, std::int64_t end,
                         const T* row, bool divides) {
  const T pivot = row[column], reciprocal = T(1) / pivot;
  T* const multipliers = band.column(column);
  LargestLanes<T> of_next;
  for (std::int64_t i = band.begin; i < band.end; i += lanes<T>) {
    Vector<T>& stored = at(multipliers + i);
    if (pivot != T(0)) stored = divides ? stored / pivot : stored * reciprocal;
    const Vector<T> multiplier = stored;
    if (column + 1 == end) continue;
    Vector<T>& next = at(multipliers + band.ld + i);
    next -= multiplier * row[column + 1];
    of_next.take(size_of<T>(next), i);
    for (std::int64_t j = column + 2; j < end; ++j) at(band.column(j) + i) -= multiplier * row[j];
  }
  return of_next.all();
}

template <int vectors, int columns, typename T>
inline void update_tile(const BandOfPanel<T>& band, std::int64_t row, std::int64_t first,
                        std::int64_t depth, std::int64_t column, const T* top,
                        std::int64_t top_ld) {
  const std::int64_t ld = band.ld;
  T* const tile = band.column(column) + row;
  const T* of_l = band.column(first) + row;
  const T* of_u = top + column;
  Vector<T> sums[columns][vectors];
  unrolled<columns>([&](auto j) {
    unrolled<vectors>([&](auto v) { sums[j][v] = at(tile + j * ld + v * lanes<T>); });
  });
  for (std::int64_t k = 0; k < depth; ++k, of_l += ld, of_u += top_ld) {
    Vector<T> l[vectors];
    unrolled<vectors>([&](auto v) { l[v] = at(of_l + v * lanes<T>); });
    unrolled<columns>(
        [&](auto j) { unrolled<vectors>([&](auto v) { sums[j][v] -= l[v] * of_u[j]; }); });
  }
  unrolled<columns>([&](auto j) {
    unrolled<vectors>([&](auto v) { at(tile + j * ld + v * lanes<T>) = sums[j][v]; });
  });
}

template <int vectors, typename T>
inline void update_rows(const BandOfPanel<T>& band, std::int64_t row, std::int64_t first,
                        std::int64_t depth, std::int64_t begin, std::int64_t end, const T* top,
                        std::int64_t top_ld) {
  std::int64_t column = begin;
  for (; column + tile_columns <= end; column += tile_columns)
    update_tile<vectors, tile_columns>(band, row, first, depth, column, top, top_ld);
  for (; column + 4 <= end; column += 4)
    update_tile<vectors, 4>(band, row, first, depth, column, top, top_ld);
  if (end - column == 3)
    return update_tile<vectors, 3>(band, row, first, depth, column, top, top_ld);
  for (; column < end; ++column)
    update_tile<vectors, 1>(band, row, first, depth, column, top, top_ld);
}

template <typename T>
void update(const BandOfPanel<T>& band, std::int64_t first, std::int64_t depth, std::int64_t begin,
            std::int64_t end, const T* top, std::int64_t top_ld) {
  std::int64_t row = band.begin;
  for (; row + 2 * lanes<T> <= band.end; row += 2 * lanes<T>)
    update_rows<2>(band, row, first, depth, begin, end, top, top_ld);
  for (; row < band.end; row += lanes<T>)
    update_rows<1>(band, row, first, depth, begin, end, top, top_ld);
}

template <typename T>
void solve_top(T* top, std::int64_t ld, std::int64_t first, std::int64_t depth, std::int64_t end) {
  T* const triangle = top + first * ld + first;
  for (std::int64_t column = depth; column < end - first; column += lanes<T>)
    for (std::int64_t i = 1; i < depth; ++i) {
      Vector<T> sum = at(triangle + i * ld + column);
      for (std::int64_t k = 0; k < i; ++k)
        sum -= triangle[i * ld + k] * at(triangle + k * ld + column);
      at(triangle + i * ld + column) = sum;
    }
}

// Row i is E_i - sum L_ik X_k, in four sums, since one would have to wait for itself.
template <typename T>
void invert_unit(const T* top, std::int64_t top_ld, std::int64_t order, std::int64_t first,
                 double* x) {
  constexpr int vectors = inverse_columns / static_cast<int>(lanes<double>);
  using Row = Vector<double>[vectors];
  for (std::int64_t i = 0; i < order; ++i) {
    const T* const factors = top + i * top_ld;
    Row sums[4] = {};
    const auto add = [&](Row& sum, std::int64_t k) {
      const auto factor = static_cast<double>(factors[k]);
      const double* const solved = x + k * inverse_columns;
      unrolled<vectors>([&](auto v) { sum[v] -= factor * at(solved + v * lanes<double>); });
    };
    std::int64_t k = first;
    for (; k + 4 <= i; k += 4) unrolled<4>([&](auto s) { add(sums[s], k + s); });
    for (; k < i; ++k) add(sums[0], k);
    double* const row = x + i * inverse_columns;
    unrolled<vectors>([&](auto v) {
      at(row + v * lanes<double>) = (sums[0][v] + sums[1][v]) + (sums[2][v] + sums[3][v]);
    });
    if (i >= first && i < first + inverse_columns) row[i - first] = 1;
  }
}

// Column by column; each updates the columns behind it at once, because they are in the first
// cache.
template <typename T>
int factorise_definite(T* a, std::int64_t order, std::int64_t columns) {
  for (std::int64_t j = 0; j < columns; ++j) {
    T* const column = a + j * order;
    if (!(column[j] > T(0))) return static_cast<int>(j + 1);
    const T root = std::sqrt(column[j]);
    column[j] = root;
    for (std::int64_t i = j + 1; i < order; ++i) column[i] /= root;
    for (std::int64_t next = j + 1; next < columns; ++next) {
      const T factor = column[next];
      T* const to = a + next * order;
      for (std::int64_t i = next / lanes<T> * lanes<T>; i < order; i += lanes<T>)
        at(to + i) -= factor * at(static_cast<const T*>(column) + i);
    }
  }
  return 0;
}

// The inverse's columns in a strip of so many vectors, from the row `first`, which is the first
// column, on. A strip stays in the cache, and each of its rows is loaded once for four others: 256
// lines take 88 us on one core of a Xeon (AVX-512), and 196 in strips of 8 vectors row by row.
// Returns NaN if some are not finite, else zero.
constexpr int vectors_of_strip = 4, rows_of_strip = 4;
template <int vectors, typename T>
T invert_strip(const T* a, std::int64_t down, std::int64_t across, std::int64_t order, bool unit,
               std::int64_t first, T* x) {
  const std::int64_t ld = in_whole_vectors(order);
  T* const strip = x + first;
  Vector<T> zeros = {};
  const auto subtract_row = [&](Vector<T>* sums, std::int64_t i, std::int64_t j) {
    const T factor = a[i * down + j * across];
    for (int v = 0; v < vectors; ++v)
      sums[v] -= factor * at(static_cast<const T*>(strip) + j * ld + v * lanes<T>);
  };
  const auto complete_row = [&](Vector<T>* sums, std::int64_t i) {
    for (int v = 0; v < vectors; ++v) {
      const std::int64_t lane = i - first - v * lanes<T>;
      if (lane >= 0 && lane < lanes<T>) sums[v][lane] = T(1);
      if (!unit) sums[v] /= a[i * (down + across)];
      zeros += sums[v] * T(0);
      at(strip + i * ld + v * lanes<T>) = sums[v];
    }
  };
  std::int64_t i = first;
  for (; i + rows_of_strip <= order; i += rows_of_strip) {
    Vector<T> sums[rows_of_strip][vectors] = {};
    for (std::int64_t j = first; j < i; ++j)
      for (int row = 0; row < rows_of_strip; ++row) subtract_row(sums[row], i + row, j);
    for (int row = 0; row < rows_of_strip; ++row) {
      for (int j = 0; j < row; ++j) subtract_row(sums[row], i + row, i + j);
      complete_row(sums[row], i + row);
    }
  }
  for (; i < order; ++i) {
    Vector<T> sums[vectors] = {};
    for (std::int64_t j = first; j < i; ++j) subtract_row(sums, i, j);
    complete_row(sums, i);
  }
  T sum = 0;
  for (int lane = 0; lane < lanes<T>; ++lane) sum += zeros[lane];
  return sum;
}

template <typename T>
bool invert_lower(const T* a, std::int64_t down, std::int64_t across, std::int64_t order, bool unit,
                  T* x) {
  const std::int64_t ld = in_whole_vectors(order);
  T zero = 0;
  const auto invert_columns = [&]<int vectors>(std::int64_t first) {
    constexpr std::int64_t columns = vectors * lanes<T>;
    for (std::int64_t i = 0; i < std::min(first, order); ++i)
      std::fill_n(x + i * ld + first, columns, T(0));
    zero += invert_strip<vectors>(a, down, across, order, unit, first, x);
    return columns;
  };
  std::int64_t first = 0;
  while (first + vectors_of_strip * lanes<T> <= ld)
    first += invert_columns.template operator()<vectors_of_strip>(first);
  while (first < ld) first += invert_columns.template operator()<1>(first);
  return zero == T(0);  // else NaN
}

}  // namespace
}  // namespace duoblas
