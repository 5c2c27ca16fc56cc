// The work of threads on their bands of a QR panel, like lu_panel_loops.hpp for LU.
#pragma once

#include <cstdint>

#include "cpu/lu_panel_loops.hpp"

namespace duoblas {
namespace {

template <typename T>
T sum_of_lanes(const Vector<T>& sums) {
  T result = 0;
  for (int i = 0; i < lanes<T>; ++i) result += sums[i];
  return result;
}

// Products of some columns with some others.
template <int lefts, int rights, typename T>
inline void multiply_tile(const BandOfPanel<T>& band, std::int64_t left, std::int64_t right,
                          T* results, std::int64_t ld) {
  Vector<T> sums[lefts][rights] = {};
  const T *of_left[lefts], *of_right[rights];
  for (int i = 0; i < lefts; ++i) of_left[i] = band.column(left + i);
  for (int j = 0; j < rights; ++j) of_right[j] = band.column(right + j);
  for (std::int64_t row = band.begin; row < band.end; row += lanes<T>) {
    Vector<T> l[lefts];
    for (int i = 0; i < lefts; ++i) l[i] = at(of_left[i] + row);
    for (int j = 0; j < rights; ++j) {
      const Vector<T> r = at(of_right[j] + row);
      for (int i = 0; i < lefts; ++i) sums[i][j] += l[i] * r;
    }
  }
  for (int i = 0; i < lefts; ++i)
    for (int j = 0; j < rights; ++j) results[i * ld + j] = sum_of_lanes<T>(sums[i][j]);
}

template <int lefts, typename T>
inline void multiply_row(const BandOfPanel<T>& band, std::int64_t left, std::int64_t begin,
                         std::int64_t end, T* results, std::int64_t ld) {
  constexpr int at_once = 4;
  std::int64_t right = begin;
  for (; right + at_once <= end; right += at_once)
    multiply_tile<lefts, at_once>(band, left, right, results + right - begin, ld);
  for (; right < end; ++right)
    multiply_tile<lefts, 1>(band, left, right, results + right - begin, ld);
}

template <typename T>
void products(const BandOfPanel<T>& band, std::int64_t column, std::int64_t end, T* results) {
  multiply_row<1>(band, column, column, end, results, 0);
}

template <typename T>
void inner(const BandOfPanel<T>& band, std::int64_t first, std::int64_t depth, std::int64_t end,
           T* results, std::int64_t ld) {
  constexpr int at_once = tile_columns / 2;
  std::int64_t i = 0;
  for (; i + at_once <= depth; i += at_once)
    multiply_row<at_once>(band, first + i, 0, end, results + i * ld, ld);
  for (; i < depth; ++i) multiply_row<1>(band, first + i, 0, end, results + i * ld, ld);
}

template <typename T>
void reflect(const BandOfPanel<T>& band, std::int64_t column, std::int64_t end, T scale,
             const T* factors) {
  T* const reflector = band.column(column);
  for (std::int64_t row = band.begin; row < band.end; row += lanes<T>) {
    Vector<T>& stored = at(reflector + row);
    stored *= scale;
    const Vector<T> v = stored;
    for (std::int64_t j = column + 1; j < end; ++j)
      at(band.column(j) + row) -= v * factors[j - column];
  }
}

}  // namespace
}  // namespace duoblas
