// Whether a triangle's inverse may solve for it: an inverse loses as many digits as its triangle's
// condition has. Beyond `harmless_condition` a solution is corrected once with its residual.
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>

namespace duoblas {

inline constexpr double harmless_condition = 1e3;

/// Of the magnitudes of `size` rows, `ld` elements apart; NaN where a row has one.
template <typename T>
double largest_row_sum(const T* block, std::int64_t size, std::int64_t ld) {
  double largest = 0;
  for (std::int64_t i = 0; i < size; ++i) {
    double sums[4] = {};  // one would wait for itself
    const T* const row = block + i * ld;
    for (std::int64_t j = 0; j < size; ++j) sums[j % 4] += static_cast<double>(std::abs(row[j]));
    const double sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    if (!(sum <= largest)) largest = sum;
  }
  return largest;
}

}  // namespace duoblas
