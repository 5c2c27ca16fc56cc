// What wins by time, by energy and by both, with samples that are given.
#include "tuner/contest.hpp"

#include <gtest/gtest.h>

#include <map>

namespace duoblas {
namespace {

// Answers every trial with the same sample, round after round.
class Given : public Evaluator {
 public:
  std::map<int, CallSample> of_kernel;

  std::vector<Outcome> measure(const Batch& batch) override {
    std::vector<Outcome> outcomes;
    for (const Trial& trial : batch.trials) {
      Outcome outcome;
      outcome.samples.assign(static_cast<std::size_t>(batch.rounds),
                             of_kernel.at(trial.candidate.kernel));
      outcomes.push_back(std::move(outcome));
    }
    return outcomes;
  }
};

// Kernel 0 is fast and thirsty, kernel 1 slower and frugal.
int winner_by(Goal goal, double frugal_seconds) {
  Given given;
  given.of_kernel[0] = {1.0, 1.0, 1.0, 300};
  given.of_kernel[1] = {frugal_seconds, 1.0, 1.0, 200};
  Contest contest(given, goal);
  contest.trials = {both_trial({0, 0, 0, 8}), both_trial({1, 0, 0, 8})};
  DuelSides sides;
  sides.simple = {0};
  sides.challengers = {1};
  contest.fight(sides, [] { return false; });
  return contest.trials[decide_duel(contest.timings, sides).winner].candidate.kernel;
}

TEST(ContestByGoal, TheFastestWinsByTime) {
  EXPECT_EQ(winner_by(Goal::throughput, 1.2), 0);
}

TEST(ContestByGoal, TheMostFrugalWinsByEnergyHoweverSlow) {
  EXPECT_EQ(winner_by(Goal::energy, 1.2), 1);
  EXPECT_EQ(winner_by(Goal::energy, 2.0), 1);
}

TEST(ContestByGoal, EnergyTimesDelayWeighsBoth) {
  EXPECT_EQ(winner_by(Goal::energy_delay, 1.2), 1);
  EXPECT_EQ(winner_by(Goal::energy_delay, 2.0), 0);
}

TEST(ContestByGoal, WhatHasNoJoulesNeverWinsByEnergy) {
  EXPECT_GT(cost_of(CallSample{1, 1, 1, 0}, Goal::energy),
            cost_of(CallSample{1, 1, 1, 1e9}, Goal::energy));
  EXPECT_EQ(cost_of(CallSample{1, 1, 1, 0}, Goal::throughput), 1);
}

}  // namespace
}  // namespace duoblas
