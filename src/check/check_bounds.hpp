// The constants of all bounds of the checks, and where they come from. u is the unit roundoff of
// the type that the device computes in.
//
// Probabilistic: rounding errors with random signs. Those of a sum of n terms are sqrt(n) u of its
// size, with high probability (N. Higham and T. Mary, A new approach to probabilistic rounding
// error analysis, SIAM J. Sci. Comput. 41, 2019).
//
// Worst case: gamma(n) = n u / (1 - n u) of the sum of the magnitudes, which no order of additions
// exceeds (N. Higham, Accuracy and Stability of Numerical Algorithms, 2002, section 3.1).
//
// `slack` multiplies both: how many times the rounding errors of its type's own arithmetic a
// kernel may have.
#pragma once

#include <cmath>
#include <limits>
#include <numbers>
#include <type_traits>

#include "problem/lapack_problem.hpp"

namespace duoblas {

/// u of real numbers of type R.
template <typename R>
inline constexpr double unit_roundoff = static_cast<double>(std::numeric_limits<R>::epsilon()) / 2;
/// The same of numbers of `parts` reals. A complex product's error is up to 2 sqrt(2) u of its
/// magnitude (Higham, lemma 3.5). The sizes that this multiplies are products of |real part| +
/// |imaginary part|, each of which is the magnitude at least, and sqrt(2) times that at most.
template <typename R>
constexpr double rounding_of(int parts) {
  return unit_roundoff<R> * (parts == 1 ? 1 : 2 * std::numbers::sqrt2);
}

/// An operation on numbers that are smaller may give zero.
template <typename R>
inline constexpr auto smallest_normal = static_cast<double>(std::numeric_limits<R>::min());

constexpr double gamma(double roundings, double unit) {
  return roundings * unit / (1 - roundings * unit);
}

/// Roundings of an element besides those of its terms: alpha, beta, and the products' own. In level
/// 3 also sums that are kept between a job's blocks, each of which rounds once more.
inline constexpr double other_roundings_of_product = 8, other_roundings_of_level3 = 64;

/// Of an element that is a sum of `terms` products of real numbers.
struct ElementRounding {
  ElementRounding(double terms, double other_roundings, double unit, double allowed_slack)
      : slack(allowed_slack),
        operations(terms + other_roundings),
        relative(allowed_slack * gamma(operations, unit)) {}

  double slack;
  double operations;  ///< each of which rounds
  double relative;    ///< of the error, against the sum of the magnitudes of the terms
  /// What numbers that are taken for zero add: in any case, for the terms' factors, and for their
  /// operands.
  double of_least = 0, per_factor = 0, per_operand = 0;
};
/// Operations in which a device may take a subnormal result or operand for zero.
inline double flushes_of(const ElementRounding& rounding, int parts) {
  return parts * (2 * rounding.operations + 4);
}

/// The likely error of the sum over a row, in units of u T_i / sqrt(n): docs/design/checks.md.
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

/// Of a routine of LAPACK. `probabilistic` times sqrt(depth + 1) u of a line's size is likely: 8
/// for each product with a vector that a line's difference comes from, since the mean is exceeded
/// now and then. (LU and Cholesky: L (U x); with Q: Q^H y and the line's own; solutions: L, U and
/// the result.) Elements may differ by `worst_case` (depth + 64) u: the theorems' k u
/// (theorems 9.3, 9.4, 10.3, 19.4, section 14.3), 8 times for each product with inverses of small
/// triangles, whose condition the theorems do not have; 64 is the order of these.
struct FactorBounds {
  double probabilistic, worst_case;
};
inline constexpr double order_of_inverses = 64;
constexpr FactorBounds bounds_of(LapackRoutine routine) {
  constexpr double per_product = 8, per_inverse = 8;
  if (solves(routine)) return {3 * per_product, 2 * per_inverse};
  return {(is_orthogonal(routine) ? 2 : 1) * per_product, per_inverse};
}

}  // namespace duoblas
