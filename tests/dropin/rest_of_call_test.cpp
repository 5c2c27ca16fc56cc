// What is left of a gemm after its first rows were done is a gemm of the same kind.
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "problem/partition.hpp"
#include "problem/problem_of_call.hpp"

namespace duoblas {
namespace {

constexpr std::int64_t m = 7, n = 5, k = 3;

double element(const void* at, Op op, std::int64_t ld, std::int64_t row, std::int64_t column) {
  const auto* const matrix = static_cast<const double*>(at);
  return op == Op::none ? matrix[row * ld + column] : matrix[column * ld + row];
}

void multiply(const GemmProblem& p) {
  auto* const c = static_cast<double*>(p.c);
  for (std::int64_t i = 0; i < p.m; ++i)
    for (std::int64_t j = 0; j < p.n; ++j) {
      double sum = 0;
      for (std::int64_t l = 0; l < p.k; ++l)
        sum += element(p.a, p.op_a, p.lda, i, l) * element(p.b, p.op_b, p.ldb, l, j);
      c[i * p.ldc + j] = p.alpha.real() * sum + p.beta.real() * c[i * p.ldc + j];
    }
}

struct Case {
  int layout, op_a, op_b;
};

// Every stored matrix fits into 8 x 8; of halves and small numbers all sums are exact.
struct Call {
  std::vector<double> a = numbers(3), b = numbers(5), c = numbers(7);
  double alpha = 0.5, beta = -2;
  duoblas_blas_call call{};

  explicit Call(const Case& of) {
    call.routine = DUOBLAS_GEMM;
    call.precision = 'd';
    call.layout = of.layout;
    call.op_a = of.op_a;
    call.op_b = of.op_b;
    call.m = m;
    call.n = n;
    call.k = k;
    call.alpha = &alpha;
    call.a = a.data();
    call.b = b.data();
    call.beta = &beta;
    call.c = c.data();
    call.lda = call.ldb = call.ldc = 8;
  }

  static std::vector<double> numbers(std::size_t step) {
    std::vector<double> all(64);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<double>(i * step % 17);
    return all;
  }
};

TEST(RestOfACall, GivesTheCallTogetherWithItsFirstRows) {
  for (const int layout : {101, 102})
    for (const int op_a : {111, 112})
      for (const int op_b : {111, 112})
        for (const std::int64_t rows : {1, 3, 4}) {
          SCOPED_TRACE(std::to_string(layout) + " " + std::to_string(op_a) + " " +
                       std::to_string(op_b) + ", rows " + std::to_string(rows));
          Call whole({layout, op_a, op_b}), parts({layout, op_a, op_b});
          multiply(gemm_problem(whole.call));
          const auto [first, others] = partition(gemm_problem(parts.call), Axis::rows, rows);
          multiply(first);
          keep_rows(parts.call, others);
          EXPECT_EQ(parts.call.m * parts.call.n, others.m * others.n);
          multiply(gemm_problem(parts.call));
          EXPECT_EQ(parts.c, whole.c);
        }
}

}  // namespace
}  // namespace duoblas
