// Row sums of a triangle, which bound its condition.
#include "problem/triangle_condition.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace duoblas {
namespace {

TEST(RowSums, AreTheLargestRowsAndLeaveOutWhatLiesBehindIt) {
  const std::vector<double> block = {1, -2, 90, -4, 3, 90};
  EXPECT_EQ(largest_row_sum(block.data(), 2, 3), 7);
}

// Also where a later row is finite, whose sum no comparison with NaN would leave out.
TEST(RowSums, AreNotNumbersWhereAnyRowHasNone) {
  for (std::size_t place = 0; place < 9; ++place) {
    std::vector<float> block(9, 1);
    block[place] = std::numeric_limits<float>::quiet_NaN();
    EXPECT_TRUE(std::isnan(largest_row_sum(block.data(), 3, 3))) << place;
  }
}

}  // namespace
}  // namespace duoblas
