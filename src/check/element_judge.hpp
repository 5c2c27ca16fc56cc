// One element of a product in higher precision, and how far a result may be from it.
#pragma once

#include <cstdint>
#include <optional>

#include "check/product_check.hpp"
#include "check/stored_matrix.hpp"
#include "problem/gemm_problem.hpp"

namespace duoblas {

/// Bounds on rounding errors for real numbers of type R. docs/design/checks.md derives them.
template <typename R>
struct Rounding {
  explicit Rounding(const GemmProblem& product, double slack);

  double unit;      ///< the roundoff
  double relative;  ///< of an element's error, against the sum of the magnitudes of its terms
  /// Operations in which a device may take a subnormal result or operand for zero.
  double flushes;
  double smallest_normal;
};

/// Computes what an element of this product should be, and whether its value is within the bound.
/// `c0`: C before the product; without data if beta == 0.
template <typename R>
std::optional<WrongElement> judge_element(const GemmProblem& product, const StoredMatrix<R>& c0,
                                          const Rounding<R>& rounding, std::int64_t row,
                                          std::int64_t column);

}  // namespace duoblas
