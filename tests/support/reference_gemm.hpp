// The product in higher precision, and how far a result may be from it.
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include <duoblas/types.hpp>

#include "support/test_matrix.hpp"
#include "support/two_doubles.hpp"

namespace duoblas::test {

/// float is accumulated in double, double in long double (64-bit mantissa on x86).
template <typename T>
using Wide = std::conditional_t<
    is_complex_type<T>,
    std::complex<std::conditional_t<std::is_same_v<Real<T>, float>, double, long double>>,
    std::conditional_t<std::is_same_v<Real<T>, float>, double, long double>>;

template <typename T>
Wide<T> widen(const T& value) {
  return Wide<T>(value);
}

/// Dense row-major op(X), `rows` x `cols`, of a matrix stored in `layout` with leading dimension
/// ld.
template <typename T>
std::vector<Wide<T>> dense_op(const T* x, std::int64_t ld, Layout layout, Op op, std::int64_t rows,
                              std::int64_t cols) {
  std::vector<Wide<T>> dense(static_cast<std::size_t>(rows * cols));
  const bool by_rows = (layout == Layout::row_major) == (op == Op::none);
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < cols; ++j) {
      Wide<T> value = widen(by_rows ? x[i * ld + j] : x[j * ld + i]);
      if constexpr (is_complex_type<T>) {
        if (op == Op::conj_transpose) value = std::conj(value);
      }
      dense[static_cast<std::size_t>(i * cols + j)] = value;
    }
  }
  return dense;
}

/// One ?gemm call with everything that it reads, C before the call included.
template <typename T>
struct Call {
  Layout layout = Layout::row_major;
  Op op_a = Op::none, op_b = Op::none;
  std::int64_t m = 0, n = 0, k = 0;
  T alpha = T(1);
  const T* a = nullptr;
  std::int64_t lda = 0;
  const T* b = nullptr;
  std::int64_t ldb = 0;
  T beta = T(0);
};

/// c += a b, row-major, of m x k and k x n elements, each the value of a T.
template <typename T>
void add_product(const std::vector<Wide<T>>& a, const std::vector<Wide<T>>& b, std::size_t m,
                 std::size_t n, std::size_t k, std::vector<Wide<T>>& c) {
  if constexpr (sums_in_two_doubles<T>) return add_product_in_two_doubles<T>(a, b, m, n, k, c);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t p = 0; p < k; ++p) {
      const Wide<T> scaled = a[i * k + p];
      for (std::size_t j = 0; j < n; ++j) c[i * n + j] += scaled * b[p * n + j];
    }
  }
}

/// Dense row-major alpha op(A) op(B) + beta C0; C0 is not read where beta == 0.
template <typename T>
std::vector<Wide<T>> reference(const Call<T>& call, const std::vector<Wide<T>>& c0) {
  const auto m = static_cast<std::size_t>(call.m);
  const auto n = static_cast<std::size_t>(call.n);
  const auto k = static_cast<std::size_t>(call.k);
  std::vector<Wide<T>> c(m * n, Wide<T>(0));
  if (call.alpha != T(0) && k > 0) {
    const auto a = dense_op(call.a, call.lda, call.layout, call.op_a, call.m, call.k);
    const auto b = dense_op(call.b, call.ldb, call.layout, call.op_b, call.k, call.n);
    add_product<T>(a, b, m, n, k, c);
    for (auto& value : c) value *= widen(call.alpha);
  }
  if (call.beta != T(0)) {
    for (std::size_t at = 0; at < c.size(); ++at) c[at] += widen(call.beta) * c0[at];
  }
  return c;
}

template <typename W>
long double frobenius(const std::vector<W>& values) {
  long double sum = 0;
  for (const auto& value : values) sum += static_cast<long double>(std::norm(value));
  return std::sqrt(sum);
}

/// ||C - reference|| / (sqrt(k + 2) |alpha| ||A|| ||B|| + 2 |beta| ||C0||) in units of roundoff,
/// Frobenius norms: right where below 1 (below 2 sqrt(2) for complex types, returned divided by
/// that). The bound is that of BLAS++'s check_gemm, after Higham, Accuracy and Stability of
/// Numerical Algorithms, section 3.5. Infinity where a value is not finite.
template <typename T>
double scaled_error(const Call<T>& call, const std::vector<Wide<T>>& c0,
                    const std::vector<Wide<T>>& result) {
  const auto expected = reference(call, c0);
  std::vector<Wide<T>> difference(expected.size());
  for (std::size_t at = 0; at < expected.size(); ++at) difference[at] = result[at] - expected[at];
  const long double error = frobenius(difference);
  if (!std::isfinite(error)) return std::numeric_limits<double>::infinity();
  long double allowed = 0;
  if (call.alpha != T(0) && call.k > 0) {
    const auto a = dense_op(call.a, call.lda, call.layout, call.op_a, call.m, call.k);
    const auto b = dense_op(call.b, call.ldb, call.layout, call.op_b, call.k, call.n);
    allowed += std::sqrt(static_cast<long double>(call.k) + 2) *
               static_cast<long double>(std::abs(call.alpha)) * frobenius(a) * frobenius(b);
  }
  if (call.beta != T(0)) {
    allowed += 2 * static_cast<long double>(std::abs(call.beta)) * frobenius(c0);
  }
  if (error == 0) return 0;
  const long double unit = std::numeric_limits<Real<T>>::epsilon() / 2;
  const long double factor = is_complex_type<T> ? 2 * std::sqrt(2.0L) : 1.0L;
  return static_cast<double>(error / (allowed * unit * factor));
}

}  // namespace duoblas::test
