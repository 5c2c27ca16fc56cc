// Which strategy is used while times are uncertain, and when another is tried.
#include "planner/strategy_choice.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace duoblas {
namespace {

constexpr double none = std::numeric_limits<double>::infinity();
constexpr Prospect impossible{none, 0, none, false};

Prospect known(double seconds) {
  return {seconds, 0.02, 1.1 * seconds, true};
}
Prospect unknown(double seconds, double worst_factor = 10) {
  return {seconds, 0.23, worst_factor * seconds, false};
}

// The class's calls since it was seen.
Prospect unseen_for(double seconds, Prospect one) {
  one.unseen.here = seconds;
  return one;
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
  const StrategyChoice choice = choose_strategy(
      {unseen_for(2e-3, unknown(1e-3, 2)), impossible, known(0.9e-3)}, 0.98, 0, 20e-3);
  EXPECT_EQ(choice.strategy, Strategy::cpu);
  EXPECT_TRUE(choice.explores);
  EXPECT_EQ(choice.best, Strategy::hybrid);
  EXPECT_DOUBLE_EQ(choice.best_seconds, 0.9e-3);
}

TEST(ATry, ComesOnceCallsMayHaveLostWhatItCosts) {
  const Prospect other = unknown(1.05e-3, 2);  // 0.83 ms at best
  EXPECT_FALSE(is_try_due(other, 1e-3, budget_of(4.5e-3)));
  EXPECT_FALSE(is_try_due(unseen_for(0.2e-3, other), 1e-3, budget_of(4.5e-3)));
  EXPECT_TRUE(is_try_due(unseen_for(1e-3, other), 1e-3, budget_of(4.5e-3)));
}

TEST(ATry, OfWhatNobodySawIsMadeWhereItCostsNextToNothing) {
  Prospect other = unknown(1.15e-3, 2);
  EXPECT_TRUE(is_try_due(other, 1e-3, budget_of(20e-3)));
  EXPECT_FALSE(is_try_due(other, 1e-3, budget_of(10e-3)));
  other.seen = true;
  EXPECT_FALSE(is_try_due(other, 1e-3, budget_of(20e-3)));
}

TEST(ATry, IsPaidByTheBudgetHoweverLongItMayTake) {
  const Prospect other = unseen_for(1e-3, unknown(1.05e-3, 2));
  EXPECT_TRUE(is_try_due(other, 1e-3, budget_of(4 * 1.2e-3)));
  EXPECT_FALSE(is_try_due(other, 1e-3, budget_of(4 * 1e-3)));
}

TEST(ATry, OfWhatIsExpectedToGainCostsNothing) {
  EXPECT_TRUE(is_try_due(unknown(0.99e-3), 1e-3, budget_of(1)));
  EXPECT_FALSE(is_try_due(known(0.99e-3), 1e-3, budget_of(1))) << "its time is known";
}

// What is known may be wrong altogether.
TEST(ATry, OfWhatIsHopelessMayCostAHundredthOfTheCallsSince) {
  Prospect other{5e-3, 0.2, 12e-3, true};
  EXPECT_FALSE(is_try_due(unseen_for(0.3, other), 1e-3, budget_of(20e-3)));
  EXPECT_TRUE(is_try_due(unseen_for(0.5, other), 1e-3, budget_of(20e-3)));
  other.unseen.waited = 0.3;
  EXPECT_FALSE(is_try_due(unseen_for(0.5, other), 1e-3, budget_of(20e-3)))
      << "the last look showed nothing";
  EXPECT_TRUE(is_try_due(unseen_for(0.7, other), 1e-3, budget_of(20e-3)));
  EXPECT_FALSE(is_try_due(unseen_for(0.7, other), 1e-3, budget_of(3e-3))) << "the budget is less";
}

TEST(AStrategyChoice, LooksAtNothingThatIsHopeless) {
  EXPECT_FALSE(choose_strategy({unseen_for(2e-3, unknown(1e-3, 2)), impossible, known(0.3e-3)},
                               0.98, 0, 20e-3)
                   .explores);
}

TEST(AStrategyChoice, FindsNothingOutThatMayCostMoreThanAQuarterOfWhatIsAllowed) {
  const StrategyEstimates estimates{unseen_for(1, unknown(0.1, 2)), impossible, known(0.09)};
  EXPECT_TRUE(choose_strategy(estimates, 0.98, 0, 4 * 0.12).explores);
  EXPECT_FALSE(choose_strategy(estimates, 0.98, 0, 4 * 0.1).explores);
}

TEST(AStrategyChoice, TriesNothingBeforeTheBestWaysTimeIsSeen) {
  StrategyEstimates estimates{unseen_for(2e-3, unknown(1e-3, 2)), impossible, known(0.9e-3)};
  EXPECT_TRUE(choose_strategy(estimates, 0.98, 0, 20e-3).explores);
  estimates.both.seen = false;
  EXPECT_FALSE(choose_strategy(estimates, 0.98, 0, 20e-3).explores);
}

TEST(AStrategyChoice, BeginsWithTheGpuAloneWhereBothAreImpossible) {
  const StrategyChoice choice =
      choose_strategy({known(0.1), unseen_for(1, unknown(0.11)), impossible}, 0.98, 0, 20e-3);
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
      choose_strategy({known(0.1), impossible, unseen_for(1, unknown(0.11))}, 0.98, 0, 20e-3);
  EXPECT_EQ(choice.strategy, Strategy::hybrid);
  EXPECT_TRUE(choice.explores);
  EXPECT_TRUE(choice.begins_small);
}

TEST(AStrategyChoice, TakesASafeLookRatherThanOneThatBeginsSmall) {
  const Prospect gpu = unseen_for(0.4, {8e-3, 0.2, 12e-3, true});
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
