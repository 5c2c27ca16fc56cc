// Copies are done by the way that was seen to be faster.
#include "dropin/engine/copy_choice.hpp"

#include <gtest/gtest.h>

namespace duoblas {
namespace {

struct Times {
  double caller, team;
};

struct Shares {
  double of_caller = 0, of_team = 0, seconds = 0;
};

Shares shares(CopyChoice& choice, const Times& times, int calls) {
  Shares seen;
  for (int call = 0; call < calls; ++call) {
    const bool by_team = choice.next() == CopyChoice::Who::team;
    const double took = by_team ? times.team : times.caller;
    (by_team ? seen.of_team : seen.of_caller) += 1.0 / calls;
    seen.seconds += took;
    choice.note(choice.is_timed() ? took : 0);
  }
  return seen;
}

TEST(CopyChoice, TakesTheFasterWay) {
  CopyChoice of_team, of_caller;
  EXPECT_GT(shares(of_team, {5e-6, 2e-6}, 10000).of_team, 0.98);
  EXPECT_GT(shares(of_caller, {2e-6, 5e-6}, 10000).of_caller, 0.98);
}

TEST(CopyChoice, LeavesCallsToTheProgramOnceATrialHasShownItsThreadToBeFaster) {
  CopyChoice of_team, of_caller;
  EXPECT_FALSE(of_caller.is_left_to_caller()) << "a trial times it";
  constexpr int trial = 18, pause = 1024;
  shares(of_team, {5e-6, 2e-6}, trial);
  shares(of_caller, {2e-6, 5e-6}, trial);
  EXPECT_FALSE(of_team.is_left_to_caller());
  EXPECT_TRUE(of_caller.is_left_to_caller());
  for (int call = 0; call < pause; ++call) of_caller.note(0);
  EXPECT_FALSE(of_caller.is_left_to_caller()) << "the next trial";
}

TEST(CopyChoice, LeavesOtherThreadsAloneWhereTheyBringNothing) {
  CopyChoice choice;
  EXPECT_GT(shares(choice, {5e-6, 4.9e-6}, 10000).of_caller, 0.98);
}

TEST(CopyChoice, LosesLittleByTrials) {
  CopyChoice choice;
  shares(choice, {1e-6, 50e-6}, 1041);  // the first trial, and the pause after it
  const int calls = 200000;
  EXPECT_LT(shares(choice, {1e-6, 50e-6}, calls).seconds, 1.05e-6 * calls);
}

// Other programs have the cores: the team waits for a time slice in each call.
TEST(CopyChoice, EndsATrialAsSoonAsItIsLost) {
  CopyChoice choice;
  EXPECT_LT(shares(choice, {5e-6, 3e-3}, 1000).seconds, 5e-6 * 1000 + 2.1 * 3e-3);
}

TEST(CopyChoice, ChangesWhereTheSpeedsDo) {
  CopyChoice choice;
  shares(choice, {5e-6, 2e-6}, 5000);
  EXPECT_GT(shares(choice, {2e-6, 5e-6}, 20000).of_caller, 0.5);
  EXPECT_GT(shares(choice, {2e-6, 5e-6}, 20000).of_caller, 0.95);
}

// However long the team was the faster one before.
TEST(CopyChoice, LeavesATeamThatHasBecomeSlowAtOnce) {
  CopyChoice choice;
  shares(choice, {5e-6, 2e-6}, 250000);
  EXPECT_LT(shares(choice, {5e-6, 3e-3}, 1000).seconds, 5e-6 * 1000 + 4 * 3e-3);
}

TEST(CopyChoice, KeepsATeamThatIsSeldomHeldUp) {
  CopyChoice choice;
  int by_team = 0;
  constexpr int calls = 100000;
  for (int call = 0; call < calls; ++call) {
    const bool is_team = choice.next() == CopyChoice::Who::team;
    by_team += is_team;
    choice.note(call % 5000 == 0 ? 3e-3 : is_team ? 2e-6 : 5e-6);
  }
  EXPECT_GT(by_team, 0.9 * calls);
}

// The caller's first call makes pages that the others find, the team's wakes its threads.
TEST(CopyChoice, DoesNotCountTheFirstCallOfEitherWay) {
  CopyChoice choice;
  for (int call = 0; call < 18; ++call) {
    const bool by_team = choice.next() == CopyChoice::Who::team;
    EXPECT_EQ(by_team, call >= 9);
    EXPECT_EQ(choice.is_timed(), call % 9 != 0);
    choice.note(call % 9 == 0 ? 0 : by_team ? 2e-6 : 5e-6);
  }
  EXPECT_EQ(choice.next(), CopyChoice::Who::team);
  EXPECT_TRUE(choice.is_timed()) << "it may become slower";
}

}  // namespace
}  // namespace duoblas
