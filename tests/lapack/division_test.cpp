// How updates are divided between the sides.
#include <gtest/gtest.h>

#include <limits>

#include "lapack/division.hpp"
#include "planner/way.hpp"

namespace duoblas::test {
namespace {

Plan with_share(int gpu_parts) {
  Plan plan;
  plan.strategy = gpu_parts == 64 ? Strategy::gpu : Strategy::hybrid;
  plan.share = {gpu_parts, 64};
  return plan;
}

TEST(LuDivision, LeavesTheNextPanelToTheCpu) {
  for (const int parts : {1, 16, 32, 63, 64}) {
    const std::int64_t columns = device_columns({4096, 4096, 256, 256}, with_share(parts), false);
    EXPECT_LE(columns, 4096 - 256);
    EXPECT_GE(columns, 0);
  }
  EXPECT_EQ(device_columns({100, 100, 32, 100}, with_share(32), false), 0);
  EXPECT_EQ(device_columns({100, 100, 32, 100}, with_share(32), true), 0);
}

TEST(LuDivision, GivesTheDeviceMoreThanItsShareSinceTheCpuHasThePanel) {
  const std::int64_t half = device_columns({4096, 4096, 256, 256}, with_share(32), false);
  EXPECT_GT(half, 2048);
  EXPECT_LT(half, 2048 + 512);
}

TEST(LuDivision, IsTheGivenShareWhereThatIsForced) {
  EXPECT_EQ(device_columns({100, 90, 8, 8}, with_share(32), true), 45);
  EXPECT_EQ(device_columns({100, 90, 8, 8}, with_share(64), true), 82);
}

TEST(LuDivision, HasTheDevicesColumnsInTwoPartsBehindUnfinishedOnes) {
  for (const std::int64_t devices : {16, 300, 2000, 3800})
    for (const Interval& unfinished :
         {Interval{-256, 0}, Interval{200, 900}, Interval{2300, 800}}) {
      const LuColumns columns =
          divide_columns({4096, 4096, 256, 256}, devices, unfinished, StepCosts(with_share(32)));
      EXPECT_GE(columns.second_end, 4096 - devices);
      EXPECT_GE(columns.second_end, unfinished.first + unfinished.count);
      EXPECT_LT(columns.second_end, 4096);
      EXPECT_GE(columns.beside_first, 0);
      EXPECT_LE(columns.beside_first, 4096 - devices - 256);
    }
}

TEST(LuDivision, HasNoSecondPartOfFewColumns) {
  const LuColumns columns =
      divide_columns({4096, 4096, 256, 256}, 400, {0, 0}, StepCosts(with_share(32)));
  EXPECT_EQ(columns.second_end, 4096 - 400);
  EXPECT_EQ(columns.beside_first, 4096 - 400 - 256);
}

TEST(LuDivision, IsTheSameByCostsThatWereNotTimedYet) {
  const LuStep step{4096, 4096, 256, 256, u_cost(256, 4096 - 256)};
  const std::int64_t planned = device_columns(step, with_share(32), false);
  EXPECT_NEAR(static_cast<double>(device_columns(step, StepCosts(with_share(32)))),
              static_cast<double>(planned), 16);
}

TEST(LuDivision, FollowsWhatStepsTook) {
  const LuStep step{4096, 4096, 256, 256};
  StepCosts costs(with_share(32));
  costs.note(StepWork::product, 1e9, 1);
  costs.note(StepWork::device_product, 1e9, 2);  // half of the CPU's rate
  costs.note(StepWork::panel, 1e9, 1);
  costs.note(StepWork::rows_of_u, 1e9, 1);
  const double columns = static_cast<double>(device_columns(step, costs));
  EXPECT_NEAR(2 * columns, 4096 - columns, 0.1 * 4096);
  costs.note(StepWork::device_product, 1e9, 0.2);
  EXPECT_GT(device_columns(step, costs), columns);
  EXPECT_LE(device_columns(step, costs), 4096 - 256);
}

TEST(StepCosts, AreNotFarFromThePlans) {
  StepCosts costs(with_share(32));
  costs.note(StepWork::product, 1e9, 1);
  costs.note(StepWork::device_product, 1e9, 1000);
  EXPECT_EQ(costs.of(StepWork::device_product), far_slower);
  costs.note(StepWork::panel, 0, 1000);
  EXPECT_EQ(costs.of(StepWork::panel), StepCosts(with_share(32)).of(StepWork::panel));
}

// A device that ended before anybody looked.
TEST(StepCosts, AreLessWhereTheMostThatWorkTookIsLessThanExpected) {
  StepCosts costs(with_share(32));  // both sides are equally fast
  costs.note_device(1e9, {.device = 0.1, .device_at_most = true});
  EXPECT_EQ(costs.of(StepWork::device_product), 1) << "there is nothing to compare it with";
  costs.note(StepWork::product, 1e9, 1);
  costs.note_device(1e9, {.device = 1.5, .device_at_most = true});
  EXPECT_EQ(costs.of(StepWork::device_product), 1) << "less was expected";
  costs.note_device(1e9, {.device = 0.5, .device_at_most = true});
  EXPECT_EQ(costs.of(StepWork::device_product), 0.5);
  costs.note_device(1e9, {.device = 0.8, .device_at_most = true});
  EXPECT_EQ(costs.of(StepWork::device_product), 0.5);
  costs.note(StepWork::device_product, 1e9, 1.5);
  EXPECT_EQ(costs.of(StepWork::device_product), 1) << "by halves, as known times are";
}

TEST(StepCosts, AreNotChangedByTimesThatAreNone) {
  const StepCosts planned(with_share(32));
  StepCosts costs = planned;
  for (const double seconds : {0.0, -1.0, std::numeric_limits<double>::infinity(),
                               std::numeric_limits<double>::quiet_NaN()})
    for (const StepWork work : {StepWork::product, StepWork::device_product, StepWork::panel}) {
      costs.note(work, 1e9, seconds);
      EXPECT_EQ(costs.of(work), planned.of(work)) << seconds;
    }
}

// Panels, triangles and rows of U are counted without the type's operations, so products are too.
TEST(StepCosts, AreOfProductsOfAnyTypeAlike) {
  GemmProblem product;
  product.m = 300;
  product.n = 200;
  product.k = 50;
  for (const Precision precision : {Precision::s, Precision::d, Precision::c, Precision::z}) {
    product.precision = precision;
    EXPECT_EQ(counted_flops(product), 2.0 * 300 * 200 * 50);
  }
}

TEST(TriangleDivision, HasItsLinesInOrder) {
  for (const std::int64_t order : {2, 3, 17, 4000})
    for (const int parts : {1, 16, 32, 63, 64})
      for (const bool forced : {false, true}) {
        const TriangleDivision lines =
            divide_triangle({order, 256, 256}, with_share(parts), forced);
        EXPECT_GE(lines.first, 0);
        EXPECT_LE(lines.first, lines.second);
        EXPECT_LE(lines.second, order);
      }
}

TEST(TriangleDivision, ByCostsHasItsLinesInOrder) {
  for (const std::int64_t order : {2, 3, 17, 100, 4000})
    for (const int parts : {1, 16, 32, 63, 64}) {
      const TriangleDivision lines =
          divide_triangle({order, 256, 256}, StepCosts(with_share(parts)));
      EXPECT_GT(lines.first, 0);
      EXPECT_LE(lines.first, lines.second);
      EXPECT_LE(lines.second, order);
      EXPECT_GE(lines.inner, 0);
      EXPECT_LT(lines.inner, lines.first);
    }
}

// Beside panels the CPU has less time for triangles than the device for rectangles.
TEST(TriangleDivision, ByCostsGivesTheDeviceRectanglesOfAllTriangles) {
  const TriangleDivision lines = divide_triangle({1536, 256, 256}, StepCosts(with_share(32)));
  EXPECT_GT(lines.inner, 0);
  EXPECT_LT(lines.second, 1536);
}

TEST(TriangleDivision, GivesAFastDeviceMostOfTheTriangle) {
  const TriangleDivision lines = divide_triangle({4000, 256, 256}, with_share(60), false);
  const double x = static_cast<double>(lines.first), y = static_cast<double>(lines.second);
  const double rectangles = x * (4000 - x) + (y - x) * (4000 - y);
  EXPECT_GT(rectangles, 0.6 * 4000 * 4000 / 2);
}

// C is updated less often by wide panels, which many threads make fast enough.
TEST(LuPanelColumns, AreMoreOfLargeMatricesWithManyThreads) {
  EXPECT_EQ(lu_panel_columns(4096, 8, false), 384);
  EXPECT_EQ(lu_panel_columns(8192, 8, false), 384);
  EXPECT_EQ(lu_panel_columns(8193, 8, false), panel_columns(8193, false));
  EXPECT_EQ(lu_panel_columns(4096, 8, true), 384);
  EXPECT_EQ(lu_panel_columns(4095, 8, false), panel_columns(4095, false));
  EXPECT_EQ(lu_panel_columns(4096, 7, false), panel_columns(4096, false));
  EXPECT_EQ(lu_panel_columns(512, 16, true), 64);
}

}  // namespace
}  // namespace duoblas::test
