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

TEST(CopyChoice, ChangesWhereTheSpeedsDo) {
  CopyChoice choice;
  shares(choice, {5e-6, 2e-6}, 5000);
  EXPECT_GT(shares(choice, {2e-6, 5e-6}, 20000).of_caller, 0.5);
  EXPECT_GT(shares(choice, {2e-6, 5e-6}, 20000).of_caller, 0.95);
}

TEST(CopyChoice, DoesNotCountTheCallThatWakesTheTeam) {
  CopyChoice choice;
  for (int call = 0; call < 17; ++call) {
    const bool by_team = choice.next() == CopyChoice::Who::team;
    EXPECT_EQ(by_team, call >= 8);
    EXPECT_EQ(choice.is_timed(), call != 8);
    choice.note(call == 8 ? 0 : by_team ? 2e-6 : 5e-6);
  }
  EXPECT_EQ(choice.next(), CopyChoice::Who::team);
  EXPECT_FALSE(choice.is_timed());
}

}  // namespace
}  // namespace duoblas
