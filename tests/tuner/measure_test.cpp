// Interleaved timing, the final comparison and the crossover, on numbers that are given.
#include "tuner/measure.hpp"
#include "timing/median.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "tuner/crossover.hpp"
#include "tuner/final_decision.hpp"

namespace duoblas {
namespace {

TimedCandidate always(double seconds) {
  return [seconds] { return std::optional<double>(seconds); };
}

Timing timing(std::vector<double> samples) {
  Timing t;
  t.samples = std::move(samples);
  t.rounds = static_cast<int>(t.samples.size());
  t.median = median(t.samples);
  return t;
}

TEST(InterleavedMeasurement, RunsEveryCandidateOncePerRoundInChangingOrder) {
  std::string order;
  std::vector<TimedCandidate> candidates;
  for (const char name : {'a', 'b', 'c'})
    candidates.push_back([&order, name] {
      order += name;
      return std::optional<double>(1.0);
    });
  MeasureRules rules;
  rules.max_rounds = 20;
  rules.warm_up = false;
  const auto timings = measure_interleaved(candidates, rules);
  ASSERT_EQ(order.size(), 60u);
  bool changes = false;
  for (std::size_t round = 0; round < 20; ++round) {
    std::string turn = order.substr(3 * round, 3);
    changes |= turn != order.substr(0, 3);
    std::sort(turn.begin(), turn.end());
    EXPECT_EQ(turn, "abc");
  }
  EXPECT_TRUE(changes);
  for (const Timing& t : timings) EXPECT_EQ(t.rounds, 20);
}

TEST(InterleavedMeasurement, LeavesOutWhatIsFarBehind) {
  MeasureRules rules;
  rules.min_rounds = 3;
  rules.max_rounds = 10;
  rules.drop_beyond = 1.5;
  const auto timings = measure_interleaved({always(9), always(1), always(2), always(1.2)}, rules);
  EXPECT_EQ(timings[0].rounds, 3);
  EXPECT_EQ(timings[1].rounds, 10);
  EXPECT_EQ(timings[2].rounds, 3);
  EXPECT_EQ(timings[3].rounds, 10);
  EXPECT_DOUBLE_EQ(timings[2].median, 2);
}

TEST(InterleavedMeasurement, StopsAtTheDeadlineButNotBeforeTheLeastRounds) {
  MeasureRules rules;
  rules.min_rounds = 4;
  rules.max_rounds = 1000;
  rules.deadline = Clock::now();
  EXPECT_EQ(measure_interleaved({always(1)}, rules)[0].rounds, 4);
}

TEST(InterleavedMeasurement, NeverRunsAFailedCandidateAgain) {
  int runs = 0;
  const TimedCandidate failing = [&runs]() -> std::optional<double> {
    if (++runs < 3) return 1.0;
    return std::nullopt;
  };
  const auto timings = measure_interleaved({failing, always(2)}, {});
  EXPECT_EQ(runs, 3);
  EXPECT_TRUE(timings[0].failed);
  EXPECT_TRUE(std::isinf(timings[0].median));
  EXPECT_DOUBLE_EQ(timings[1].median, 2);
}

TEST(ClearlyFaster, SeesThroughADriftThatIsLargerThanTheDifference) {
  std::vector<double> x, y;
  double clock = 1;
  for (int round = 0; round < 15; ++round) {
    clock *= 1.02;
    x.push_back(0.98 * clock);
    y.push_back(clock);
  }
  EXPECT_TRUE(clearly_faster(timing(x), timing(y)));
  EXPECT_FALSE(clearly_faster(timing(y), timing(x)));
}

TEST(ClearlyFaster, DoesNotTakeNoiseForAGain) {
  std::mt19937 random(3);
  std::normal_distribution<double> noise(1.0, 0.02);
  int claimed = 0;
  for (int trial = 0; trial < 300; ++trial) {
    std::vector<double> x, y;
    for (int round = 0; round < 15; ++round) {
      x.push_back(noise(random));
      y.push_back(noise(random));
    }
    claimed += clearly_faster(timing(x), timing(y));
  }
  // Fifteen rounds of which ten must be won by chance alone: 15 % without the margin.
  EXPECT_LT(claimed, 45);
}

TEST(FinalDecision, IsWonByTheSimplePairUnlessAnotherIsClearlyFaster) {
  const auto close = timing({0.999, 1.001, 1.0, 0.998, 1.001});
  const auto simple = timing({1.0, 1.0, 1.0, 1.0, 1.0});
  const auto better = timing({0.95, 0.96, 0.95, 0.96, 0.95});
  const auto best = timing({0.90, 0.91, 0.90, 0.91, 0.90});
  EXPECT_EQ(decide_final({simple, close}, {{0}, {1}}).winner, 0u);
  EXPECT_EQ(decide_final({simple, close, best, better}, {{0}, {1, 2, 3}}).winner, 2u);
  EXPECT_EQ(decide_final({simple, better}, {{0}, {}}).winner, 0u);
}

TEST(FinalDecision, TakesTheFasterOfTheSimpleVariants) {
  const auto coarse = timing({1.0, 1.0, 1.0});
  const auto fine = timing({0.9, 0.9, 0.9});
  const FinalVerdict verdict = decide_final({coarse, fine}, {{0, 1}, {}});
  EXPECT_EQ(verdict.simple, 1u);
  EXPECT_EQ(verdict.winner, 1u);
}

TEST(FinalDecision, IsNeverWonByWhatFailed) {
  Timing failed = timing({0.1, 0.1, 0.1});
  failed.failed = true;
  failed.median = std::numeric_limits<double>::infinity();
  EXPECT_EQ(decide_final({timing({1, 1, 1}), failed}, {{0}, {1}}).winner, 0u);
}

TEST(Crossover, IsWhereLeastIsLost) {
  EXPECT_DOUBLE_EQ(
      crossover_flops({{1e6, 1, 3}, {2e6, 1, 0.9}, {3e6, 1, 1.1}, {4e6, 1, 0.9}, {5e6, 1, 0.8}}),
      4e6);
  EXPECT_DOUBLE_EQ(crossover_flops({{1e6, 1, 0.5}, {2e6, 1, 0.5}}), 1e6);
}

TEST(Crossover, IsNotMovedByOneDisturbedSize) {
  EXPECT_DOUBLE_EQ(
      crossover_flops({{1e6, 1, 2}, {2e6, 1, 0.8}, {3e6, 1, 0.8}, {4e6, 1, 0.8}, {5e6, 1, 1.2}}),
      2e6);
}

TEST(Crossover, LiesAboveTheLargestSizeWhereTheCpuIsToDoThemAll) {
  EXPECT_GT(crossover_flops({{1e6, 1, 1.5}, {2e6, 1, 0.99}}), 2e6);
  EXPECT_DOUBLE_EQ(crossover_flops({}), 0);
}

}  // namespace
}  // namespace duoblas
