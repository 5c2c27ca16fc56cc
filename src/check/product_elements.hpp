// The elements of a product, one by one, in higher precision, and how far a result may be from
// them.
#pragma once

#include <complex>
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

  double relative;  ///< of an element's error, against the sum of the magnitudes of its terms
  /// Operations in which a device may take a subnormal result or operand for zero.
  double flushes;
};

/// The first element of this row whose error is larger than rounding can cause in any order of
/// additions. `c0`: C before the product; without data if beta == 0. \throws std::bad_alloc.
template <typename R>
std::optional<WrongElement> wrong_in_row(const GemmProblem& product, const StoredMatrix<R>& c0,
                                         const Rounding<R>& rounding, std::int64_t row);

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
