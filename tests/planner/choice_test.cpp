// Which way is best as far as is known, and what decides whether another one is tried.
#include "planner/choice.hpp"

#include <limits>

#include <gtest/gtest.h>

#include "planner/way_chooser.hpp"

namespace duoblas::test {
namespace {

constexpr double endless = std::numeric_limits<double>::infinity();
constexpr TryBudget only_by_losses{endless, 0};

Prospect seen(double seconds, double spread = 0.02) {
  return {seconds, spread, seconds, true};
}
/// Calls of ten seconds in all went another way.
Prospect passed_over(Prospect one) {
  one.unseen.here = 10;
  return one;
}
bool is_tried(const Prospect& other, TryBudget budget = only_by_losses) {
  const Prospect ways[] = {seen(1), other};
  return choose(ways, budget).way == 1;
}

TEST(AChoice, IsOfTheLeastTimeTimesHandicap) {
  Prospect ways[] = {seen(1), seen(0.95)};
  EXPECT_EQ(choose(ways, only_by_losses).best, 1U);
  ways[1].handicap = 1.1;
  EXPECT_EQ(choose(ways, only_by_losses).best, 0U);
}

TEST(AChoice, TriesNothingBeforeTheBestWayWasSeen) {
  Prospect ways[] = {seen(1), passed_over({1.2, 0.4, 2})};
  EXPECT_EQ(choose(ways, only_by_losses).way, 1U);
  ways[0].seen = false;
  EXPECT_EQ(choose(ways, only_by_losses).way, 0U);
}

// With a spread of 0.4 calls of ten seconds may have lost 10 (1 - 1.2 exp(-0.4)) = 1.96 s.
TEST(AChoice, TriesWhatCallsMayHaveLostAsMuchByAsItCosts) {
  Prospect other = passed_over({1.2, 0.4, 2});
  other.may_look = false;
  EXPECT_TRUE(is_tried(other));
  other.calls = 10;
  EXPECT_FALSE(is_tried(other)) << "a try of ten calls costs 2 s";
  other.calls = 1;
  other.lost = 2;
  EXPECT_FALSE(is_tried(other)) << "the last one cost as much";
}

TEST(AChoice, LooksAgainForAHundredthOfTheCallsSinceThen) {
  Prospect other = passed_over(seen(1.05, 0.2));
  other.lost = 0.09;
  other.calls = 1000;
  EXPECT_TRUE(is_tried(other));
  other.may_look = false;
  EXPECT_FALSE(is_tried(other));
}

TEST(AChoice, LooksAtWhatIsKnownOnlyIfToldSoAndIfItTakesLonger) {
  Prospect other = passed_over(seen(1.05));
  EXPECT_FALSE(is_tried(other));
  other.looks_if_known = true;
  EXPECT_TRUE(is_tried(other));
  other.seconds = 0.99;
  other.handicap = 1.1;
  EXPECT_FALSE(is_tried(other)) << "its gain is less than its handicap, and known";
}

// Two known ways that are about equal: a try of the other would gain what it costs in the long run.
TEST(AChoice, OfKnownWaysPaysForLooksNotForWhatTheyMayTakeLess) {
  Prospect other = passed_over(seen(1.05, 0.09));
  other.looks_if_known = true;
  other.lost = 0.2;
  EXPECT_FALSE(is_tried(other));
}

TEST(AChoice, TriesWhatNobodySawWhereThatCostsNextToNothing) {
  Prospect other{1.002, 0.4, 2};
  const TryBudget budget{endless, 3e-3};
  EXPECT_TRUE(is_tried(other, budget));
  other.may_look = false;
  EXPECT_FALSE(is_tried(other, budget));
}

TEST(AChoice, TriesTheFastestOfSeveral) {
  const Prospect ways[] = {seen(1), passed_over({0.9, 0.4, 2}), passed_over({0.8, 0.4, 2})};
  Prospect first = ways[0];
  first.handicap = 0.1;
  const Prospect all[] = {first, ways[1], ways[2]};
  EXPECT_EQ(choose(all, only_by_losses).way, 2U);
}

// Kernels that were never built: the job is not done, whatever is chosen.
TEST(AWay, ThatIsTriedInVainDoesNotKeepAnotherFromItsTry) {
  WayChooser chooser;
  LapackProblem p;
  p.routine = LapackRoutine::getrf;
  p.m = p.n = 4000;
  int halves = 0;
  for (int i = 0; i < 400; ++i) {
    const Way way = chooser.choose(
        class_of(p), {{Way::plain, 1}, {Way::job, 1.1, 1.2}, {Way::halves, 1.15, 1.2}});
    halves += way == Way::halves;
    if (way != Way::job) chooser.observe(class_of(p), way, way == Way::halves ? 0.5 : 1);
  }
  EXPECT_GT(halves, 300);
}

TEST(AWay, ThatTakesAsLongAsTheBestCostsNoMoreThanLooks) {
  WayChooser chooser;
  LapackProblem p;
  p.routine = LapackRoutine::getrf;
  p.m = p.n = 4000;
  Way last = Way::plain;
  double spent = 0;
  for (int i = 0; i < 2000; ++i) {
    const Way way = chooser.choose(class_of(p), {{Way::plain, 1}, {Way::job, 0.9, 1.2}});
    // Beside the program's spinning threads the first call of a job takes twice as long.
    const double seconds = way == Way::plain ? 1 : last == Way::plain ? 2.02 : 1.01;
    spent += seconds;
    chooser.observe(class_of(p), way, seconds);
    last = way;
  }
  EXPECT_LT(spent, 2000 * 1.025);
}

}  // namespace
}  // namespace duoblas::test
