#include "planner/way_choice.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace duoblas {
namespace {

constexpr double none = std::numeric_limits<double>::infinity();
constexpr Way no_way{none, 0, none, false};

Way known(double seconds) {
  return {seconds, 0.02, 1.1 * seconds, true};
}
Way unknown(double seconds, double worst_factor = 10) {
  return {seconds, 0.23, worst_factor * seconds, false};
}

TEST(AWayChoice, IsTheFastestOfWaysThatAreKnown) {
  EXPECT_EQ(chosen_way({known(0.1), known(0.08), known(0.06)}, 1, 0, 0).way, Strategy::hybrid);
  EXPECT_EQ(chosen_way({known(0.1), known(0.05), known(0.06)}, 1, 0, 0).way, Strategy::gpu);
  EXPECT_EQ(chosen_way({known(0.1), known(0.2), known(0.12)}, 1, 0, 0).way, Strategy::cpu);
}

TEST(AWayChoice, LeavesTheCpuForAGainOnly) {
  EXPECT_EQ(chosen_way({known(0.1), no_way, known(0.099)}, 1, 0, 0).way, Strategy::cpu);
  EXPECT_EQ(chosen_way({known(1e-3), no_way, known(0.975e-3)}, 1, 0, 0).way, Strategy::cpu);
  EXPECT_EQ(chosen_way({known(1e-3), no_way, known(0.85e-3)}, 1, 0, 0).way, Strategy::hybrid);
}

TEST(AWayChoice, WantsATenthOfShortCalls) {
  EXPECT_EQ(chosen_way({known(1e-3), no_way, known(0.93e-3)}, 1, 0, 0).way, Strategy::cpu);
  EXPECT_EQ(chosen_way({known(1e-3), no_way, known(0.87e-3)}, 1, 0, 0).way, Strategy::hybrid);
  EXPECT_EQ(chosen_way({known(10e-3), no_way, known(9.3e-3)}, 1, 0, 0).way, Strategy::hybrid);
}

TEST(AWayChoice, FindsOutWhetherTheCpuIsFasterWhereItMayWellBe) {
  const WayChoice choice = chosen_way({unknown(1e-3, 2), no_way, known(0.9e-3)}, 0.98, 0, 20e-3);
  EXPECT_EQ(choice.way, Strategy::cpu);
  EXPECT_TRUE(choice.explores);
  EXPECT_EQ(choice.best, Strategy::hybrid);
  EXPECT_DOUBLE_EQ(choice.best_seconds, 0.9e-3);
}

TEST(AWayChoice, LooksAtNothingThatIsHopeless) {
  EXPECT_FALSE(chosen_way({unknown(1e-3, 2), no_way, known(0.3e-3)}, 0.98, 0, 20e-3).explores);
}

TEST(AWayChoice, LooksOnceAtWhatIsHopelessWhereThatCostsNextToNothing) {
  const WaysOfCall ways{unknown(1e-3, 2), no_way, known(0.3e-3)};
  EXPECT_EQ(chosen_way(ways, 0.98, 0, 1).way, Strategy::cpu);
  Way seen = unknown(1e-3, 2);
  seen.seen = true;
  EXPECT_FALSE(chosen_way({seen, no_way, ways.both}, 0.98, 0, 1).explores);
}

TEST(AWayChoice, FindsNothingOutThatMayCostMoreThanAQuarterOfWhatIsAllowed) {
  const WaysOfCall ways{unknown(0.1, 2), no_way, known(0.09)};
  EXPECT_TRUE(chosen_way(ways, 0.98, 0, 4 * 0.12).explores);
  EXPECT_FALSE(chosen_way(ways, 0.98, 0, 4 * 0.1).explores);
}

TEST(AWayChoice, LooksOnceAtTheCpuWhereThatCostsNothing) {
  WaysOfCall ways{unknown(0.1, 2), no_way, known(0.09)};
  ways.cpu_costs_nothing = true;
  EXPECT_EQ(chosen_way(ways, 0.98, 0, -1).way, Strategy::cpu);
  ways.cpu.seen = true;
  EXPECT_EQ(chosen_way(ways, 0.98, 0, -1).way, Strategy::hybrid);
  ways.cpu = unknown(0.13, 2);
  EXPECT_EQ(chosen_way(ways, 0.98, 0, -1).way, Strategy::hybrid) << "it is hopeless";
}

TEST(AWayChoice, LooksAtNothingInAClasssFirstCall) {
  WaysOfCall ways{unknown(1e-3, 2), no_way, known(0.9e-3)};
  EXPECT_TRUE(chosen_way(ways, 0.98, 0, 20e-3).explores);
  ways.is_first_call = true;
  EXPECT_FALSE(chosen_way(ways, 0.98, 0, 20e-3).explores);
  ways.cpu_costs_nothing = true;
  EXPECT_TRUE(chosen_way(ways, 0.98, 0, 20e-3).explores) << "that costs nothing";
}

TEST(AWayChoice, BeginsWithTheGpuAloneWhereBothAreNoWay) {
  const WayChoice choice = chosen_way({known(0.1), unknown(0.11), no_way}, 0.98, 0, 20e-3);
  EXPECT_EQ(choice.way, Strategy::gpu);
  EXPECT_TRUE(choice.explores);
  EXPECT_TRUE(choice.begins_small);
}

TEST(AWayChoice, TakesTheBestWayWhereThatCannotCostMoreThanIsAllowed) {
  const WaysOfCall ways{known(4e-3), unknown(1.4e-3, 4), no_way};
  EXPECT_FALSE(chosen_way(ways, 0.98, 0, 1.7e-3).begins_small);
  EXPECT_TRUE(chosen_way(ways, 0.98, 0, 1.5e-3).begins_small);
}

TEST(AWayChoice, BeginsSmallWhereTheGpuMayTakeTooLong) {
  EXPECT_TRUE(chosen_way({known(0.1), no_way, unknown(0.05)}, 0.98, 0, 20e-3).begins_small);
  EXPECT_FALSE(chosen_way({known(0.1), no_way, unknown(0.01)}, 0.98, 0, 20e-3).begins_small);
  EXPECT_FALSE(chosen_way({known(0.1), no_way, known(0.05)}, 0.98, 0, -1).begins_small);
}

TEST(AWayChoice, BeginsSmallToFindOutWhetherBothAreFaster) {
  const WayChoice choice = chosen_way({known(0.1), no_way, unknown(0.11)}, 0.98, 0, 20e-3);
  EXPECT_EQ(choice.way, Strategy::hybrid);
  EXPECT_TRUE(choice.explores);
  EXPECT_TRUE(choice.begins_small);
}

TEST(AWayChoice, LooksAgainAtWhatWasSeenLongAgoWhereThatCostsLittle) {
  Way gpu{8e-3, 0.2, 12e-3, true};
  const WaysOfCall never{known(5e-3), gpu, no_way};
  EXPECT_FALSE(chosen_way(never, 0.98, 0, 20e-3).explores);
  gpu.exploration_seconds = 8e-3;
  const WaysOfCall due{known(5e-3), gpu, no_way};
  EXPECT_EQ(chosen_way(due, 0.98, 0, 20e-3).way, Strategy::gpu);
  EXPECT_FALSE(chosen_way(due, 0.98, 0, 4e-3).explores) << "the budget is less";
}

TEST(AWayChoice, TakesASafeLookRatherThanOneThatBeginsSmall) {
  const Way gpu{8e-3, 0.2, 12e-3, true, 8e-3};
  const WayChoice choice = chosen_way({known(5e-3), gpu, unknown(7e-3)}, 0.98, 0, 20e-3);
  EXPECT_EQ(choice.way, Strategy::gpu);
  EXPECT_FALSE(choice.begins_small);
}

TEST(AWayChoice, SharesOnlyForAGainOverTheGpuAlone) {
  EXPECT_EQ(chosen_way({known(0.1), known(0.05), known(0.048)}, 1, 0.1, 0).way, Strategy::gpu);
  EXPECT_EQ(chosen_way({known(0.1), known(0.05), known(0.04)}, 1, 0.1, 0).way, Strategy::hybrid);
}

}  // namespace
}  // namespace duoblas
