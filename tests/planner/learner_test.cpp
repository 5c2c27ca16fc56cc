// What a learner makes of calls, one after another.
#include "planner/learner.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "support/tuned_machine.hpp"

namespace duoblas {
namespace {

using test::paper_problem;

constexpr std::size_t of_cpu = place_of(Timed::cpu_all), of_gpu = place_of(Timed::gpu_alone);

class ALearner : public testing::Test {
 protected:
  static CallKind kind(std::int64_t m, std::int64_t n, std::int64_t k) {
    return kind_of(paper_problem(Precision::d, m, n, k), {});
  }
  // A call of the CPU alone that was expected to take 10 ms.
  void tell_cpu(const CallKind& of, double seconds) {
    Forecast forecast;
    forecast.modelled[of_cpu] = 10e-3;
    CallTimes took;
    took.whole = took.seconds[of_cpu] = seconds;
    learner->note(of, forecast, took);
  }

  // The CPU was predicted to take 10 ms, and the GPU what it takes.
  void tell_gpu_of_10_ms(const CallKind& of, double seconds) {
    Forecast forecast;
    forecast.modelled[of_cpu] = 10e-3;
    forecast.modelled[of_gpu] = seconds;
    CallTimes took;
    took.whole = took.seconds[of_gpu] = seconds;
    learner->note(of, forecast, took);
  }

  std::unique_ptr<Learner> learner = std::make_unique<Learner>();
};

TEST_F(ALearner, TakesCallsForAlikeWhoseExtentsAre) {
  EXPECT_EQ(kind(1000, 1000, 1000).call, kind(1020, 990, 1010).call);
  EXPECT_NE(kind(1000, 1000, 1000).call, kind(1500, 1000, 1000).call);
  EXPECT_EQ(kind(1000, 1000, 1000).family, kind(1500, 1000, 1000).family);
  EXPECT_NE(kind(1000, 1000, 1000).family, kind(1000, 1000, 128).family);
}

TEST_F(ALearner, TellsUpdatesFromProducts) {
  GemmProblem update = paper_problem(Precision::d, 1000, 1000, 128);
  const GemmProblem product = update;
  update.beta = 1.0;
  EXPECT_NE(kind_of(update, {}).family, kind_of(product, {}).family);
  EXPECT_NE(kind_of(update, {.contended = true}).call, kind_of(update, {}).call);
}

TEST_F(ALearner, KnowsAClassAfterACall) {
  EXPECT_FALSE(learner->learned(kind(500, 500, 500)).has_seen(Timed::cpu_all));
  tell_cpu(kind(500, 500, 500), 13e-3);
  const LearnedTimes known = learner->learned(kind(500, 500, 500));
  EXPECT_TRUE(known.has_seen(Timed::cpu_all));
  EXPECT_NEAR(std::exp(known.of(Timed::cpu_all).mean), 1.3, 0.03);
}

TEST_F(ALearner, HearsNothingFromAFirstCallThatMayHaveWokenThreads) {
  const CallKind call = kind(500, 500, 500);
  tell_cpu(call, 30e-3);
  EXPECT_FALSE(learner->learned(call).has_seen(Timed::cpu_all));
  tell_cpu(call, 10e-3);
  EXPECT_NEAR(std::exp(learner->learned(call).of(Timed::cpu_all).mean), 1, 0.1);
}

// Known plans of a class whose shapes have different partitions stay valid.
TEST_F(ALearner, SaysThatNothingChangesWhereOnlyTheCutsOfCallsAreOthers) {
  const CallKind call = kind(500, 500, 500);
  int changes = 0;
  for (int i = 0; i < 200; ++i) {
    Forecast forecast;
    CallTimes took;
    for (const Timed what : {Timed::gpu_side, Timed::cpu_side}) {
      forecast.modelled[place_of(what)] = took.seconds[place_of(what)] = 1e-3;
      forecast.log_parts[place_of(what)] = i % 2 == 0 ? -0.5 : -0.9;
    }
    took.whole = 1e-3;
    const bool has_changed = learner->note(call, forecast, took);
    if (i >= 100 && has_changed) ++changes;
  }
  EXPECT_EQ(changes, 0);
}

TEST_F(ALearner, ExpectsOfOthersWhatIsKnownOfOne) {
  tell_cpu(kind(500, 500, 500), 13e-3);
  tell_cpu(kind(3000, 3000, 128), 13e-3);
  const LearnedTimes other = learner->learned(kind(500, 2000, 1000));
  EXPECT_GT(std::exp(other.of(Timed::cpu_all).mean), 1.1);
  EXPECT_LT(other.worst_of(Timed::cpu_all), LearnerPrior{}.worst);
}

TEST_F(ALearner, KeepsContendedCallsApart) {
  const GemmProblem problem = paper_problem(Precision::d, 500, 500, 500);
  for (int i = 0; i < 2; ++i) tell_cpu(kind_of(problem, {.contended = true}), 35e-3);
  EXPECT_EQ(learner->learned(kind_of(problem, {})).of(Timed::cpu_all).mean, 0);
  EXPECT_GT(learner->learned(kind_of(problem, {.contended = true})).of(Timed::cpu_all).mean, 1);
}

TEST_F(ALearner, FearsTheGpuMostBeforeItWasSeen) {
  const CallKind call = kind(1000, 1000, 1000);
  EXPECT_EQ(learner->learned(call).worst_of(Timed::gpu_side), 10);
  Forecast forecast;
  forecast.modelled[of_gpu] = 10e-3;
  CallTimes took;
  took.whole = took.seconds[of_gpu] = 10e-3;
  learner->note(call, forecast, took);
  EXPECT_LT(learner->learned(call).worst_of(Timed::gpu_alone), 1.3);
  EXPECT_LE(learner->learned(kind(1500, 1000, 1000)).worst_of(Timed::gpu_side), 2);
  EXPECT_LE(learner->learned(kind(64, 64, 30000)).worst_of(Timed::gpu_side), 4);
}

TEST_F(ALearner, AllowsTwentyMillisecondsAndAHundredthOfTheWork) {
  EXPECT_DOUBLE_EQ(learner->allowance(), 20e-3);
  tell_cpu(kind(500, 500, 500), 0.5);
  EXPECT_DOUBLE_EQ(learner->allowance(), 25e-3);
  learner->charge(30e-3);
  EXPECT_DOUBLE_EQ(learner->allowance(), -5e-3);
}

TEST_F(ALearner, ChargesWhatFindingOutTookLonger) {
  Forecast forecast;
  forecast.modelled[of_gpu] = 10e-3;
  forecast.explores = true;
  forecast.best_seconds = 12e-3;
  CallTimes took;
  took.whole = took.seconds[of_gpu] = 16e-3;
  learner->note(kind(500, 500, 500), forecast, took);
  EXPECT_NEAR(learner->allowance(), 20e-3 + 0.16e-3 - 4e-3, 1e-6);
}

// What calls with the GPU gained is against the CPU, of whatever time that is known to be.
TEST_F(ALearner, CountsAgainWhatCallsGainedOnceTheCpuIsFaster) {
  const CallKind call = kind(500, 500, 500);
  for (int i = 0; i < 5; ++i) tell_cpu(call, 10e-3);
  for (int i = 0; i < 100; ++i) tell_gpu_of_10_ms(call, 5e-3);
  EXPECT_NEAR(learner->gains().won, 0.5, 0.1);
  for (int i = 0; i < 3; ++i) tell_cpu(call, 2.5e-3);
  EXPECT_NEAR(learner->gains().won, -0.25, 0.05);
  EXPECT_NEAR(learner->gains().with_gpu, 0.5, 1e-9);
}

// Beside others' threads a call is of no class that an account has.
TEST_F(ALearner, TellsWhatEachClassOfProductsTookAndGained) {
  const CallKind call = kind(500, 500, 500), other = kind(2000, 2000, 2000);
  for (int i = 0; i < 5; ++i) tell_cpu(call, 10e-3);
  tell_gpu_of_10_ms(call, 5e-3);
  tell_cpu(other, 20e-3);
  tell_cpu(kind_of(paper_problem(Precision::d, 700, 700, 700), {.contended = true}), 10e-3);
  const std::vector<ClassGain> gained = learner->gains_of_classes();
  ASSERT_EQ(gained.size(), 2u);
  const auto of = [&](const CallKind& one) {
    const auto number = static_cast<std::uint32_t>(one.call);
    return *std::ranges::find(gained, number, &ClassGain::number);
  };
  EXPECT_NEAR(of(call).seconds, 60e-3, 2e-3);
  EXPECT_NEAR(of(call).gain, 5e-3, 2e-3);
  EXPECT_NEAR(of(call).gain, learner->gains().won, 1e-9);
  EXPECT_NEAR(of(other).seconds, 20e-3, 1e-9);
  EXPECT_EQ(of(other).gain, 0);
}

// Ctrl-Z, a debugger, a virtual machine that was moved.
TEST_F(ALearner, FindsOutAgainAlthoughTheProcessWasStoppedDuringAnExploration) {
  const CallKind call = kind(500, 500, 500);
  tell_cpu(call, 10e-3);
  Forecast forecast;
  forecast.modelled[of_gpu] = 10e-3;
  forecast.explores = true;
  forecast.best_seconds = 10e-3;
  CallTimes took;
  took.whole = took.seconds[of_gpu] = 3600;
  learner->note(call, forecast, took);
  EXPECT_LT(learner->allowance(), 0);
  for (int i = 0; i < 20'000; ++i) tell_cpu(call, 10e-3);
  EXPECT_GT(learner->allowance(), 0) << "after 200 s of work";
}

TEST_F(ALearner, ForgetsTheClassThatWasUsedLongestAgo) {
  tell_cpu(kind(500, 500, 500), 13e-3);
  for (std::int64_t m = 1; m < 200000; m = m * 3 / 2 + 1)
    for (std::int64_t n = 1; n < 200000; n = n * 3 / 2 + 1)
      for (const std::int64_t k : {10, 1000, 100000}) tell_cpu(kind(m, n, k), 10e-3);
  tell_cpu(kind(300, 300, 300), 10e-3);
  EXPECT_TRUE(learner->learned(kind(300, 300, 300)).has_seen(Timed::cpu_all));
  EXPECT_FALSE(learner->learned(kind(500, 500, 500)).has_seen(Timed::cpu_all));
}

TEST_F(ALearner, StartsAgainWithOtherPredictionsButNotWithANewBudget) {
  tell_cpu(kind(500, 500, 500), 13e-3);
  learner->charge(10e-3);
  learner->start_again(prior_of_borrowed_profile());
  EXPECT_FALSE(learner->learned(kind(500, 500, 500)).has_seen(Timed::cpu_all));
  EXPECT_LT(learner->allowance(), 11e-3);
}

}  // namespace
}  // namespace duoblas
