// Operands that lie where neighbours, both sides and other threads are at work, through both sides:
// right answers, and nothing written outside C.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "conformance/forced_context.hpp"
#include "support/case_names.hpp"

namespace duoblas::test {
namespace {

Context& context() {
  static auto* const once = new Context(forced_settings());
  return *once;
}

// A, B and C in one array, at elements of the test's choice; the rest of it are canaries.
struct OneArray {
  std::int64_t m = 0, n = 0, k = 0;
  std::size_t a = 0, b = 0, c = 0;
  std::int64_t lda = 0, ldb = 0, ldc = 0;
  Op op_b = Op::none;
};

void expect_right_in(std::vector<double>& array, const OneArray& at, double beta) {
  for (std::size_t i = 0; i < array.size(); ++i) array[i] = static_cast<double>(i % 89) / 64 - 0.5;
  const std::vector<double> before = array;
  context().gemm<double>(Layout::row_major, Op::none, at.op_b, at.m, at.n, at.k, 2.0,
                         array.data() + at.a, at.lda, array.data() + at.b, at.ldb, beta,
                         array.data() + at.c, at.ldc);
  std::vector<bool> in_c(array.size());
  for (std::int64_t i = 0; i < at.m; ++i)
    for (std::int64_t j = 0; j < at.n; ++j) {
      const auto place = at.c + static_cast<std::size_t>(i * at.ldc + j);
      in_c[place] = true;
      double sum = beta == 0 ? 0 : beta * before[place];
      for (std::int64_t s = 0; s < at.k; ++s) {
        const auto in_b = at.op_b == Op::none ? s * at.ldb + j : j * at.ldb + s;
        sum += 2 * before[at.a + static_cast<std::size_t>(i * at.lda + s)] *
               before[at.b + static_cast<std::size_t>(in_b)];
      }
      ASSERT_NEAR(array[place], sum, 1e-10) << i << ' ' << j;
    }
  for (std::size_t i = 0; i < array.size(); ++i)
    if (!in_c[i]) {
      ASSERT_EQ(array[i], before[i]) << "element " << i << " is not of C";
    }
}

struct SharedPages : testing::TestWithParam<double> {
  std::vector<double> array = std::vector<double>(7000);
};
INSTANTIATE_TEST_SUITE_P(Betas, SharedPages, testing::Values(0.0, -0.75), named_by_beta);

TEST_P(SharedPages, HoldAllThreeOperandsOfASmallProduct) {
  expect_right_in(array, {10, 8, 6, 3, 70, 130, 6, 8, 9}, GetParam());
}

TEST_P(SharedPages, HoldColumnsOfOneMatrixThatAreReadAndWritten) {
  // A, B and C are columns of one matrix of 60 rows with 90 columns.
  expect_right_in(array, {60, 30, 28, 0, 28, 60, 90, 90, 90}, GetParam());
}

TEST_P(SharedPages, HoldAnOperandBetweenTheRowsThatTheCpuWrites) {
  // B lies beside C's last rows, which are the CPU's.
  expect_right_in(array, {60, 30, 20, 5400, 40 * 90 + 40, 0, 20, 90, 90}, GetParam());
}

TEST_P(SharedPages, HoldAMatrixAndItsTranspose) {
  expect_right_in(array, {40, 40, 30, 7, 7, 2000, 33, 33, 45, Op::transpose}, GetParam());
}

TEST_P(SharedPages, HoldOperandsThatOverlap) {
  expect_right_in(array, {40, 33, 33, 7, 7 + 5 * 33, 2000, 33, 33, 45}, GetParam());
}

TEST_P(SharedPages, ServeThreadsThatReadTheSameB) {
  constexpr std::int64_t n = 64;
  std::vector<double> a(n * n, 0.5), b(n * n, 2);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&] {
      for (int round = 0; round < 10; ++round) {
        std::vector<double> c(n * n + 2, 3);
        context().gemm<double>(Layout::row_major, Op::none, Op::none, n, n, n, 1.0, a.data(), n,
                               b.data(), n, GetParam(), c.data() + 1, n);
        std::vector<double> expected(n * n + 2, n + 3 * GetParam());
        expected.front() = expected.back() = 3;
        EXPECT_EQ(c, expected);
      }
    });
  for (std::thread& thread : threads) thread.join();
}

TEST_P(SharedPages, MayBeFreedAndUsedForOtherOperands) {
  constexpr std::int64_t n = 96;
  for (int round = 1; round < 20; ++round) {
    std::vector<double> a(n * n, round), b(n * n, 1), c(n * n, 1);
    context().gemm<double>(Layout::row_major, Op::none, Op::none, n, n, n, 1.0, a.data(), n,
                           b.data(), n, GetParam(), c.data(), n);
    EXPECT_EQ(c, std::vector<double>(n * n, n * round + GetParam()));
  }
}

TEST_P(SharedPages, MayBeReadOnly) {
  constexpr std::int64_t n = 64;
  constexpr std::size_t bytes = 2 * n * n * sizeof(double);
  void* mapped = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(mapped, MAP_FAILED);
  auto* values = static_cast<double*>(mapped);
  std::fill_n(values, 2 * n * n, 0.5);
  ASSERT_EQ(::mprotect(mapped, bytes, PROT_READ), 0);
  for (const Op op_a : {Op::none, Op::transpose}) {
    std::vector<double> c(n * n, 4);
    context().gemm<double>(Layout::row_major, op_a, Op::none, n, n, n, 1.0, values, n,
                           values + n * n, n, GetParam(), c.data(), n);
    EXPECT_EQ(c, std::vector<double>(n * n, n * 0.25 + 4 * GetParam()));
  }
  ::munmap(mapped, bytes);
}

}  // namespace
}  // namespace duoblas::test
