// Complex products by integers: within gemm's bound element by element, or nothing of C is changed.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <complex>
#include <limits>

#include "integer_products.hpp"

namespace duoblas {
namespace {

using Complex = std::complex<double>;
using Case = test::IntegerCase<Complex>;
using Operands = test::IntegerOperands<Complex>;
using test::Spread;

class IntegerComplex : public test::IntegerProducts<Complex> {};

TEST_F(IntegerComplex, IsRightForAllOpsSizesAndScalars) {
  const Op ops[] = {Op::none, Op::transpose, Op::conj_transpose};
  const Complex scalars[][2] = {{1, 0}, {{-0.3, 1.7}, {0.5, -2}}, {{0, 1e-3}, 1}};
  int next = 0;
  for (const Op op_a : ops)
    for (const Op op_b : ops)
      for (const auto& [m, n, k] : {std::array{1, 1, 1}, {33, 17, 40}, {7, 35, 9}}) {
        SCOPED_TRACE(next);
        const auto& [alpha, beta] = scalars[(next + next / 3) % 3];
        EXPECT_TRUE(is_done({m, n, k, op_a, op_b, alpha, beta}));
        ++next;
      }
  for (const auto& [alpha, beta] : scalars)
    EXPECT_TRUE(is_done({5, 3, 7, Op::none, Op::conj_transpose, alpha, beta}));
}

TEST_F(IntegerComplex, IsWithinTheBoundOrLeftWhateverTheSpread) {
  for (const int by : {2, 10, 300})
    for (const int k : {1, 7, 64}) {
      EXPECT_TRUE(is_done({9, 12, k, Op::none, Op::transpose, 1, 0.5, {Spread::Of::rows, by}}) ||
                  by > 10)
          << by;
      is_done({9, 12, k, Op::conj_transpose, Op::none, {0, 1}, 0, {Spread::Of::elements, by}});
    }
  EXPECT_FALSE(is_done({9, 12, 20, Op::none, Op::none, 1, 0, {Spread::Of::elements, 300}}));
  EXPECT_TRUE(is_done({9, 12, 20, Op::none, Op::none, {1, 2}, 0, {}, false, false, true}));
}

TEST_F(IntegerComplex, TakesBlocksAndPiecesWhereMemoryIsShort) {
  constexpr std::size_t bytes = 1 << 20;  // 3/8 of it are copies of A and B, of 48 x 256
  GpuSide small(test::first_device(), {}, false, bytes);
  EXPECT_TRUE(is_done({48, 48, 256, Op::none, Op::conj_transpose, {1, -1}, 1}, small));
}

TEST_F(IntegerComplex, LeavesCAsItIsWhereNumbersAreNotFinite) {
  for (int place = 0; place < 5; ++place) {
    Case of{3, 4, 5};
    of.beta = {0, 1};
    const Complex odd(1, place % 2 == 0 ? HUGE_VAL : std::numeric_limits<double>::quiet_NaN());
    if (place == 3) of.alpha = odd;
    if (place == 4) of.beta = odd;
    Operands operands(of);
    operands.draw(engine);
    if (place < 3) (place == 0 ? operands.a : place == 1 ? operands.b : operands.c).at(1, 2) = odd;
    const auto before = operands.c;
    EXPECT_FALSE(multiply(side(), operands.problem())) << place;
    EXPECT_TRUE(operands.c == before) << place;
  }
}

// Which is found out when they are read, after the block was certified.
TEST_F(IntegerComplex, FinishesTheBlocksBeforeOneWhoseOldValuesAreNotFinite) {
  constexpr std::int64_t m = 600, n = 2, k = 1024, odd = 590;
  const Case of{m, n, k, Op::none, Op::none, {0.5, 1}, 1};
  Operands operands(of);
  operands.draw(engine);
  operands.c.at(odd, 1) = {HUGE_VAL, 0};
  auto before = operands.c;
  const GemmProblem p = operands.problem();
  // Half of its memory has no room for the residues of all rows.
  GpuSide small(test::first_device(), {}, false, std::size_t{40} << 20);
  GpuJob job = small.submit(p, integers_kernel(small.limits()), SharingMode::staged);
  EXPECT_THROW(job.wait(), UnsuitedNumbers);
  ASSERT_EQ(job.unfinished().size(), 1U);
  const std::int64_t done = m - job.unfinished()[0].m;
  EXPECT_GE(done, small.limits().shares_memory ? 256 : 0);
  EXPECT_LE(done, odd);
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      Complex want = before.at(i, j);
      for (std::int64_t h = 0; i < done && h < k; ++h)
        want += of.alpha * operands.a.at(i, h) * operands.b.at(h, j);
      const Complex is = operands.c.at(i, j);
      EXPECT_TRUE(is == want || std::abs(is - want) < 1e-9) << i;
      EXPECT_EQ(is == before.at(i, j), i >= done) << i;
    }
}

}  // namespace
}  // namespace duoblas
