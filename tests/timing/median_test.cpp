// Medians and quantiles.
#include "timing/median.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace duoblas {
namespace {

TEST(Median, IsTheOneInTheMiddleOfAnOddNumber) {
  EXPECT_DOUBLE_EQ(median({3, 1, 2}), 2);
  EXPECT_DOUBLE_EQ(upper_median({3, 1, 2}), 2);
  EXPECT_DOUBLE_EQ(quantile({3, 1, 2}, 0.5), 2);
  EXPECT_DOUBLE_EQ(median({7}), 7);
  EXPECT_DOUBLE_EQ(upper_median({7}), 7);
}

TEST(Median, OfAnEvenNumberIsTheMeanOfBothOrTheUpperOne) {
  EXPECT_DOUBLE_EQ(median({4, 1, 2, 3}), 2.5);
  EXPECT_DOUBLE_EQ(quantile({4, 1, 2, 3}, 0.5), 2.5);
  EXPECT_DOUBLE_EQ(upper_median({4, 1, 2, 3}), 3);
}

TEST(Median, OfNothingIsNotANumber) {
  EXPECT_TRUE(std::isnan(median({})));
  EXPECT_TRUE(std::isnan(upper_median({})));
  EXPECT_TRUE(std::isnan(quantile({}, 0.25)));
}

TEST(Median, OfThingsThatMostlyTakeForeverIsForever) {
  constexpr double forever = std::numeric_limits<double>::infinity();
  EXPECT_EQ(median({1, forever, forever, forever}), forever);
  EXPECT_EQ(median({1, 2, forever, forever}), forever);
  EXPECT_EQ(upper_median({1, 2, forever, forever}), forever);
  EXPECT_EQ(median({1, 2, forever}), 2);
}

TEST(Median, LeavesTheOrderOfTheSamplesAlone) {
  const std::vector<double> samples = {3, 1, 2};
  median(samples);
  upper_median(samples);
  quantile(samples, 0.25);
  EXPECT_EQ(samples, (std::vector<double>{3, 1, 2}));
}

TEST(Quantile, IsLinearBetweenNeighbours) {
  EXPECT_DOUBLE_EQ(quantile({1, 2, 3, 4, 5}, 0.25), 2);
  EXPECT_DOUBLE_EQ(quantile({1, 2}, 0.25), 1.25);
  EXPECT_DOUBLE_EQ(quantile({5, 1, 3}, 0), 1);
  EXPECT_DOUBLE_EQ(quantile({5, 1, 3}, 1), 5);
  EXPECT_DOUBLE_EQ(quantile({7}, 0.75), 7);
}

}  // namespace
}  // namespace duoblas
