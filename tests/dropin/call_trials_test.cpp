#include "dropin/engine/call_trials.hpp"

#include <gtest/gtest.h>

#include <map>

namespace duoblas {
namespace {

duoblas_level3_call product(std::int64_t n) {
  duoblas_level3_call call = {};
  call.precision = 's';
  call.layout = 102;
  call.op_a = call.op_b = 111;
  call.m = call.n = call.k = n;
  return call;
}

// How often each had its turn in so many calls, where the sides take these seconds.
std::map<Turn, int> turns(CallTrials& trials, const duoblas_level3_call& call, int calls,
                          double engine, double cpu, double estimate) {
  std::map<Turn, int> had;
  for (int i = 0; i < calls; ++i) {
    const Turn turn = trials.next(call);
    ++had[turn];
    if (turn != Turn::program)
      trials.note(call, turn, turn == Turn::timed ? cpu : engine, estimate);
  }
  return had;
}

TEST(CallTrials, LeaveACallToTheProgramWhereTheCpuIsFaster) {
  CallTrials trials;
  auto had = turns(trials, product(1000), 100, 1.2, 1.0, 1.5);
  EXPECT_EQ(had[Turn::engine], 4);
  EXPECT_EQ(had[Turn::timed], 4);
  EXPECT_EQ(had[Turn::program], 92);
}

TEST(CallTrials, KeepTheEngineWhereItIsFasterThoughItsFirstCallBuildsAKernel) {
  CallTrials trials;
  const auto call = product(1000);
  ASSERT_EQ(trials.next(call), Turn::engine);
  trials.note(call, Turn::engine, 20.0, 1.0);
  auto had = turns(trials, call, 99, 0.8, 1.0, 1.0);
  EXPECT_EQ(had[Turn::timed], 4);
  EXPECT_EQ(had[Turn::engine], 95);
}

TEST(CallTrials, SpareTheCpuItsTurnWhereTheEngineIsFarFaster) {
  CallTrials trials;
  auto had = turns(trials, product(4096), 100, 0.1, 1.0, 1.0);
  EXPECT_EQ(had[Turn::engine], 100);
  EXPECT_EQ(turns(trials, product(300), 100, 0.1e-3, 1e-3, 1e-3)[Turn::timed], 4)
      << "a short turn costs nothing";
}

TEST(CallTrials, TakeEqualTimesForTheProgram) {
  CallTrials trials;
  EXPECT_EQ(turns(trials, product(1000), 12, 1.0, 1.0, 1.0)[Turn::program], 4);
}

TEST(CallTrials, WantMoreGainOfShortCalls) {
  CallTrials trials;
  EXPECT_EQ(turns(trials, product(256), 100, 0.93e-3, 1e-3, 1e-3)[Turn::program], 92);
  EXPECT_EQ(turns(trials, product(512), 100, 0.87e-3, 1e-3, 1e-3)[Turn::program], 0);
  EXPECT_EQ(turns(trials, product(1024), 100, 9.3e-3, 10e-3, 10e-3)[Turn::program], 0);
}

TEST(CallTrials, AreNotWonByTheEnginesFastestCall) {
  CallTrials trials;
  const auto call = product(1000);
  for (const double engine : {0.8, 1.5, 0.8, 1.5}) {
    Turn turn = trials.next(call);
    for (; turn == Turn::timed; turn = trials.next(call)) trials.note(call, turn, 1.0, 1.0);
    ASSERT_EQ(turn, Turn::engine);
    trials.note(call, turn, engine, 1.0);
  }
  ASSERT_EQ(trials.next(call), Turn::timed);
  trials.note(call, Turn::timed, 1.0, 1.0);
  EXPECT_EQ(trials.next(call), Turn::program);
}

TEST(CallTrials, LeaveACallToTheProgramWhereTheEngineBecomesSlower) {
  CallTrials trials;
  const auto call = product(1000);
  turns(trials, call, 20, 0.8, 1.0, 1.0);
  EXPECT_EQ(turns(trials, call, 2, 1.5, 1.0, 1.0)[Turn::engine], 2);
  EXPECT_EQ(turns(trials, call, 1, 0.8, 1.0, 1.0)[Turn::engine], 1);
  EXPECT_EQ(turns(trials, call, 10, 1.5, 1.0, 1.0)[Turn::engine], 2);
  // Where the CPU never had a turn, by its estimate.
  turns(trials, product(4096), 20, 0.1, 1.0, 1.0);
  EXPECT_EQ(turns(trials, product(4096), 10, 1.2, 1.0, 1.0)[Turn::engine], 3);
}

TEST(CallTrials, AskAgainAfterManyCallsAndThenMoreRarely) {
  CallTrials trials;
  const auto call = product(1000);
  turns(trials, call, 8 + 256, 2.0, 1.0, 1.0);
  auto had = turns(trials, call, 8 + 512, 0.5, 1.0, 0.9);  // the machine is another now
  EXPECT_EQ(had[Turn::timed], 4);
  EXPECT_EQ(had[Turn::engine], 4 + 512);
  EXPECT_EQ(turns(trials, call, 8, 0.5, 1.0, 0.9)[Turn::timed], 4);
}

TEST(CallTrials, KnowTheProgramsCallsWithoutNotingOthers) {
  CallTrials trials;
  const auto call = product(500);
  EXPECT_FALSE(trials.passes_on(call)) << "it had no turn yet";
  turns(trials, call, 8, 2.0, 1.0, 1.0);
  for (int i = 0; i < 256; ++i) ASSERT_TRUE(trials.passes_on(call)) << i;
  EXPECT_FALSE(trials.passes_on(call)) << "it is tried again";
  EXPECT_EQ(trials.next(call), Turn::engine);
  turns(trials, product(2000), 8, 0.5, 1.0, 1.0);
  EXPECT_FALSE(trials.passes_on(product(2000))) << "the engine's";
}

TEST(CallTrials, JudgeClassesApart) {
  CallTrials trials;
  turns(trials, product(500), 12, 2.0, 1.0, 1.0);
  auto transposed = product(500);
  transposed.op_a = 112;
  EXPECT_EQ(trials.next(product(520)), Turn::program);
  EXPECT_EQ(trials.next(transposed), Turn::engine);
  EXPECT_EQ(trials.next(product(2000)), Turn::engine);
}

}  // namespace
}  // namespace duoblas
