// When a sum over a row of a result is suspected: what ProductCheck and Level3Check have in common.
#pragma once

#include <cmath>
#include <numeric>
#include <type_traits>
#include <vector>

namespace duoblas {

/// The threshold, in units of the mean bound on the sum of rounding errors with random signs.
/// \param operations that many roundings went into an element.
template <typename R>
double suspicious_units(double slack, double operations) {
  // With 2, none of about four million right rows of ordinary numbers was suspected
  // (right_products, Xeon; docs/results/correctness.md). Four were before products with few steps
  // were left out.
  constexpr double suspicious = 2;
  // For doubles the check's own errors count too, in the same units. With 3, one to three percent
  // of right rows were suspected at k = 1, when those were summed too; with 8, three in ten
  // thousand.
  constexpr double of_own_sums = std::is_same_v<R, double> ? 8 : 0;
  return slack * suspicious * std::sqrt(operations) + of_own_sums;
}

inline double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

}  // namespace duoblas
