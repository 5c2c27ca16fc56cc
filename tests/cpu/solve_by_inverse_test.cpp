// Solves with few lines, as products with the inverse of the triangle.
#include <gtest/gtest.h>

#include <cmath>

#include "problem/caller_level3.hpp"
#include "support/element_types.hpp"
#include "support/level3_case.hpp"
#include "whole_cpu.hpp"

namespace duoblas::test {
namespace {

void solve(const CallerLevel3& call) {
  CpuConfig config;
  config.threads = 1;
  cpu().solve_by_inverse(to_row_major(call), config);
}

TEST(SolveByInverse, IsRightWithEveryFlag) {
  std::uint64_t seed = 1;
  for_all_types([&](auto zero) {
    using T = decltype(zero);
    for (const Side of : {Side::left, Side::right})
      for (const Uplo uplo : {Uplo::upper, Uplo::lower})
        for (const Op op : {Op::none, Op::transpose, Op::conj_transpose})
          for (const Diag diag : {Diag::non_unit, Diag::unit})
            for (const std::int64_t order : {1, 17, 64}) {
              Level3Factors f{Routine::trsm, Layout::row_major, of, uplo, op, diag, order, 23, 3};
              f.alpha = -0.7;
              f.seed = seed += 10;
              expect_right<T>(f, solve);
            }
  });
}

// 1 on the diagonal and -c elsewhere: of 0.1, 0.25 and 0.6 parts of 32, 16 and 8 lines are
// inverted.
TEST(SolveByInverse, IsByInversesOfPartsWithEveryFlag) {
  for (const Side of : {Side::left, Side::right})
    for (const Uplo uplo : {Uplo::upper, Uplo::lower})
      for (const Op op : {Op::none, Op::transpose})
        for (const double c : {0.1, 0.25, 0.6}) {
          constexpr std::int64_t order = 60, free = 7;
          Level3Factors f{
              Routine::trsm, Layout::row_major, of, uplo, op, Diag::unit, order, free, 3};
          f.alpha = -0.5;
          Level3Matrices<double> steep(f);
          for (std::int64_t i = 0; i < order; ++i)
            for (std::int64_t j = 0; j < order; ++j)
              if (is_stored(uplo, i, j) && i != j) steep.a.at(i, j) = -c;
          const auto b = steep.c;
          solve(steep.call(f));
          EXPECT_TRUE(steep.c.guards_untouched());
          const bool is_left = of == Side::left;
          const auto at = [&](const auto& x, std::int64_t line, std::int64_t side) {
            return is_left ? x.at(line, side) : x.at(side, line);
          };
          // Line i of op(A) from the left; column i of it from the right.
          const auto factor = [&](std::int64_t i, std::int64_t k) {
            const bool turns = is_left != (op == Op::none);
            return i == k ? 1 : !is_stored(uplo, turns ? k : i, turns ? i : k) ? 0 : -c;
          };
          for (std::int64_t i = 0; i < order; ++i)
            for (std::int64_t side = 0; side < free; ++side) {
              double sum = -f.alpha * at(b, i, side), sizes = 0;
              for (std::int64_t k = 0; k < order; ++k) {
                sum += factor(i, k) * at(steep.c, k, side);
                sizes += std::abs(factor(i, k) * at(steep.c, k, side));
              }
              ASSERT_LE(std::abs(sum), 64 * 0x1p-52 * sizes) << text(f) << " c=" << c;
            }
        }
}

// By an inverse that is infinite, lines before it would become NaN.
TEST(SolveByInverse, IsByTheBlasItselfWhereTheTriangleHasAZeroOnItsDiagonal) {
  constexpr std::int64_t order = 32, free = 5, zero_at = 20;
  Level3Factors f{Routine::trsm, Layout::row_major, Side::left, Uplo::lower};
  f.order = order;
  f.free = free;
  Level3Matrices<double> singular(f), whole(f);
  singular.a.at(zero_at, zero_at) = 0;
  solve(singular.call(f));
  solve(whole.call(f));
  for (std::int64_t i = 0; i < order; ++i)
    for (std::int64_t j = 0; j < free; ++j)
      if (i < zero_at) {
        EXPECT_NEAR(singular.c.at(i, j), whole.c.at(i, j), 1e-13) << i;
      } else {
        EXPECT_FALSE(std::isfinite(singular.c.at(i, j))) << i;
      }
}

// 1 on its diagonal and -1 below it: products with the inverse lose nearly all digits.
TEST(SolveByInverse, IsByTheBlasItselfWhereTheTriangleIsIllConditioned) {
  constexpr std::int64_t order = 50, free = 3;
  Level3Factors f{Routine::trsm, Layout::row_major, Side::left, Uplo::lower};
  f.order = order;
  f.free = free;
  Level3Matrices<double> steep(f);
  for (std::int64_t i = 0; i < order; ++i)
    for (std::int64_t j = 0; j <= i; ++j) steep.a.at(i, j) = i == j ? 1 : -1;
  const auto solution = [](std::int64_t i, std::int64_t j) {
    return static_cast<double>((i * 7 + j) % 5 - 2);
  };
  for (std::int64_t i = 0; i < order; ++i)
    for (std::int64_t j = 0; j < free; ++j) {
      double& side = steep.c.at(i, j) = solution(i, j);
      for (std::int64_t k = 0; k < i; ++k) side -= solution(k, j);
    }
  solve(steep.call(f));
  for (std::int64_t i = 0; i < order; ++i)
    for (std::int64_t j = 0; j < free; ++j) EXPECT_EQ(steep.c.at(i, j), solution(i, j)) << i;
}

}  // namespace
}  // namespace duoblas::test
