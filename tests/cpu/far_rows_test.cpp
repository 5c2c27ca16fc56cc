// Products into a C of few numbers that takes up to 600 GB of addresses.
#include <gtest/gtest.h>

#include <complex>
#include <cstdint>
#include <vector>

#include "cpu/cpu_side.hpp"
#include "row_major_front.hpp"
#include "support/far_rows.hpp"
#include "support/test_matrix.hpp"
#include "whole_cpu.hpp"

namespace duoblas {
namespace {

using test::cpu;
using test::FarRows;
using test::for_each_type;

// Both results have the same roundings up to the order of the sum.
template <typename T>
void expect_as_near(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t ld, Op op_a,
                    double beta) {
  SCOPED_TRACE(testing::Message() << m << " x " << n << " x " << k << ", rows " << ld << " apart");
  FarRows<T> far(m, n, ld);
  ASSERT_TRUE(far.is_there()) << "not so many addresses";
  const bool turned = op_a != Op::none;
  test::TestMatrix<T> a(turned ? k : m, turned ? m : k), b(k, n), near(m, n);
  a.randomise(1);
  b.randomise(2);
  near.randomise(3);
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < n; ++j) far.data()[i * ld + j] = near.at(i, j);
  GemmProblem p;
  p.precision = precision_of<T>;
  p.op_a = op_a;
  p.m = m;
  p.n = n;
  p.k = k;
  p.a = a.data();
  p.lda = a.ld();
  p.b = b.data();
  p.ldb = b.ld();
  p.alpha = 0.75;
  p.beta = beta;
  p.c = near.data();
  p.ldc = near.ld();
  cpu().run(p, cpu().all_cores(""));
  p.c = far.data();
  p.ldc = ld;
  cpu().run(p, cpu().all_cores(""));
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < n; ++j)
      ASSERT_LT(std::abs(far.data()[i * ld + j] - near.at(i, j)), 1e-4) << i << ", " << j;
}

// OpenBLAS 0.3.21 as SkylakeX stores to wrong places from 2^31 / 15 floats on.
TEST(FarRows, AreWrittenWhereTheyAre) {
  for_each_type([]<typename T>() {
    for (const std::int64_t ld : {(std::int64_t{1} << 27) + 1, std::int64_t{150'000'000},
                                  std::int64_t{1} << 29, (std::int64_t{1} << 31) - 1})
      for (const Op op_a : {Op::none, Op::transpose})
        for (const double beta : {0.0, -0.5}) {
          expect_as_near<T>(18, 37, 33, ld, op_a, beta);
          expect_as_near<T>(3, 130, 5, ld, op_a, beta);
        }
  });
}

TEST(FarRows, MayBeMoreThanABlock) {
  expect_as_near<float>(70, 70, 50, (std::int64_t{1} << 27) + 1, Op::none, -0.5);
}

}  // namespace
}  // namespace duoblas
