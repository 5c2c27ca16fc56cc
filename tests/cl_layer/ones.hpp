// Products whose every result is known without computing it.
#pragma once

#include <vector>

#include "problem/gemm_problem.hpp"

namespace duoblas::test {

/// A and B are ones, and C was 2: every result is k + 2 beta.
struct Ones {
  Ones(std::int64_t rows, std::int64_t columns, std::int64_t steps, float factor)
      : m(rows),
        n(columns),
        k(steps),
        beta(factor),
        a(static_cast<std::size_t>(m * k), 1),
        b(static_cast<std::size_t>(k * n), 1),
        c(static_cast<std::size_t>(m * n), 2) {}

  const std::int64_t m, n, k;
  const float beta;
  std::vector<float> a, b, c;

  GemmProblem problem() {
    return {.precision = Precision::s,
            .m = m,
            .n = n,
            .k = k,
            .alpha = 1,
            .a = a.data(),
            .lda = k,
            .b = b.data(),
            .ldb = n,
            .beta = beta,
            .c = c.data(),
            .ldc = n};
  }
  bool is_right() const {
    return c == std::vector<float>(c.size(), static_cast<float>(k) + 2 * beta);
  }
  /// Whether C is right once what a job left is computed from what C holds there.
  bool is_right_with(const std::vector<GemmProblem>& rest) {
    for (const GemmProblem& part : rest)
      for (std::int64_t row = 0; row < part.m; ++row)
        for (std::int64_t column = 0; column < part.n; ++column) {
          float& value = static_cast<float*>(part.c)[row * part.ldc + column];
          value = static_cast<float>(part.k) + (beta == 0 ? 0 : beta * value);
        }
    return is_right();
  }
};

}  // namespace duoblas::test
