// What wins by time, by energy and by both, with samples that are given.
#include "tuner/contest.hpp"

#include <gtest/gtest.h>

#include <map>

namespace duoblas {
namespace {

// Answers every trial with the same sample, round after round, or with two in turns.
class Given : public Evaluator {
 public:
  std::map<int, CallSample> of_kernel;
  std::map<int, CallSample> of_kernel_in_odd_rounds;

  std::vector<TrialOutcome> measure(const Batch& batch) override {
    std::vector<TrialOutcome> outcomes;
    for (const Trial& trial : batch.trials) {
      TrialOutcome outcome;
      outcome.samples.assign(static_cast<std::size_t>(batch.rounds),
                             of_kernel.at(trial.candidate.kernel));
      const auto other = of_kernel_in_odd_rounds.find(trial.candidate.kernel);
      for (std::size_t i = 1; other != of_kernel_in_odd_rounds.end() && i < outcome.samples.size();
           i += 2)
        outcome.samples[i] = other->second;
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

TEST(ContestSides, AreTheSharesOfTheKernelThatIsBestAloneAndAllOthers) {
  const int whole = 64;
  const std::vector<Trial> trials = {{{1, 0, 0, whole}, Sides::cpu}, {{1, 0, 0, whole}, Sides::gpu},
                                     both_trial({1, 0, 0, 52}),      both_trial({2, 0, 0, 60}),
                                     both_trial({2, 0, 0, whole}),   both_trial({2, 0, 1, 58})};
  const DuelSides first = sides_around(trials, 1);
  EXPECT_EQ(first.simple, (std::vector<std::size_t>{1, 2}));
  EXPECT_EQ(first.challengers, (std::vector<std::size_t>{3, 4, 5}));
  const DuelSides other = sides_around(trials, 4);
  EXPECT_EQ(other.simple, (std::vector<std::size_t>{3, 4}));
  EXPECT_EQ(other.challengers, (std::vector<std::size_t>{1, 2, 5}));
}

TEST(ContestRounds, AreNoMoreForWhoIsFarBehind) {
  Given given;
  given.of_kernel[0] = {1.0, 1.0, 1.0, 0};
  given.of_kernel[1] = {0.95, 1.0, 1.0, 0};  // faster in three rounds of five: undecided
  given.of_kernel_in_odd_rounds[1] = {1.05, 1.0, 1.0, 0};
  given.of_kernel[2] = {2.0, 1.0, 1.0, 0};
  given.of_kernel[3] = {4.0, 1.0, 1.0, 0};
  Contest contest(given, Goal::throughput);
  contest.trials = {{{2, 0, 0, 64}, Sides::cpu},
                    {{3, 0, 0, 64}, Sides::cpu},
                    {{0, 0, 0, 64}, Sides::gpu},
                    both_trial({1, 0, 0, 60}),
                    both_trial({2, 0, 0, 30})};
  int asked = 0;
  contest.fight(sides_around(contest.trials, 2), [&] { return ++asked > 1; });
  EXPECT_EQ(contest.samples[2].size(), contest.samples[3].size());
  EXPECT_EQ(contest.samples[0].size(), contest.samples[2].size());
  EXPECT_LT(contest.samples[1].size(), contest.samples[2].size());
  EXPECT_LT(contest.samples[4].size(), contest.samples[2].size());
}

TEST(ContestRounds, GoOnForTheTwoThatItIsBetweenHoweverFarApart) {
  Given given;
  given.of_kernel[0] = {1.0, 1.0, 1.0, 0};
  given.of_kernel[1] = {0.85, 1.0, 1.0, 0};  // by more than a tenth, in three rounds of five
  given.of_kernel_in_odd_rounds[1] = {1.3, 1.0, 1.0, 0};
  given.of_kernel[2] = {0.3, 1.0, 1.0, 0};
  Contest contest(given, Goal::throughput);
  contest.trials = {{{2, 0, 0, 64}, Sides::cpu},
                    {{2, 0, 0, 64}, Sides::cpu},
                    {{0, 0, 0, 64}, Sides::gpu},
                    both_trial({1, 0, 0, 60})};
  int asked = 0;
  contest.fight(sides_around(contest.trials, 2), [&] { return ++asked > 1; });
  for (const auto& samples : contest.samples) EXPECT_EQ(samples.size(), 10u);
}

}  // namespace
}  // namespace duoblas
