// C = alpha op(A) op(B) + beta C, row-major: the one form into which every caller is converted.
#pragma once

#include <complex>
#include <cstdint>

#include <duoblas/types.hpp>

#include "problem/precision.hpp"

namespace duoblas {

/// A row-major product. op(A) is m x k, op(B) is k x n, C is m x n. A is stored as m x k, or as k x
/// m if op_a transposes, with rows `lda` elements apart; B likewise (k x n or n x k, `ldb`).
/// Scalars are complex<double>, which holds the scalars of all element types exactly. The memory is
/// the caller's and stays valid until the call returns. C overlaps neither A nor B.
struct GemmProblem {
  Precision precision = Precision::s;
  Op op_a = Op::none;
  Op op_b = Op::none;
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  std::complex<double> alpha = 1.0;
  const void* a = nullptr;
  std::int64_t lda = 0;
  const void* b = nullptr;
  std::int64_t ldb = 0;
  std::complex<double> beta = 0.0;
  void* c = nullptr;
  std::int64_t ldc = 0;

  /// beta == 0: C is written and never read.
  bool overwrites_c() const { return beta == std::complex<double>(0.0); }
  /// The product contributes nothing: only C = beta C remains.
  bool only_scales_c() const { return k == 0 || alpha == std::complex<double>(0.0); }
  bool empty() const { return m == 0 || n == 0; }
};

/// Rows and columns of A and B as they lie in memory (before op).
constexpr std::int64_t stored_rows_a(const GemmProblem& p) {
  return p.op_a == Op::none ? p.m : p.k;
}
constexpr std::int64_t stored_cols_a(const GemmProblem& p) {
  return p.op_a == Op::none ? p.k : p.m;
}
constexpr std::int64_t stored_rows_b(const GemmProblem& p) {
  return p.op_b == Op::none ? p.k : p.n;
}
constexpr std::int64_t stored_cols_b(const GemmProblem& p) {
  return p.op_b == Op::none ? p.n : p.k;
}

/// Bytes from the first to past the last element of a rows x cols matrix with leading dimension
/// ld (elements); 0 where it has no element.
constexpr std::int64_t footprint(Precision precision, std::int64_t rows, std::int64_t cols,
                                 std::int64_t ld) {
  if (rows == 0 || cols == 0) return 0;
  return ((rows - 1) * ld + cols) * static_cast<std::int64_t>(element_size(precision));
}

/// Floating-point operations of the product: 2 m n k, four times that for complex types.
constexpr double flops(const GemmProblem& p) {
  const double multiply_adds =
      static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k);
  return (is_complex(p.precision) ? 8.0 : 2.0) * multiply_adds;
}

}  // namespace duoblas
