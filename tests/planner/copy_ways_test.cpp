// Copies are done by the way that was seen to be faster.
#include <gtest/gtest.h>

#include <random>

#include "planner/way_class.hpp"

namespace duoblas::test {
namespace {

/// Seconds of a copy of one element.
struct CopyTimes {
  double caller, team;
};

struct Shares {
  double of_caller = 0, of_team = 0, seconds = 0;
};

Way choose(WayClass& copies) {
  const double seconds = copies.seen_seconds(Way::plain, 1).value_or(1);
  const WayEstimate ways[] = {{Way::plain, seconds}, {Way::team, seconds}};
  return copies.choose(ways, 1).way;
}

Shares shares(WayClass& copies, const CopyTimes& times, int calls) {
  Shares seen;
  for (int call = 0; call < calls; ++call) {
    const Way way = choose(copies);
    const double took = way == Way::team ? times.team : times.caller;
    (way == Way::team ? seen.of_team : seen.of_caller) += 1.0 / calls;
    seen.seconds += took;
    copies.observe(way, took, 1);
  }
  return seen;
}

TEST(Copies, TakeTheFasterWay) {
  WayClass of_team, of_caller;
  EXPECT_GT(shares(of_team, {5e-6, 2e-6}, 10000).of_team, 0.98);
  EXPECT_GT(shares(of_caller, {2e-6, 5e-6}, 10000).of_caller, 0.98);
}

// The program's own BLAS does them meanwhile, whose code is faster, and nobody times it.
TEST(Copies, ThatAreLeftToTheProgramCountForTheNextLookAtTheTeam) {
  WayClass copies;
  shares(copies, {2e-6, 5e-6}, 10);
  int looks = 0;
  constexpr int calls = 10000;
  for (int call = 0; call < calls; ++call) {
    const Way way = choose(copies);
    if (way == Way::team) {
      ++looks;
      copies.observe(Way::team, 5e-6, 1);
    } else {
      copies.passed(Way::plain, 1);
    }
  }
  EXPECT_GT(looks, 2);
  EXPECT_LT(looks * 3e-6, 0.02 * calls * 2e-6);
}

TEST(Copies, LeaveOtherThreadsAloneWhereTheyBringNothing) {
  WayClass copies;
  EXPECT_GT(shares(copies, {5e-6, 4.9e-6}, 10000).of_caller, 0.98);
}

TEST(Copies, LoseLittleByTrials) {
  WayClass copies;
  shares(copies, {1e-6, 50e-6}, 1041);
  const int calls = 200000;
  EXPECT_LT(shares(copies, {1e-6, 50e-6}, calls).seconds, 1.05e-6 * calls);
}

// Other programs have the cores: the team waits for a time slice in each call.
TEST(Copies, EndATrialAsSoonAsItIsLost) {
  WayClass copies;
  EXPECT_LT(shares(copies, {5e-6, 3e-3}, 1000).seconds, 5e-6 * 1000 + 2.1 * 3e-3);
}

TEST(Copies, ChangeWhereTheSpeedsDo) {
  WayClass copies;
  shares(copies, {5e-6, 2e-6}, 5000);
  EXPECT_GT(shares(copies, {2e-6, 5e-6}, 20000).of_caller, 0.5);
  EXPECT_GT(shares(copies, {2e-6, 5e-6}, 20000).of_caller, 0.95);
}

// However long the team was the faster one before.
TEST(Copies, LeaveATeamThatHasBecomeSlowAtOnce) {
  WayClass copies;
  shares(copies, {5e-6, 2e-6}, 250000);
  EXPECT_LT(shares(copies, {5e-6, 3e-3}, 1000).seconds, 5e-6 * 1000 + 4 * 3e-3);
}

TEST(Copies, KeepATeamThatIsSeldomHeldUp) {
  WayClass copies;
  int by_team = 0;
  constexpr int calls = 100000;
  for (int call = 0; call < calls; ++call) {
    const Way way = choose(copies);
    by_team += way == Way::team;
    copies.observe(way, call % 5000 == 0 ? 3e-3 : way == Way::team ? 2e-6 : 5e-6, 1);
  }
  EXPECT_GT(by_team, 0.9 * calls);
}

// What such calls take is their mean.
TEST(Copies, LeaveATeamThatIsOftenHeldUp) {
  WayClass copies;
  double seconds = 0;
  constexpr int calls = 100000;
  std::minstd_rand random(1);
  for (int call = 0; call < calls; ++call) {
    const Way way = choose(copies);
    const bool is_held_up = way == Way::team && random() % 50 == 0;
    const double took = is_held_up ? 3e-3 : way == Way::team ? 2e-6 : 5e-6;
    copies.observe(way, took, 1);
    seconds += took;
  }
  EXPECT_LT(seconds, 0.3 * calls * 62e-6) << "a team's mean is 62 us";
}

// The caller's first call makes pages that the others find, the team's wakes its threads.
TEST(Copies, DoNotCountTheFirstCallOfEitherWay) {
  WayClass copies;
  for (const Way way : {Way::plain, Way::team}) {
    ASSERT_EQ(choose(copies), way);
    copies.observe(way, 1e-4, 1);
    ASSERT_EQ(choose(copies), way);
    copies.observe(way, way == Way::team ? 2e-6 : 5e-6, 1);
  }
  EXPECT_EQ(choose(copies), Way::team);
}

}  // namespace
}  // namespace duoblas::test
