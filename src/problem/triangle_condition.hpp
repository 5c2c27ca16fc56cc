// Whether a triangle's inverse may be used to solve with it. An inverse loses as many digits as its
// triangle's condition number has. Beyond `harmless_condition` a solution is corrected once with
// its residual, which is enough up to correctable_condition().
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>

#include "problem/precision.hpp"

namespace duoblas {

/// A product with an inverse leaves a residual of at most some roundings of |T| |inv(T)| |b|,
/// substitution one of |T| |x| (J. J. Du Croz, N. J. Higham, Stability of methods for matrix
/// inversion, IMA J. Numer. Anal. 12, 1992), so the ratio is bounded by the condition number. What
/// was seen of 64 lines (docs/experiments/factorisations-in-place.md): up to here at most four
/// times the residual of substitution, of triangles whose inverses grow fastest, and from 3000 on
/// ten.
inline constexpr double harmless_condition = 1e3;
/// A correction leaves as much of a residual, in parts, as the residual was of the right-hand side:
/// up to here no more than there is without one of a harmless condition.
inline double correctable_condition(Precision precision) {
  return std::sqrt(harmless_condition / (is_double(precision) ? 0x1p-53 : 0x1p-24));
}

/// Without a correction: a residual of 1e-10 of the right-hand side for doubles. Blocks of 128
/// lines of usual factors have up to 1e4 (docs/experiments/behind-constants.md), so floats have no
/// room below correctable_condition().
inline double solvable_condition(Precision precision) {
  return is_double(precision) ? 1e6 : correctable_condition(precision);
}

/// The size of a number. For complex numbers faster than the absolute value, and at most 1.5 times
/// as large.
template <typename T>
double size_of(T x) {
  return static_cast<double>(std::abs(x));
}
template <typename T>
double size_of(std::complex<T> x) {
  return size_of(x.real()) + size_of(x.imag());
}

/// The sum of the numbers' sizes.
template <typename T>
double sum_of_sizes(const T* numbers, std::int64_t count) {
  double sums[8] = {};  // a single sum would have to wait for itself
  std::int64_t i = 0;
  for (; i + 8 <= count; i += 8)
    for (int lane = 0; lane < 8; ++lane) sums[lane] += size_of(numbers[i + lane]);
  for (; i < count; ++i) sums[0] += size_of(numbers[i]);
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

/// NaN if one of them is, which std::max would not keep.
inline double larger_sum(double x, double y) {
  return x > y || std::isnan(x) ? x : y;
}

/// The norm of `size` rows, `ld` elements apart; NaN if a row contains one.
template <typename T>
double largest_row_sum(const T* block, std::int64_t size, std::int64_t ld) {
  double largest = 0;
  for (std::int64_t i = 0; i < size; ++i)
    largest = larger_sum(sum_of_sizes(block + i * ld, size), largest);
  return largest;
}

}  // namespace duoblas
