// Whether a triangle's inverse may be used to solve with it. An inverse loses as many digits as its
// triangle's condition number has. Beyond `harmless_condition` a solution is corrected once with
// its residual.
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>

namespace duoblas {

inline constexpr double harmless_condition = 1e3;

/// The norm of `size` rows, `ld` elements apart; NaN if a row contains one.
template <typename T>
double largest_row_sum(const T* block, std::int64_t size, std::int64_t ld) {
  double largest = 0;
  for (std::int64_t i = 0; i < size; ++i) {
    double sums[4] = {};  // a single sum would have to wait for itself
    const T* const row = block + i * ld;
    for (std::int64_t j = 0; j < size; ++j) sums[j % 4] += static_cast<double>(std::abs(row[j]));
    const double sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    if (!(sum <= largest)) largest = sum;
  }
  return largest;
}

}  // namespace duoblas
