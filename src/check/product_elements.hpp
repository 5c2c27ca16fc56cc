// The elements of a product, one by one, in higher precision, and how far a result may be from
// them.
#pragma once

#include <complex>
#include <cstdint>
#include <optional>

#include "check/check_bounds.hpp"
#include "check/product_check.hpp"
#include "check/stored_matrix.hpp"
#include "problem/gemm_problem.hpp"

namespace duoblas {

/// k terms, four products and sums for each of a complex one, and what alpha and beta add.
template <typename R>
ElementRounding product_rounding(const GemmProblem& product, double slack) {
  const double parts = is_complex(product.precision) ? 2 : 1;
  return {static_cast<double>(product.k) * parts, other_roundings_of_product, unit_roundoff<R>,
          slack};
}
/// Operations in which a device may take a subnormal result or operand for zero.
inline double flushes_of(const ElementRounding& rounding, int parts) {
  return parts * (2 * rounding.operations + 4);
}

/// The first element of this row whose error is larger than rounding can cause in any order of
/// additions. `c0`: C before the product; without data if beta == 0. \throws std::bad_alloc.
template <typename R>
std::optional<WrongElement> wrong_in_row(const GemmProblem& product, const StoredMatrix<R>& c0,
                                         const ElementRounding& rounding, std::int64_t row);

/// Multiplies an element, real (one part) or complex (two parts), by `factor` in place.
inline void multiply_by(std::complex<double> factor, int parts, double* value) {
  if (parts == 1) {
    *value *= factor.real();
    return;
  }
  const double real = value[0], imaginary = value[1];
  value[0] = factor.real() * real - factor.imag() * imaginary;
  value[1] = factor.real() * imaginary + factor.imag() * real;
}

/// The operands as they lie in memory.
template <typename R>
StoredMatrix<R> stored_a(const GemmProblem& p) {
  return {static_cast<const R*>(p.a),
          stored_rows_a(p),
          stored_cols_a(p),
          p.lda,
          is_complex(p.precision) ? 2 : 1,
          p.op_a == Op::conj_transpose};
}
template <typename R>
StoredMatrix<R> stored_b(const GemmProblem& p) {
  return {static_cast<const R*>(p.b),
          stored_rows_b(p),
          stored_cols_b(p),
          p.ldb,
          is_complex(p.precision) ? 2 : 1,
          p.op_b == Op::conj_transpose};
}
template <typename R>
StoredMatrix<R> stored_c(const GemmProblem& p) {
  return {static_cast<const R*>(p.c), p.m, p.n, p.ldc, is_complex(p.precision) ? 2 : 1, false};
}

}  // namespace duoblas
