// The blocking arithmetic against plain loops: no device, no CPU BLAS.
#include "problem/halving.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "support/plain_level3.hpp"

namespace duoblas::test {
namespace {

// Halved until nothing is left to halve, or the free extent split where it is the larger one.
template <typename T>
void run_halved(const Level3Problem& p, std::int64_t leaf, bool split_free) {
  if (p.changes_nothing()) return;
  const auto run = [&](const Steps& steps) {
    for (const Step& step : steps) {
      if (const auto* product = std::get_if<GemmProblem>(&step))
        plain_gemm<T>(*product);
      else
        run_halved<T>(std::get<Level3Problem>(step), leaf, split_free);
    }
  };
  if (split_free && free_extent(p) > leaf) return run(split_free_extent(p, free_extent(p) / 2));
  if (order(p) > leaf) return run(halved(p, halfway(order(p))));
  plain_level3<T>(p);
}

template <typename T>
void expect_right_when_halved() {
  std::uint64_t seed = 1;
  for (const Routine routine : all_routines)
    for (const Layout layout : {Layout::row_major, Layout::column_major})
      for (const Side side : {Side::left, Side::right})
        for (const Uplo uplo : {Uplo::upper, Uplo::lower})
          for (const Op op : {Op::none, Op::transpose, Op::conj_transpose})
            for (const Diag diag : {Diag::non_unit, Diag::unit}) {
              Level3Factors f{routine, layout, side, uplo, op, diag, 13, 7, 2, 1, -0.7, 0.6};
              f.seed = ++seed;
              f.beta = seed % 3 == 0 ? 0 : 0.6;
              if (!exists<T>(f)) continue;
              expect_right<T>(f, [&](const CallerLevel3& call) {
                check(call);
                run_halved<T>(to_row_major(call), 2, seed % 2 == 0);
              });
            }
}

TEST(Halving, GivesEveryRoutineInSingleElementTypes) {
  expect_right_when_halved<double>();
}
TEST(Halving, GivesEveryRoutineOfComplexNumbers) {
  expect_right_when_halved<std::complex<double>>();
}

TEST(Halving, MakesOneOrTwoProductsOfTheShareThatIsPromised) {
  for (const Routine routine : all_routines) {
    Level3Problem p;
    p.routine = routine;
    p.m = p.n = 1000;
    p.k = 300;
    p.lda = p.ldb = p.ldc = 1000;
    for (const std::int64_t at : {1, 400, 500, 999}) {
      const Steps steps = halved(p, at);
      int products = 0;
      for (const Step& step : steps)
        if (const auto* product = std::get_if<GemmProblem>(&step)) {
          ++products;
          EXPECT_LE(flops(*product), largest_product_share(routine) * flops(p));
          EXPECT_EQ(flops(*product), 2.0 * static_cast<double>(at * (1000 - at) * free_extent(p)));
        }
      EXPECT_EQ(products, largest_product_share(routine) == 0.25 ? 2 : 1) << name(routine);
      EXPECT_EQ(static_cast<std::size_t>(products) + 2, steps.size());
    }
  }
}

TEST(Halving, IsNearTheMiddleAndAtMultiplesOfTheTiles) {
  for (std::int64_t order = 2; order < 5000; ++order) {
    const std::int64_t at = halfway(order);
    ASSERT_GT(at, 0);
    ASSERT_LT(at, order);
    ASSERT_LE(std::abs(2 * at - order), std::max<std::int64_t>(2, order / 4)) << order;
    if (order >= 1024) {
      ASSERT_EQ(at % 128, 0);
    }
  }
}

}  // namespace
}  // namespace duoblas::test
