// What an engine learns from calls of one thread and of many.
#include "engine/call_learner.hpp"

#include <chrono>
#include <cmath>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "engine/outlays.hpp"
#include "support/comes_true.hpp"

namespace duoblas {
namespace {

constexpr std::size_t of_cpu = place_of(Timed::cpu_all);

GemmProblem product(std::int64_t n) {
  GemmProblem p;
  p.precision = Precision::d;
  p.m = p.n = p.k = p.lda = p.ldb = p.ldc = n;
  return p;
}

// First calls that are quicker than expected are believed.
class ACallLearner : public testing::Test {
 protected:
  static Forecast forecast(const CallKind& kind) {
    Forecast of;
    of.kind = kind;
    of.modelled[of_cpu] = 1e-3;
    return of;
  }
  static CallTimes took(double seconds) {
    CallTimes times;
    times.whole = times.seconds[of_cpu] = seconds;
    return times;
  }
  double believed(const CallKind& kind) {
    return std::exp(learner->learned(kind, false).of(Timed::cpu_all).mean);
  }

  const std::unique_ptr<CallLearner> learner = std::make_unique<CallLearner>();
  const CallKind alone = kind_of(product(500), {}),
                 beside = kind_of(product(500), {.contended = true});
};

TEST_F(ACallLearner, LearnsFromACallThatRanAlone) {
  CallLearner::Scope scope(*learner);
  scope.note(forecast(alone), took(5e-4));
  EXPECT_NEAR(believed(alone), 0.5, 0.025);
}

TEST_F(ACallLearner, NumbersClassesAsAccountsDo) {
  learner->note(alone, forecast(alone), took(1e-3));
  const std::vector<ClassGain> gained = learner->gains_of_classes();
  ASSERT_EQ(gained.size(), 1u);
  EXPECT_EQ(gained[0].number, account_class(product(500)));
}

TEST_F(ACallLearner, LearnsNothingWhereAnotherThreadsCallCameBeside) {
  CallLearner::Scope scope(*learner);
  std::thread([&] { learner->end(learner->begin()); }).join();
  scope.note(forecast(alone), took(2e-3));
  EXPECT_EQ(believed(alone), 1);
}

TEST_F(ACallLearner, TakesACallInsideAnotherOnTheSameThreadForAPartOfIt) {
  CallLearner::Scope whole(*learner);
  EXPECT_FALSE(learner->is_contended());
  {
    CallLearner::Scope part(*learner);
    part.note(forecast(alone), took(5e-4));
  }
  EXPECT_NEAR(believed(alone), 0.5, 0.025);
  whole.note(forecast(kind_of(product(3000), {})), took(5e-4));
  EXPECT_NEAR(believed(kind_of(product(3000), {})), 0.5, 0.025);
}

TEST_F(ACallLearner, KeepsWhatContendedCallsTookApart) {
  const CallLearner::CallInProgress mine = learner->begin();
  std::thread([&] {
    EXPECT_TRUE(learner->is_contended());
    CallLearner::Scope other(*learner);
    other.note(forecast(beside), took(2.5e-4));
  }).join();
  EXPECT_TRUE(learner->end(mine));
  EXPECT_FALSE(learner->is_contended());
  EXPECT_NEAR(believed(beside), 0.25, 0.025);
  EXPECT_EQ(believed(alone), 1);
}

TEST_F(ACallLearner, StartsAgainWithAnotherDevicesProfile) {
  learner->note(alone, forecast(alone), took(2e-3));
  EXPECT_EQ(learner->learned(alone, true).of(Timed::cpu_all).mean, 0);
  EXPECT_GT(learner->learned(alone, true).worst_of(Timed::gpu_side), 10);
}

TEST_F(ACallLearner, IsForManyThreads) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&, i] {
      for (int call = 0; call < 500; ++call) {
        CallLearner::Scope scope(*learner);
        const CallKind kind = kind_of(product(100 + 50 * i + call), learner->circumstances());
        (void)learner->learned(kind, false);
        scope.note(forecast(kind), took(1e-3));
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(learner->is_contended());
  EXPECT_NEAR(believed(alone), 1, 0.1);
}

TEST_F(ACallLearner, HasWhatItLearnedKeptOnceThereIsSomethingAndSomeTimeIsOver) {
  using std::chrono::milliseconds;
  int times = 0;
  const auto begun = std::chrono::steady_clock::now();
  learner->begin_with({}, false, [&] { ++times; });
  const auto passed_until_kept = [&](int wanted) {
    EXPECT_TRUE(test::comes_true([&] {
      learner->note(alone, forecast(alone), took(2e-3));
      return times == wanted;
    })) << times;
    return std::chrono::steady_clock::now() - begun;
  };
  EXPECT_GE(passed_until_kept(1), milliseconds(300));
  EXPECT_GE(passed_until_kept(2), milliseconds(900)) << "not at every call, and ever more rarely";
  const std::vector<unsigned char> kept = learner->kept();
  learner->start_again();
  EXPECT_EQ(believed(alone), 1);
  learner->begin_with(kept, false, [] {});
  EXPECT_NEAR(believed(alone), 2, 0.1);
}

TEST_F(ACallLearner, AddsTheGainsOfCallsThatOthersLearnFromAndDoesNotSpendThem) {
  learner->note(alone, forecast(alone), took(2e-3));
  const double allowance = learner->learned(alone, false).allowance;
  learner->note_other({30, 20, 10});
  learner->note_other();
  const Gains gains = learner->gains();
  EXPECT_DOUBLE_EQ(gains.worked, 30.002);
  EXPECT_DOUBLE_EQ(gains.with_gpu, 20);
  EXPECT_DOUBLE_EQ(gains.won, 10);
  EXPECT_EQ(learner->learned(alone, false).allowance, allowance);
}

TEST_F(ACallLearner, SaysWhenDecisionsMayBeOthers) {
  const CallLearner another;
  EXPECT_NE(learner->changes(), another.changes());
  const auto changes_by = [&](double seconds) {
    const std::uint64_t before = learner->changes();
    learner->note(alone, forecast(alone), took(seconds));
    return learner->changes() != before;
  };
  EXPECT_TRUE(changes_by(5e-4)) << "a new class";
  for (int call = 0; call < 20; ++call) changes_by(5e-4);
  int changes = 0;
  for (int call = 0; call < 20; ++call) changes += changes_by(call % 2 == 0 ? 5e-4 : 5.025e-4);
  EXPECT_LE(changes, 1) << "a step of 1.5 % may have been near";
  bool has_changed = false;
  for (int call = 0; call < 5; ++call) has_changed |= changes_by(1e-3);
  EXPECT_TRUE(has_changed) << "twice as slow from now on";
  const std::uint64_t before = learner->changes();
  learner->start_again();
  EXPECT_NE(learner->changes(), before);
}

}  // namespace
}  // namespace duoblas
