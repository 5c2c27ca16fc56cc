// The caller's arguments of gemv, in the caller's storage order: checked, then made row-major.
#pragma once

#include <complex>
#include <cstdint>

#include <duoblas/types.hpp>

#include "problem/gemv_problem.hpp"

namespace duoblas {

/// The arguments of a ?gemv call as given: A is m x n, op(A) x has m or n elements.
struct CallerGemv {
  Layout layout = Layout::row_major;
  Op op = Op::none;
  Precision precision = Precision::s;
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::complex<double> alpha = 1.0;
  const void* a = nullptr;
  std::int64_t lda = 0;
  const void* x = nullptr;
  std::int64_t incx = 1;
  std::complex<double> beta = 0.0;
  void* y = nullptr;
  std::int64_t incy = 1;
};

/// Checks the arguments as the reference BLAS does. \throws ArgumentError with the position in
/// duoblas_?gemv (layout 1, op 2, m 3, n 4, alpha 5, a 6, lda 7, x 8, incx 9, beta 10, y 11, incy
/// 12). Nothing has been read or written then.
void check(const CallerGemv& call);

/// The same product, row-major: a column-major matrix is the transpose in the same memory.
GemvProblem to_row_major(const CallerGemv& call);

}  // namespace duoblas
