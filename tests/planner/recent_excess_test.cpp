// How much longer than expected recent calls took.
#include "planner/recent_excess.hpp"

#include <gtest/gtest.h>

namespace duoblas {
namespace {

TEST(RecentExcess, OfCallsThatTakeAboutAsLongAsExpectedIsNone) {
  RecentExcess excess;
  EXPECT_EQ(excess.factor(), 1);
  for (int i = 0; i < 100; ++i) excess.saw(i % 2 == 0 ? 1.1 : 0.95, 1);
  EXPECT_EQ(excess.factor(), 1);
}

TEST(RecentExcess, OfOneSlowCallIsNoneHoweverLongItTook) {
  RecentExcess excess;
  excess.saw(1000, 1);
  excess.saw(1, 1);
  EXPECT_EQ(excess.factor(), 1);
}

TEST(RecentExcess, OfSlowAndUsualCallsInTurnsComesToTheirMean) {
  RecentExcess excess;
  for (int i = 0; i < 6; ++i) excess.saw(i % 2 == 0 ? 4 : 1, 1);
  EXPECT_GT(excess.factor(), 1.16);
  for (int i = 0; i < 200; ++i) excess.saw(i % 2 == 0 ? 4 : 1, 1);
  EXPECT_NEAR(excess.factor(), 2.5, 0.1);
}

TEST(RecentExcess, CountsAnExpectedTimeByItsLength) {
  RecentExcess excess;
  for (int i = 0; i < 200; ++i) i % 2 == 0 ? excess.saw(2, 2) : excess.saw(4, 1);
  EXPECT_NEAR(excess.factor(), 2, 0.1);
}

TEST(RecentExcess, PassesWhileCallsAreDoneInAnotherWay) {
  RecentExcess excess;
  for (int i = 0; i < 200; ++i) excess.saw(i % 2 == 0 ? 4 : 1, 1);
  for (int i = 0; i < 100; ++i) excess.fade();
  EXPECT_GT(excess.factor(), 1.16);
  for (int i = 0; i < 500; ++i) excess.fade();
  EXPECT_EQ(excess.factor(), 1);
}

}  // namespace
}  // namespace duoblas
