// The order of a product's blocks: each once, opened and closed with the right beta.
#include "gpu/product/block_walk.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace duoblas {
namespace {

constexpr std::int64_t m = 11, n = 7, k = 10;

GemmProblem problem(std::vector<float>& a, std::vector<float>& b, std::vector<float>& c) {
  a.resize(m * k);
  b.resize(k * n);
  c.resize(m * n);
  return {.precision = Precision::s,
          .m = m,
          .n = n,
          .k = k,
          .a = a.data(),
          .lda = k,
          .b = b.data(),
          .ldb = n,
          .beta = 3,
          .c = c.data(),
          .ldc = n};
}

struct BlockWalkTest : testing::TestWithParam<Axis> {
  std::vector<float> a, b, c;
  const GemmProblem whole = problem(a, b, c);
  const BlockWalk walk{whole, {4, 3, 4, GetParam()}};  // 3 x 3 blocks of 3 slices
};

INSTANTIATE_TEST_SUITE_P(Axes, BlockWalkTest, testing::Values(Axis::rows, Axis::columns),
                         [](const auto& axis) {
                           return axis.param == Axis::rows ? "rows" : "columns";
                         });

TEST_P(BlockWalkTest, MultipliesEachPairOfElementsOnce) {
  std::vector<int> seen(m * n * k);
  ASSERT_EQ(walk.steps(), 27);
  for (std::int64_t number = 0; number < walk.steps(); ++number) {
    const GemmProblem p = walk.product(walk.step(number));
    const auto at_a = static_cast<const float*>(p.a) - a.data();
    const auto at_b = static_cast<const float*>(p.b) - b.data();
    const auto at_c = static_cast<float*>(p.c) - c.data();
    EXPECT_EQ(at_a / k, at_c / n) << "the same rows";
    EXPECT_EQ(at_b % n, at_c % n) << "the same columns";
    EXPECT_EQ(at_a % k, at_b / n) << "the same steps";
    for (std::int64_t i = 0; i < p.m; ++i)
      for (std::int64_t j = 0; j < p.n; ++j)
        for (std::int64_t s = 0; s < p.k; ++s)
          ++seen[static_cast<std::size_t>(((at_c / n + i) * n + at_c % n + j) * k + at_b / n + s)];
  }
  EXPECT_EQ(seen, std::vector<int>(m * n * k, 1));
}

TEST_P(BlockWalkTest, OpensABlockWithTheCallersBetaAndAddsToItUntilItIsClosed) {
  for (std::int64_t number = 0; number < walk.steps(); ++number) {
    const BlockStep step = walk.step(number);
    EXPECT_EQ(step.c, number / 3);
    EXPECT_EQ(step.opens_c, number % 3 == 0);
    EXPECT_EQ(step.closes_c, number % 3 == 2);
    EXPECT_EQ(walk.product(step).beta, step.opens_c ? 3.0 : 1.0);
  }
}

TEST_P(BlockWalkTest, HasABlockInCommonWithTheStepBefore) {
  for (std::int64_t number = 1; number < walk.steps(); ++number) {
    const BlockStep before = walk.step(number - 1), now = walk.step(number);
    EXPECT_TRUE(now.c == before.c || now.a == before.a || now.b == before.b) << number;
  }
}

TEST_P(BlockWalkTest, KnowsTheRestOfABlockByItsRows) {
  const BlockStep last = walk.first_step_of(8);
  const GemmProblem rest = walk.rest_of(last, 1);
  const GemmProblem block = walk.product(last);
  EXPECT_EQ(rest.m, block.m - 1);
  EXPECT_EQ(rest.n, block.n);
  EXPECT_EQ(rest.k, k);
  EXPECT_EQ(rest.beta, 3.0);
  EXPECT_EQ(static_cast<float*>(rest.c) - static_cast<float*>(block.c), n);
}

}  // namespace
}  // namespace duoblas
