// Infinities, NaN, overflow, and numbers that a device may take for zero.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "check/checked_product.hpp"

namespace duoblas::test {
namespace {

template <typename T>
struct CheckWithSpecialValues : testing::Test {};
using ElementTypes = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(CheckWithSpecialValues, ElementTypes);

template <typename T>
constexpr Real<T> infinity = std::numeric_limits<Real<T>>::infinity();

TYPED_TEST(CheckWithSpecialValues, WhatIsNotFiniteIsExpectedWhereItIsGiven) {
  using T = TypeParam;
  for (const Op op_a : {Op::none, Op::transpose})
    for (const Op op_b : {Op::none, Op::transpose})
      for (const T special : {T(infinity<T>), T(-infinity<T>), nan_value<T>()})
        for (const int where : {0, 1, 2}) {
          CheckedProduct<T> product(12, 30, 10, op_a, op_b, 1, 1);
          if (where == 0) product.at_a(3, 4) = special;
          if (where == 1) product.at_b(4, 20) = special;
          if (where == 2) product.at_c(5, 6) = special;
          const CheckVerdict verdict = product.check();
          EXPECT_FALSE(verdict.wrong) << where;
        }
}

TYPED_TEST(CheckWithSpecialValues, AFiniteNumberInTheirPlaceIsWrong) {
  using T = TypeParam;
  for (const Op op_a : {Op::none, Op::transpose})
    for (const Op op_b : {Op::none, Op::transpose}) {
      CheckedProduct<T> of_a(12, 30, 10, op_a, op_b);
      of_a.at_a(3, 4) = nan_value<T>();
      EXPECT_TRUE(of_a.check([&] { of_a.at_c(3, 9) = T(1); }).wrong);
      CheckedProduct<T> of_b(12, 30, 10, op_a, op_b);
      of_b.at_b(4, 20) = T(infinity<T>);
      EXPECT_TRUE(of_b.check([&] { of_b.at_c(11, 20) = T(1); }).wrong);
      // Beside a column of infinities others are looked at as ever.
      CheckedProduct<T> beside(12, 30, 10, op_a, op_b);
      beside.at_b(4, 20) = T(infinity<T>);
      const auto verdict = beside.check([&] { beside.at_c(7, 21) += T(1); });
      ASSERT_TRUE(verdict.wrong);
      EXPECT_EQ(verdict.wrong->column, 21);
    }
}

// Their columns get the largest weights that there are.
TEST(CheckOfZeros, SuspectsNothing) {
  CheckedProduct<double> product(2, 2048, 2048);
  std::ranges::fill(product.b, 0.0);
  const CheckVerdict verdict = product.check();
  EXPECT_FALSE(verdict.wrong);
  EXPECT_EQ(verdict.suspected_rows, 0);
}

TYPED_TEST(CheckWithSpecialValues, SumsThatOverflowOnTheWayAreRight) {
  using T = TypeParam;
  constexpr Real<T> large = std::numeric_limits<Real<T>>::max() / 2;
  CheckedProduct<T> product(6, 8, 4);
  for (std::int64_t i = 0; i < 6; ++i)
    for (std::int64_t p = 0; p < 4; ++p) product.at_a(i, p) = T(large);
  for (std::int64_t p = 0; p < 4; ++p)
    for (std::int64_t j = 0; j < 8; ++j) product.at_b(p, j) = T(p % 2 == 0 ? 3 : -3);
  EXPECT_FALSE(product.check().wrong);
}

TYPED_TEST(CheckWithSpecialValues, SubnormalNumbersMayBeTakenForZero) {
  using T = TypeParam;
  constexpr Real<T> tiny = std::numeric_limits<Real<T>>::min();
  CheckedProduct<T> product(10, 12, 6, Op::none, Op::none, 1, 1);
  for (T& value : product.a) value *= tiny;  // below the smallest normal number
  for (T& value : product.c) value *= tiny;
  const auto flushed = product.check([&] {
    for (T& value : product.c) value = T(0);
  });
  EXPECT_FALSE(flushed.wrong);
}

TYPED_TEST(CheckWithSpecialValues, ExponentsOfEverySizeAreCalledWrongNowhere) {
  using T = TypeParam;
  constexpr int largest = std::numeric_limits<Real<T>>::max_exponent / 2 - 8;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    CheckedProduct<T> product(9, 40, 15, seed % 2 ? Op::none : Op::transpose,
                              seed % 3 ? Op::none : Op::transpose, 1, seed % 5 == 0 ? 1 : 0, seed);
    for (auto* matrix : {&product.a, &product.b, &product.c})
      for (T& value : *matrix) {
        const int exponent = static_cast<int>(product.engine() % (2 * largest)) - largest;
        value *= std::ldexp(Real<T>(1), exponent);
      }
    EXPECT_FALSE(product.check({[] {}}, seed).wrong) << seed;
  }
}

}  // namespace
}  // namespace duoblas::test
