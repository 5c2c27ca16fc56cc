// What wins by time, by energy and by both, with samples that are given.
#include "tuner/final_comparison.hpp"

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
  FinalComparison comparison(given, goal);
  comparison.trials = {both_trial({0, 0, 0, 8}), both_trial({1, 0, 0, 8})};
  FinalSides sides;
  sides.simple = {0};
  sides.challengers = {1};
  comparison.run_rounds(sides, [] { return false; });
  return comparison.trials[decide_final(comparison.timings, sides).winner].candidate.kernel;
}

TEST(FinalComparisonByGoal, TheFastestWinsByTime) {
  EXPECT_EQ(winner_by(Goal::throughput, 1.2), 0);
}

TEST(FinalComparisonByGoal, TheMostFrugalWinsByEnergyHoweverSlow) {
  EXPECT_EQ(winner_by(Goal::energy, 1.2), 1);
  EXPECT_EQ(winner_by(Goal::energy, 2.0), 1);
}

TEST(FinalComparisonByGoal, EnergyTimesDelayWeighsBoth) {
  EXPECT_EQ(winner_by(Goal::energy_delay, 1.2), 1);
  EXPECT_EQ(winner_by(Goal::energy_delay, 2.0), 0);
}

TEST(FinalComparisonByGoal, WhatHasNoJoulesNeverWinsByEnergy) {
  EXPECT_GT(cost_of(CallSample{1, 1, 1, 0}, Goal::energy),
            cost_of(CallSample{1, 1, 1, 1e9}, Goal::energy));
  EXPECT_EQ(cost_of(CallSample{1, 1, 1, 0}, Goal::throughput), 1);
}

TEST(FinalComparisonSides, AreTheSharesOfTheKernelThatIsBestAloneAndAllOthers) {
  const int whole = 64;
  const std::vector<Trial> trials = {{{1, 0, 0, whole}, Sides::cpu}, {{1, 0, 0, whole}, Sides::gpu},
                                     both_trial({1, 0, 0, 52}),      both_trial({2, 0, 0, 60}),
                                     both_trial({2, 0, 0, whole}),   both_trial({2, 0, 1, 58})};
  const FinalSides first = sides_around(trials, 1);
  EXPECT_EQ(first.simple, (std::vector<std::size_t>{1, 2}));
  EXPECT_EQ(first.challengers, (std::vector<std::size_t>{3, 4, 5}));
  const FinalSides other = sides_around(trials, 4);
  EXPECT_EQ(other.simple, (std::vector<std::size_t>{3, 4}));
  EXPECT_EQ(other.challengers, (std::vector<std::size_t>{1, 2, 5}));
}

TEST(FinalComparisonRounds, AreNoMoreForWhoIsFarBehind) {
  Given given;
  given.of_kernel[0] = {1.0, 1.0, 1.0, 0};
  given.of_kernel[1] = {0.95, 1.0, 1.0, 0};  // faster in three rounds of five: undecided
  given.of_kernel_in_odd_rounds[1] = {1.05, 1.0, 1.0, 0};
  given.of_kernel[2] = {2.0, 1.0, 1.0, 0};
  given.of_kernel[3] = {4.0, 1.0, 1.0, 0};
  FinalComparison comparison(given, Goal::throughput);
  comparison.trials = {{{2, 0, 0, 64}, Sides::cpu},
                       {{3, 0, 0, 64}, Sides::cpu},
                       {{0, 0, 0, 64}, Sides::gpu},
                       both_trial({1, 0, 0, 60}),
                       both_trial({2, 0, 0, 30})};
  int asked = 0;
  comparison.run_rounds(sides_around(comparison.trials, 2), [&] { return ++asked > 1; });
  EXPECT_EQ(comparison.samples[2].size(), comparison.samples[3].size());
  EXPECT_EQ(comparison.samples[0].size(), comparison.samples[2].size());
  EXPECT_LT(comparison.samples[1].size(), comparison.samples[2].size());
  EXPECT_LT(comparison.samples[4].size(), comparison.samples[2].size());
}

TEST(FinalComparisonRounds, GoOnForTheTwoThatItIsBetweenHoweverFarApart) {
  Given given;
  given.of_kernel[0] = {1.0, 1.0, 1.0, 0};
  given.of_kernel[1] = {0.85, 1.0, 1.0, 0};  // by more than a tenth, in three rounds of five
  given.of_kernel_in_odd_rounds[1] = {1.3, 1.0, 1.0, 0};
  given.of_kernel[2] = {0.3, 1.0, 1.0, 0};
  FinalComparison comparison(given, Goal::throughput);
  comparison.trials = {{{2, 0, 0, 64}, Sides::cpu},
                       {{2, 0, 0, 64}, Sides::cpu},
                       {{0, 0, 0, 64}, Sides::gpu},
                       both_trial({1, 0, 0, 60})};
  int asked = 0;
  comparison.run_rounds(sides_around(comparison.trials, 2), [&] { return ++asked > 1; });
  for (const auto& samples : comparison.samples) EXPECT_EQ(samples.size(), 10u);
}

}  // namespace
}  // namespace duoblas
