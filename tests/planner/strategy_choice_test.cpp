#include "planner/strategy_choice.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace duoblas {
namespace {

constexpr double none = std::numeric_limits<double>::infinity();
constexpr StrategyEstimate impossible{none, 0, none, false};

StrategyEstimate known(double seconds) {
  return {seconds, 0.02, 1.1 * seconds, true};
}
StrategyEstimate unknown(double seconds, double worst_factor = 10) {
  return {seconds, 0.23, worst_factor * seconds, false};
}

TEST(AStrategyChoice, IsTheFastestOfThoseThatAreKnown) {
  EXPECT_EQ(choose_strategy({known(0.1), known(0.08), known(0.06)}, 1, 0, 0).strategy,
            Strategy::hybrid);
  EXPECT_EQ(choose_strategy({known(0.1), known(0.05), known(0.06)}, 1, 0, 0).strategy,
            Strategy::gpu);
  EXPECT_EQ(choose_strategy({known(0.1), known(0.2), known(0.12)}, 1, 0, 0).strategy,
            Strategy::cpu);
}

TEST(AStrategyChoice, LeavesTheCpuForAGainOnly) {
  EXPECT_EQ(choose_strategy({known(0.1), impossible, known(0.099)}, 1, 0, 0).strategy,
            Strategy::cpu);
  EXPECT_EQ(choose_strategy({known(1e-3), impossible, known(0.975e-3)}, 1, 0, 0).strategy,
            Strategy::cpu);
  EXPECT_EQ(choose_strategy({known(1e-3), impossible, known(0.85e-3)}, 1, 0, 0).strategy,
            Strategy::hybrid);
}

TEST(AStrategyChoice, WantsATenthOfShortCalls) {
  EXPECT_EQ(choose_strategy({known(1e-3), impossible, known(0.93e-3)}, 1, 0, 0).strategy,
            Strategy::cpu);
  EXPECT_EQ(choose_strategy({known(1e-3), impossible, known(0.87e-3)}, 1, 0, 0).strategy,
            Strategy::hybrid);
  EXPECT_EQ(choose_strategy({known(10e-3), impossible, known(9.3e-3)}, 1, 0, 0).strategy,
            Strategy::hybrid);
}

TEST(AStrategyChoice, FindsOutWhetherTheCpuIsFasterWhereItMayWellBe) {
  const StrategyChoice choice =
      choose_strategy({unknown(1e-3, 2), impossible, known(0.9e-3)}, 0.98, 0, 20e-3);
  EXPECT_EQ(choice.strategy, Strategy::cpu);
  EXPECT_TRUE(choice.explores);
  EXPECT_EQ(choice.best, Strategy::hybrid);
  EXPECT_DOUBLE_EQ(choice.best_seconds, 0.9e-3);
}

// Both are expected to gain, but too little to be chosen.
TEST(ALookAtBothSides, IsPaidForAlsoIfItIsExpectedToGain) {
  LearnedTimes learned;
  learned.seen.fill(true);
  learned.allowance = 20e-3;
  EXPECT_FALSE(is_look_due(learned, 0.99e-3, 1e-3));
  learned.exploration[place_of(Timed::cpu_side)] = 1e-5;
  EXPECT_TRUE(is_look_due(learned, 0.99e-3, 1e-3));
  EXPECT_FALSE(is_look_due(learned, 2e-3, 1e-3));
}

TEST(AStrategyChoice, LooksAtNothingThatIsHopeless) {
  EXPECT_FALSE(
      choose_strategy({unknown(1e-3, 2), impossible, known(0.3e-3)}, 0.98, 0, 20e-3).explores);
}

TEST(AStrategyChoice, LooksOnceAtWhatIsHopelessWhereThatCostsNextToNothing) {
  const StrategyEstimates estimates{unknown(1e-3, 2), impossible, known(0.3e-3)};
  EXPECT_EQ(choose_strategy(estimates, 0.98, 0, 1).strategy, Strategy::cpu);
  StrategyEstimate seen = unknown(1e-3, 2);
  seen.seen = true;
  EXPECT_FALSE(choose_strategy({seen, impossible, estimates.both}, 0.98, 0, 1).explores);
}

TEST(AStrategyChoice, FindsNothingOutThatMayCostMoreThanAQuarterOfWhatIsAllowed) {
  const StrategyEstimates estimates{unknown(0.1, 2), impossible, known(0.09)};
  EXPECT_TRUE(choose_strategy(estimates, 0.98, 0, 4 * 0.12).explores);
  EXPECT_FALSE(choose_strategy(estimates, 0.98, 0, 4 * 0.1).explores);
}

TEST(AStrategyChoice, LooksOnceAtTheCpuWhereThatCostsNothing) {
  StrategyEstimates estimates{unknown(0.1, 2), impossible, known(0.09)};
  estimates.cpu_costs_nothing = true;
  EXPECT_EQ(choose_strategy(estimates, 0.98, 0, -1).strategy, Strategy::cpu);
  estimates.cpu.seen = true;
  EXPECT_EQ(choose_strategy(estimates, 0.98, 0, -1).strategy, Strategy::hybrid);
  estimates.cpu = unknown(0.13, 2);
  EXPECT_EQ(choose_strategy(estimates, 0.98, 0, -1).strategy, Strategy::hybrid) << "it is hopeless";
}

TEST(AStrategyChoice, LooksAtNothingInAClasssFirstCall) {
  StrategyEstimates estimates{unknown(1e-3, 2), impossible, known(0.9e-3)};
  EXPECT_TRUE(choose_strategy(estimates, 0.98, 0, 20e-3).explores);
  estimates.is_first_call = true;
  EXPECT_FALSE(choose_strategy(estimates, 0.98, 0, 20e-3).explores);
  estimates.cpu_costs_nothing = true;
  EXPECT_TRUE(choose_strategy(estimates, 0.98, 0, 20e-3).explores) << "that costs nothing";
}

TEST(AStrategyChoice, BeginsWithTheGpuAloneWhereBothAreImpossible) {
  const StrategyChoice choice =
      choose_strategy({known(0.1), unknown(0.11), impossible}, 0.98, 0, 20e-3);
  EXPECT_EQ(choice.strategy, Strategy::gpu);
  EXPECT_TRUE(choice.explores);
  EXPECT_TRUE(choice.begins_small);
}

TEST(AStrategyChoice, TakesTheBestStrategyWhereThatCannotCostMoreThanIsAllowed) {
  const StrategyEstimates estimates{known(4e-3), unknown(1.4e-3, 4), impossible};
  EXPECT_FALSE(choose_strategy(estimates, 0.98, 0, 1.7e-3).begins_small);
  EXPECT_TRUE(choose_strategy(estimates, 0.98, 0, 1.5e-3).begins_small);
}

TEST(AStrategyChoice, BeginsSmallWhereTheGpuMayTakeTooLong) {
  EXPECT_TRUE(
      choose_strategy({known(0.1), impossible, unknown(0.05)}, 0.98, 0, 20e-3).begins_small);
  EXPECT_FALSE(
      choose_strategy({known(0.1), impossible, unknown(0.01)}, 0.98, 0, 20e-3).begins_small);
  EXPECT_FALSE(choose_strategy({known(0.1), impossible, known(0.05)}, 0.98, 0, -1).begins_small);
}

TEST(AStrategyChoice, BeginsSmallToFindOutWhetherBothAreFaster) {
  const StrategyChoice choice =
      choose_strategy({known(0.1), impossible, unknown(0.11)}, 0.98, 0, 20e-3);
  EXPECT_EQ(choice.strategy, Strategy::hybrid);
  EXPECT_TRUE(choice.explores);
  EXPECT_TRUE(choice.begins_small);
}

TEST(AStrategyChoice, LooksAgainAtWhatWasSeenLongAgoWhereThatCostsLittle) {
  StrategyEstimate gpu{8e-3, 0.2, 12e-3, true};
  const StrategyEstimates never{known(5e-3), gpu, impossible};
  EXPECT_FALSE(choose_strategy(never, 0.98, 0, 20e-3).explores);
  gpu.exploration_seconds = 8e-3;
  const StrategyEstimates due{known(5e-3), gpu, impossible};
  EXPECT_EQ(choose_strategy(due, 0.98, 0, 20e-3).strategy, Strategy::gpu);
  EXPECT_FALSE(choose_strategy(due, 0.98, 0, 4e-3).explores) << "the budget is less";
}

TEST(AStrategyChoice, TakesASafeLookRatherThanOneThatBeginsSmall) {
  const StrategyEstimate gpu{8e-3, 0.2, 12e-3, true, 8e-3};
  const StrategyChoice choice = choose_strategy({known(5e-3), gpu, unknown(7e-3)}, 0.98, 0, 20e-3);
  EXPECT_EQ(choice.strategy, Strategy::gpu);
  EXPECT_FALSE(choice.begins_small);
}

TEST(AStrategyChoice, SharesOnlyForAGainOverTheGpuAlone) {
  EXPECT_EQ(choose_strategy({known(0.1), known(0.05), known(0.048)}, 1, 0.1, 0).strategy,
            Strategy::gpu);
  EXPECT_EQ(choose_strategy({known(0.1), known(0.05), known(0.04)}, 1, 0.1, 0).strategy,
            Strategy::hybrid);
}

}  // namespace
}  // namespace duoblas
