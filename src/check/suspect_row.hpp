// Computes one row of a product again, in double precision, to judge its elements one by one.
#pragma once

#include <complex>
#include <cstdint>
#include <optional>

#include "check/element_judge.hpp"
#include "check/stored_matrix.hpp"
#include "problem/gemm_problem.hpp"

namespace duoblas {

/// The first element of this row whose error is larger than rounding can cause in any order of
/// additions. `c0`: C before the product, as for judge_element.
/// \throws std::bad_alloc.
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
