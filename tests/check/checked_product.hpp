// A product computed in its own type, of which a test then spoils what it likes.
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include "check/plain_threads.hpp"
#include "check/product_check.hpp"
#include "problem/gemm_problem.hpp"
#include "support/test_matrix.hpp"

namespace duoblas::test {

/// op(A) op(B) with a few elements between rows, row-major.
template <typename T>
struct CheckedProduct {
  static constexpr std::int64_t pad = 3;

  CheckedProduct(std::int64_t m, std::int64_t n, std::int64_t k, Op op_a = Op::none,
                 Op op_b = Op::none, std::complex<double> alpha = 1, std::complex<double> beta = 0,
                 std::uint64_t seed = 1)
      : engine(seed) {
    problem.precision = precision_of<T>;
    problem.op_a = op_a;
    problem.op_b = op_b;
    problem.m = m;
    problem.n = n;
    problem.k = k;
    problem.alpha = alpha;
    problem.beta = beta;
    problem.lda = stored_cols_a(problem) + pad;
    problem.ldb = stored_cols_b(problem) + pad;
    problem.ldc = n + pad;
    a = numbers(stored_rows_a(problem) * problem.lda);
    b = numbers(stored_rows_b(problem) * problem.ldb);
    c = numbers(m * problem.ldc);
    bind();
  }
  CheckedProduct(const CheckedProduct&) = delete;

  std::vector<T> numbers(std::int64_t count) {
    std::vector<T> all(static_cast<std::size_t>(count));
    for (T& value : all) value = random_value<T>(engine);
    return all;
  }

  void bind() {
    problem.a = a.data();
    problem.b = b.data();
    problem.c = c.data();
  }

  T& at_a(std::int64_t i, std::int64_t p) {
    return a[static_cast<std::size_t>(problem.op_a == Op::none ? i * problem.lda + p
                                                               : p * problem.lda + i)];
  }
  T& at_b(std::int64_t p, std::int64_t j) {
    return b[static_cast<std::size_t>(problem.op_b == Op::none ? p * problem.ldb + j
                                                               : j * problem.ldb + p)];
  }
  T& at_c(std::int64_t i, std::int64_t j) {
    return c[static_cast<std::size_t>(i * problem.ldc + j)];
  }

  static T turned(T value, Op op) {
    if constexpr (is_complex_type<T>) {
      if (op == Op::conj_transpose) return std::conj(value);
    }
    return value;
  }
  static T factor(std::complex<double> value) {
    if constexpr (is_complex_type<T>)
      return T(static_cast<Real<T>>(value.real()), static_cast<Real<T>>(value.imag()));
    else
      return static_cast<T>(value.real());
  }

  /// As a device would: each element a sum in the type itself.
  void multiply() {
    for (std::int64_t i = 0; i < problem.m; ++i)
      for (std::int64_t j = 0; j < problem.n; ++j) {
        T sum(0);
        for (std::int64_t p = 0; p < problem.k; ++p)
          sum += turned(at_a(i, p), problem.op_a) * turned(at_b(p, j), problem.op_b);
        T value = factor(problem.alpha) * sum;
        if (!problem.overwrites_c()) value += factor(problem.beta) * at_c(i, j);
        at_c(i, j) = value;
      }
  }

  /// The error that an element may have by the bound of its terms' magnitudes. Before multiply().
  double bound(std::int64_t i, std::int64_t j) {
    double magnitude = 0;
    for (std::int64_t p = 0; p < problem.k; ++p)
      magnitude +=
          std::abs(std::complex<double>(at_a(i, p))) * std::abs(std::complex<double>(at_b(p, j)));
    const double unit = std::numeric_limits<Real<T>>::epsilon() / 2;
    const double kept = std::abs(problem.beta) * std::abs(std::complex<double>(at_c(i, j)));
    return static_cast<double>(problem.k + 8) * unit * (std::abs(problem.alpha) * magnitude + kept);
  }

  /// Checks what multiply() computed and `spoil` did to it.
  CheckVerdict check(
      const std::function<void()>& spoil = [] {}, std::uint64_t seed = 7) {
    ProductCheck check(problem, seed, 1, OldC::saved, threads_of(draws++));
    multiply();
    spoil();
    check.predict();
    return check.compare();
  }

  static inline std::uint64_t draws = 0;  ///< checks so far: every second one has threads

  GemmProblem problem;
  std::mt19937_64 engine;
  std::vector<T> a, b, c;
};

}  // namespace duoblas::test
