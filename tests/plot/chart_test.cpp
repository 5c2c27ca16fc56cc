// Charts as values: ticks, extents, points.
#include "plot/chart.hpp"

#include <gtest/gtest.h>

#include "plot/made_up_charts.hpp"

namespace duoblas {
namespace {

TEST(ChartTicks, AreFarEnoughApartToBeRead) {
  std::vector<double> sizes;
  for (int i = 1; i <= 100; ++i) sizes.push_back(64.0 * i);
  const auto ticks = readable_ticks(sizes, false);
  EXPECT_LE(ticks.size(), 13u);
  EXPECT_EQ(ticks.front(), 64);
  EXPECT_EQ(ticks.back(), 6400);
  EXPECT_EQ(readable_ticks({8, 8}, true), (std::vector<double>{8}));
}

TEST(ChartExtent, ReachesSpreadPhasesAndTicks) {
  const ChartExtent rates = extent_of(test::made_up_rates());
  EXPECT_LT(rates.x_from, 256);
  EXPECT_GT(rates.x_to, 1024);
  EXPECT_GT(rates.y_to, 220);
  EXPECT_GT(extent_of(test::made_up_power()).x_to, 2);
  Chart chart = test::made_up_search();
  EXPECT_EQ(extent_of(chart).x_from, 0);
  chart.x_ticks = {10};
  EXPECT_GT(extent_of(chart).x_to, 10);
}

TEST(ChartPoint, HasNoSpreadUnlessOneIsGiven) {
  const ChartPoint point{1, 5};
  EXPECT_EQ(point.low, 5);
  EXPECT_EQ(point.high, 5);
}

}  // namespace
}  // namespace duoblas
