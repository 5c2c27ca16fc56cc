// Products of doubles by integers, whole, on the GPU's side: within gemm's bound element by
// element, or nothing of C is changed.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <utility>

#include "integer_products.hpp"

namespace duoblas {
namespace {

using Case = test::IntegerCase<double>;
using Operands = test::IntegerOperands<double>;
using test::Spread;

class IntegerProduct : public test::IntegerProducts<double> {};

TEST_F(IntegerProduct, IsRightForAllOpsSizesAndScalars) {
  const Op ops[] = {Op::none, Op::transpose};
  for (const Op op_a : ops)
    for (const Op op_b : ops)
      for (const auto& [m, n, k] : {std::array{1, 1, 1}, {1, 70, 5}, {33, 31, 32}, {65, 40, 100}})
        for (const auto& [alpha, beta] : {std::pair(1.0, 0.0), {-0.3, 1.0}, {1e-3, -1.7}})
          EXPECT_TRUE(is_done({m, n, k, op_a, op_b, alpha, beta, {}, false, false}));
}

TEST_F(IntegerProduct, IsRightWhateverTheSpread) {
  int done = 0, all = 0;
  for (const auto of : {Spread::Of::rows, Spread::Of::columns, Spread::Of::elements})
    for (const int by : {0, 2, 10, 50, 300})
      for (const int k : {1, 7, 64, 300}) {
        const bool is = is_done({40, 35, k, Op::none, Op::none, 1, 0.5, {of, by}, k == 7, k == 64});
        done += is;
        ++all;
        // Scales take up what all of a line have in common.
        const bool by_lines = of != Spread::Of::elements && k != 7;
        EXPECT_TRUE(is || by > (by_lines ? 10 : 2)) << by << ' ' << k;
      }
  std::printf("%d of %d products were certified\n", done, all);
}

TEST_F(IntegerProduct, IsCertifiedWhereARowAndAColumnAreZero) {
  for (const int k : {64, 256})
    EXPECT_TRUE(is_done(
        {12, 12, k, Op::none, Op::none, 1, 1, {Spread::Of::columns, 10}, false, false, true}));
}

TEST_F(IntegerProduct, IsRightForDeepSums) {
  for (const std::int64_t k : {1024, 4097, 16384}) {
    EXPECT_TRUE(is_done({5, 3, k, Op::none, Op::transpose, 1, 0, {}, false, false}));
    EXPECT_TRUE(
        is_done({3, 5, k, Op::none, Op::transpose, 1, 1, {Spread::Of::elements, 2}, false, true}));
  }
}

// A driver may end the kernels' loops early (DeviceLimits::loop_turns): one piece as deep as its
// loops allow, and one more of a few terms.
TEST_F(IntegerProduct, IsRightForDeepSumsOfTheDeepestPiece) {
  GemmProblem p;
  p.m = p.n = 2;
  p.k = std::int64_t{1} << 20;
  const std::int64_t deepest = integer_blocks(p, side().limits()).k;
  EXPECT_GE(deepest, 40'000);
  for (const std::int64_t k : {deepest - 3, deepest + 5})
    EXPECT_TRUE(is_done({2, 2, k, Op::none, Op::transpose, 1, 1}));
}

TEST_F(IntegerProduct, TakesBlocksWhereMemoryIsShort) {
  constexpr std::size_t bytes = 3 << 18;  // 492,000 are copies of the matrices
  GpuSide small(test::first_device(), {}, false, bytes);
  GemmProblem p;
  p.m = 150;
  p.n = 90;
  p.k = 200;
  const IntegerBlocks blocks = integer_blocks(p, small.limits());
  EXPECT_TRUE(blocks.m < p.m || blocks.n < p.n || blocks.planes < integer_moduli);
  EXPECT_LE(integer_bytes(blocks, p.k).sum(), bytes);
  EXPECT_TRUE(is_done({150, 90, 200, Op::none, Op::none, 1, 1, {}, false, false}, small));
}

// Each is certified by itself, and added to C in the device's memory.
TEST_F(IntegerProduct, TakesDeepSumsInPieces) {
  DeviceLimits limits;
  GemmProblem p;
  p.m = p.n = 3;
  p.k = (1 << 17) + 5;
  EXPECT_EQ(integer_blocks(p, limits).k, 1 << 17);
  limits.loop_turns = 53'000;
  EXPECT_EQ(integer_blocks(p, limits).k, 47'104);
  // A tile of 32 x 32 takes more at this depth, even where A and B are not copied.
  constexpr std::size_t bytes = 280 << 10;
  GpuSide small(test::first_device(), {}, false, bytes);
  p.m = p.n = 2;
  p.k = 4096;
  EXPECT_LT(integer_blocks(p, small.limits()).k, p.k);
  for (const double beta : {0.0, -0.3})
    EXPECT_TRUE(is_done({2, 2, 4096, Op::none, Op::transpose, 0.7, beta, {}, false, false}, small));
  EXPECT_TRUE(is_done(
      {2, 2, 4096, Op::transpose, Op::none, 1, 1, {Spread::Of::columns, 10}, false, false}, small));
  // A piece that is not certified ends all of them.
  EXPECT_FALSE(is_done(
      {2, 2, 4096, Op::none, Op::none, 1, 1, {Spread::Of::elements, 300}, false, false}, small));
}

TEST_F(IntegerProduct, IsRightInLaunchesOfFewModuli) {
  GemmProblem p;
  p.m = p.n = 70;
  p.k = 50;
  for (const double seconds : {5e-6, 3e-5}) {
    GpuBounds bounds;
    bounds.launch_seconds = seconds;
    GpuSide bounded(test::first_device(), {}, false, 0, bounds);
    const IntegerBlocks blocks = integer_blocks(p, bounded.limits(), seconds);
    EXPECT_EQ(blocks.m < p.m, seconds == 5e-6);
    EXPECT_EQ(blocks.planes_of_launch, seconds == 5e-6 ? 1 : 2);
    EXPECT_TRUE(is_done({70, 70, 50, Op::none, Op::none, 1, 1, {}, false, false}, bounded));
  }
}

TEST_F(IntegerProduct, LeavesCAsItIsWhereAnElementCannotBeCertified) {
  // Whatever the scale of a row: its first number leaves no bit to the second.
  const double e = 0x1p-300;
  Operands operands(Case{2, 2, 2, Op::none, Op::none, 1, 1});
  operands.a.at(0, 0) = operands.b.at(1, 0) = 1;
  operands.a.at(0, 1) = operands.b.at(0, 0) = e / 3;
  operands.c.at(0, 0) = 5;
  const auto before = operands.c;
  EXPECT_FALSE(multiply(side(), operands.problem()));
  EXPECT_TRUE(operands.c == before);
}

TEST_F(IntegerProduct, LeavesCAsItIsWhereNumbersAreNotFinite) {
  for (const double odd : {HUGE_VAL, std::nan("")})
    for (const int place : {0, 1, 2, 3}) {
      Operands operands(
          Case{3, 4, 5, Op::none, Op::none, place == 2 ? odd : 1.0, place == 3 ? odd : 1.0});
      operands.draw(engine);
      if (place < 2) (place == 0 ? operands.a : operands.b).at(2, 3) = odd;
      const auto before = operands.c;
      EXPECT_FALSE(multiply(side(), operands.problem()));
      EXPECT_TRUE(operands.c == before);
    }
}

TEST_F(IntegerProduct, IsExactWhereRowsAndColumnsAreZeroAndForWholeNumbers) {
  Operands operands(Case{6, 7, 50, Op::none, Op::none, 1, 1, {}, true});
  operands.draw(engine);
  auto& [of, a, b, c] = operands;
  for (int h = 0; h < 50; ++h) a.at(2, h) = b.at(h, 3) = 0;
  for (int h = 0; h < 50; ++h) a.at(4, h) = std::ldexp(a.at(4, h), -900);
  auto want = c;
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 7; ++j)
      if (i != 4)
        for (int h = 0; h < 50; ++h) want.at(i, j) += a.at(i, h) * b.at(h, j);
  EXPECT_TRUE(multiply(side(), operands.problem()));
  for (int j = 0; j < 7; ++j) want.at(4, j) = c.at(4, j);
  EXPECT_TRUE(c == want);
}

}  // namespace
}  // namespace duoblas
