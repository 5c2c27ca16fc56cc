// Right products pass; wrong ones do not, whatever is wrong with them.
#include "check/product_check.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "check/checked_product.hpp"

namespace duoblas::test {
namespace {

template <typename T>
std::vector<Op> ops() {
  if (is_complex_type<T>) return {Op::none, Op::transpose, Op::conj_transpose};
  return {Op::none, Op::transpose};
}

template <typename T>
struct ProductCheckOf : testing::Test {};
using ElementTypes = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(ProductCheckOf, ElementTypes);

TYPED_TEST(ProductCheckOf, SuspectsNoRightProduct) {
  using T = TypeParam;
  const std::complex<double> i(0, is_complex_type<T> ? 1 : 0);
  std::uint64_t seed = 0;
  for (const Op op_a : ops<T>())
    for (const Op op_b : ops<T>())
      for (const auto& [m, n, k] :
           {std::tuple{1, 1, 1}, {5, 7, 3}, {33, 65, 40}, {20, 600, 1}, {70, 41, 129}, {3, 5, 700}})
        for (const std::complex<double> beta : {0.0 * i, 1.0 + 0.0 * i, -0.75 + 0.5 * i}) {
          CheckedProduct<T> product(m, n, k, op_a, op_b, 1.5 - 0.25 * i, beta, ++seed);
          const CheckVerdict verdict = product.check();
          ASSERT_FALSE(verdict.wrong) << m << " x " << n << " x " << k << ", seed " << seed;
          EXPECT_EQ(verdict.suspected_rows, 0) << m << " x " << n << " x " << k;
        }
}

TYPED_TEST(ProductCheckOf, FindsOneElementThatIsWrongBy64TimesItsBound) {
  using T = TypeParam;
  std::uint64_t seed = 100;
  for (const Op op_a : ops<T>())
    for (const Op op_b : ops<T>())
      for (const auto& [m, n, k] : {std::tuple{1, 1, 1}, {33, 65, 40}, {9, 700, 1}, {70, 41, 129}})
        for (int trial = 0; trial < 5; ++trial) {
          CheckedProduct<T> product(m, n, k, op_a, op_b, 1, 1, ++seed);
          const auto row = static_cast<std::int64_t>(product.engine() % static_cast<unsigned>(m));
          const auto column =
              static_cast<std::int64_t>(product.engine() % static_cast<unsigned>(n));
          const double fault =
              64 * (product.bound(row, column) + std::numeric_limits<Real<T>>::epsilon());
          const CheckVerdict verdict = product.check(
              [&] { product.at_c(row, column) += static_cast<Real<T>>(fault); }, seed);
          ASSERT_TRUE(verdict.wrong) << m << " x " << n << " x " << k << ", seed " << seed;
          EXPECT_EQ(verdict.wrong->row, row);
          EXPECT_EQ(verdict.wrong->column, column);
        }
}

TYPED_TEST(ProductCheckOf, FindsErrorsThatAreAllTheSame) {
  using T = TypeParam;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    CheckedProduct<T> product(20, 30, 10, Op::none, Op::none, 1, 0, seed);
    EXPECT_TRUE(product
                    .check(
                        [&] {
                          product.at_c(4, 5) += T(1);
                          product.at_c(4, 6) += T(1);
                        },
                        seed)
                    .wrong);
  }
}

// A column of numbers a million times smaller than the others.
TYPED_TEST(ProductCheckOf, FindsAWrongElementInASmallColumn) {
  using T = TypeParam;
  CheckedProduct<T> product(20, 50, 30);
  constexpr std::int64_t column = 17;
  for (std::int64_t p = 0; p < 30; ++p) product.at_b(p, column) *= Real<T>(1e-6);
  const double fault = 64 * product.bound(4, column);
  const CheckVerdict verdict =
      product.check([&] { product.at_c(4, column) += static_cast<Real<T>>(fault); });
  ASSERT_TRUE(verdict.wrong);
  EXPECT_EQ(verdict.wrong->column, column);
}

TYPED_TEST(ProductCheckOf, FindsWhatDevicesDoWrong) {
  using T = TypeParam;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    CheckedProduct<T> product(40, 48, 24, Op::none, Op::transpose, 1, 0, seed);
    EXPECT_TRUE(product
                    .check([&] {  // a tile of zeros
                      for (std::int64_t i = 8; i < 16; ++i)
                        for (std::int64_t j = 16; j < 32; ++j) product.at_c(i, j) = T(0);
                    })
                    .wrong);
    EXPECT_TRUE(product
                    .check([&] {  // tiles that changed places
                      for (std::int64_t i = 0; i < 8; ++i)
                        for (std::int64_t j = 0; j < 8; ++j)
                          std::swap(product.at_c(i, j), product.at_c(i + 8, j + 8));
                    })
                    .wrong);
    EXPECT_TRUE(product
                    .check([&] {  // a row of another product
                      for (std::int64_t j = 0; j < 48; ++j)
                        product.at_c(11, j) = product.at_c(12, j);
                    })
                    .wrong);
    EXPECT_TRUE(product.check([&] { product.at_c(39, 47) = nan_value<T>(); }).wrong);
    const std::vector<T> stale = product.c;
    EXPECT_TRUE(product
                    .check([&] {  // nothing was written
                      // In place: the check reads the memory that it was told of.
                      std::ranges::copy(product.numbers(40 * product.problem.ldc),
                                        product.c.begin());
                    })
                    .wrong);
  }
}

// Results that arrive a few rows at a time, while C is what it was.
TYPED_TEST(ProductCheckOf, LooksAtRowsBeforeTheyAreInC) {
  using T = TypeParam;
  for (const std::int64_t k : {3, 40}) {  // element by element, and by sums
    for (const Op op : {Op::none, Op::transpose}) {
      CheckedProduct<T> product(50, 30, k, op, op, -0.5, 1.5);
      const std::vector<T> old = product.c;
      product.multiply();
      std::vector<T> arrived = std::exchange(product.c, old);
      product.bind();
      const std::int64_t ld = product.problem.ldc;
      const auto look = [&](std::int64_t row, std::int64_t rows) {
        ProductCheck check(product.problem, 3, 1, OldC::in_place);
        check.look(0, 7, arrived.data(), ld);
        return check.look(row, rows, arrived.data() + row * ld, ld);
      };
      EXPECT_FALSE(look(7, 43).wrong);
      arrived[static_cast<std::size_t>(31 * ld + 4)] += T(2);
      const auto wrong = look(20, 30).wrong;
      ASSERT_TRUE(wrong);
      EXPECT_EQ(wrong->row, 31);
      EXPECT_EQ(wrong->column, 4);
      EXPECT_FALSE(look(7, 20).wrong) << "others are right";
      EXPECT_EQ(product.c, old);
    }
  }
}

TYPED_TEST(ProductCheckOf, FindsSmallElementsWhereThereAreFewSteps) {
  using T = TypeParam;
  CheckedProduct<T> product(4, 60, 1);
  product.b[7] *= static_cast<Real<T>>(1e-6);  // row 0 of B: column 7 of C is tiny
  const auto verdict = product.check([&] { product.c[7] *= static_cast<Real<T>>(1.001); });
  ASSERT_TRUE(verdict.wrong);
  EXPECT_EQ(verdict.wrong->column, 7);
}

TYPED_TEST(ProductCheckOf, PutsBackWhatCWas) {
  using T = TypeParam;
  CheckedProduct<T> product(13, 17, 5, Op::none, Op::none, 1, 1);
  const std::vector<T> before = product.c;
  ProductCheck check(product.problem, 1);
  product.multiply();
  EXPECT_NE(product.c, before);
  check.restore();
  EXPECT_EQ(product.c, before);
}

TEST(ProductCheck, LeavesOutWhatItCanSayNothingOf) {
  CheckedProduct<float> product(3, 4, 5);
  EXPECT_TRUE(can_check(product.problem));
  GemmProblem other = product.problem;
  other.alpha = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(can_check(other));
  other = product.problem;
  other.k = 0;
  EXPECT_FALSE(can_check(other));
  other = product.problem;
  other.n = 0;
  EXPECT_FALSE(can_check(other));
}

}  // namespace
}  // namespace duoblas::test
