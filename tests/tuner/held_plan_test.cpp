// The last word on a plan, on a machine that the test plays: calls of a millisecond, and another
// program that has a core now and then.
#include "tuner/held_plan.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

#include <gtest/gtest.h>

#include "simulation/synthetic_machine.hpp"
#include "tuner/order_of_round.hpp"
#include "tuner/quiet_rounds.hpp"

namespace duoblas {
namespace {

class PlayedMachine : public Evaluator {
 public:
  PlayedMachine(unsigned seed, std::function<bool(double at)> others)
      : random_(seed), others_(std::move(others)) {}

  std::vector<TrialOutcome> measure(const Batch& batch) override {
    std::vector<TrialOutcome> outcomes(batch.trials.size());
    std::vector<std::size_t> good(outcomes.size(), 0);
    RoundCalls calls;
    calls.sample = [&](int round) {
      for (const std::size_t i : order_of_round(outcomes.size(), round, 1))
        outcomes[i].samples.push_back(call(batch.trials[i]));
    };
    calls.keep = [&] {
      for (std::size_t i = 0; i < outcomes.size(); ++i) good[i] = outcomes[i].samples.size();
    };
    calls.go_back = [&] {
      for (std::size_t i = 0; i < outcomes.size(); ++i) outcomes[i].samples.resize(good[i]);
    };
    const RoundsMade made =
        make_rounds(quiet_, batch.rounds, batch.to_the_end && judges_to_the_end, calls);
    for (TrialOutcome& outcome : outcomes) outcome.beside = made.beside;
    beside = std::max(beside, made.beside);
    ++batches;
    return outcomes;
  }

  /// Of a call in quiet, without noise.
  double seconds(const Trial& trial) const { return true_call(trial, false).whole; }
  double best_seconds() const {
    double best = 1;
    for (int parts = 1; parts <= 64; ++parts)
      best = std::min(best, seconds({{0, 0, 1, parts}, Sides::both}));
    return best;
  }
  double now() const { return now_.at; }

  bool judges_to_the_end = true;
  bool slows_earlier_kernels = false;
  double scale = 1;  ///< of all times
  double beside = 0;
  int batches = 0;

 private:
  // A core that is busy holds up the CPU's threads, which wait for each other.
  CallSample true_call(const Trial& trial, bool is_disturbed) const {
    const Candidate& c = trial.candidate;
    const double share = trial.sides == Sides::cpu ? 0 : c.gpu_parts / 64.0;
    CallSample call;
    const int slowness = slows_earlier_kernels ? 2 - c.kernel : 1;
    call.gpu = share > 0 ? 0.1e-3 + share * 1.1e-3 * slowness : 0;
    call.cpu = (1 - share) * 2.4e-3 * (is_disturbed ? 3 : 1);
    call.whole = std::max(call.gpu, call.cpu) + 0.02e-3;
    for (double* seconds : {&call.whole, &call.gpu, &call.cpu}) *seconds *= scale;
    return call;
  }

  CallSample call(const Trial& trial) {
    CallSample call = true_call(trial, others_(now_.at));
    call.whole *= 1 + noise_(random_);
    pass(call.whole, 15);
    return call;
  }

  void pass(double seconds, double own) {
    constexpr double step = 1e-4;
    for (double passed = 0; passed < seconds; passed += step) {
      const double part = std::min(step, seconds - passed);
      now_.at += part;
      now_.own += part * own;
      now_.busy += part * (own + (others_(now_.at) ? 1 : 0));
    }
  }

  std::mt19937 random_;
  std::normal_distribution<double> noise_{0, 0.03};
  std::function<bool(double at)> others_;
  ProcessorUse now_{0, 0, 0, 16};
  Quiet quiet_{10, 20, [this] { return now_; }, [this](double seconds) { pass(seconds, 0); }};
};

bool never(double) {
  return false;
}

class Held : public ::testing::Test {
 protected:
  // A plan with so many of 64 parts on the GPU.
  TunedPoint point(int parts) const {
    TunedPoint point;
    point.m = point.n = point.k = 1024;
    point.hybrid.kernel = point.gpu.kernel = point.simple.kernel = kernels_[0];
    point.gpu.share = point.simple.share = {16, 16};
    point.hybrid.share = {parts, 64};
    point.hybrid.seconds = point.simple.seconds = point.gpu.seconds = 1e-3;
    point.cpu_seconds = point.cpu_all_seconds = 2.4e-3;
    return point;
  }

  HeldPlan hold(PlayedMachine& machine, const TunedPoint& of, double until = 1e9) const {
    const SearchSpace space = space_around(of, {}, {}, {});
    return held_plan(machine, space, of, [&machine, until] { return machine.now() >= until; });
  }

  // Of the plan in quiet, over the best split's.
  double over_best(const PlayedMachine& machine, const HeldPlan& held) const {
    const Share& share = held.point.hybrid.share;
    return machine.seconds({{0, 0, 1, share.gpu_parts * 64 / share.parts}, Sides::both}) /
           machine.best_seconds();
  }

  std::vector<KernelParams> kernels_ = some_kernels(2);
};

TEST_F(Held, APlanThatWinsStaysAndItsTimesAreNew) {
  PlayedMachine machine(1, never);
  const HeldPlan held = hold(machine, point(43));
  EXPECT_TRUE(held.holds);
  EXPECT_EQ(machine.batches, 1);
  EXPECT_EQ(held.point.hybrid.share, (Share{43, 64}));
  EXPECT_NEAR(held.point.hybrid.seconds, machine.best_seconds(), 0.03e-3);
  EXPECT_NEAR(held.cpu, 1, 0.05);
  EXPECT_NEAR(held.gpu, 1.22, 0.05);
}

// However wrong it is: in a burst the CPU's part had taken three times as long, or the GPU's
// copies.
TEST_F(Held, APlanThatLosesMovesToTheBestSplit) {
  for (const int parts : {1, 8, 20, 32, 50, 60, 64})
    for (unsigned seed = 1; seed <= 5; ++seed) {
      PlayedMachine machine(seed, never);
      const HeldPlan held = hold(machine, point(parts));
      EXPECT_TRUE(held.holds);
      EXPECT_LT(over_best(machine, held), 1.05) << parts << " " << seed;
      EXPECT_LT(machine.batches, 25);
      EXPECT_LE(held.point.hybrid.seconds, held.point.simple.seconds);
    }
}

// The machine's kernels are the slower the earlier they are in the space.
TEST_F(Held, AnotherKernelIsTakenIfItIsFaster) {
  PlayedMachine machine(1, never);
  machine.slows_earlier_kernels = true;
  const TunedPoint slow = point(43);
  const SearchSpace space = space_around(slow, {kernels_[1]}, {}, {});
  const HeldPlan held = held_plan(machine, space, slow, [] { return false; });
  EXPECT_TRUE(held.holds);
  EXPECT_EQ(held.point.hybrid.kernel, kernels_[1]);
}

TEST_F(Held, ADoubtRemainsIfTheTimeIsUp) {
  PlayedMachine machine(1, never);
  const HeldPlan held = hold(machine, point(1), 0);
  EXPECT_FALSE(held.holds);
  EXPECT_EQ(machine.batches, 1);
  EXPECT_GT(held.point.hybrid.share.fraction(), 1.0 / 64) << "the better one is taken all the same";
}

// 5 s of work and as long a pause; the last round begins anywhere.
TEST_F(Held, IsNotFooledByBurstsThoughCallsEndBeforeTicksTell) {
  for (const bool judges : {true, false}) {
    int wrong = 0;
    for (unsigned seed = 1; seed <= 20; ++seed) {
      PlayedMachine machine(seed, [seed](double at) { return std::fmod(at + 0.5 * seed, 10) < 5; });
      machine.judges_to_the_end = judges;
      machine.scale = 0.1;
      const HeldPlan held = hold(machine, point(43));
      EXPECT_TRUE(held.holds);
      EXPECT_TRUE(!judges || machine.beside == 0) << seed;
      wrong += over_best(machine, held) > 1.05;
    }
    if (judges)
      EXPECT_EQ(wrong, 0);
    else
      EXPECT_GT(wrong, 5) << "the play shows nothing";
  }
}

TEST_F(Held, WaitsForTheEndOfABusyFirstHalf) {
  PlayedMachine machine(1, [](double at) { return at < 7.5; });
  const HeldPlan held = hold(machine, point(62));
  EXPECT_EQ(machine.beside, 0);
  EXPECT_LT(over_best(machine, held), 1.05);
}

TEST_F(Held, BesideWorkThatDoesNotEndItSaysSo) {
  PlayedMachine machine(1, [](double) { return true; });
  hold(machine, point(43));
  EXPECT_NEAR(machine.beside, 1, 0.1);
}

}  // namespace
}  // namespace duoblas
