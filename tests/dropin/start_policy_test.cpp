#include "dropin/engine/start_policy.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>

#include "support/temporary_directory.hpp"

namespace duoblas {
namespace {

// The account itself is tested with it (tests/planner/start_account_test.cpp). A machine that was
// never seen takes 0.5 s to be ready, and 0.325 s are lost.
class AStartPolicy : public testing::Test {
 protected:
  AStartPolicy() {
    settings.cache_dir = folder.path();
    now = 0;
  }

  static double clock() { return now; }
  StartPolicy policy() const { return StartPolicy(settings, clock); }

  // The program's BLAS does the product.
  void call(StartPolicy& start, double seconds) const {
    now += seconds;
    start.add(product, seconds);
  }
  // Eighths of seconds of calls until it pays; 1000: it never does.
  int eighths(StartPolicy& start) const {
    int calls = 0;
    for (; !start.pays(promise, product) && calls < 1000; ++calls) call(start, 0.125);
    return calls;
  }
  int eighths() const {
    StartPolicy start = policy();
    return eighths(start);
  }
  // A run of so many calls that is started when that pays: whether it was. Calls that have the
  // device take `part` of their time.
  bool run(int calls, double part = 0.1) const {
    StartPolicy start = policy();
    Gains gains;
    double ready = -1;
    for (int i = 0; i < calls; ++i) {
      if (ready < 0 && start.pays(promise, product)) ready = now + 0.5;
      if (ready >= 0 && now >= ready) {
        if (gains.worked == 0) start.note_ready();
        now += 0.125 * part;
        gains = gains + Gains{0.125 * part, 0.125 * part, 0.125 * (1 - part)};
      } else {
        call(start, 0.125);
      }
    }
    start.note_end(gains, promise);
    return ready >= 0;
  }

  inline static double now = 0;
  const test::TemporaryDirectory folder;
  Settings settings;
  GemmProblem product;
  StartPolicy::Promise promise = [](const GemmProblem&) { return 0.9; };
};

TEST_F(AStartPolicy, CountsCallsByWhatTheDevicePromisesOfThem) {
  EXPECT_EQ(eighths(), 7) << "0.875 s more have the device for 0.375 s";
  promise = [](const GemmProblem&) { return std::nullopt; };
  EXPECT_EQ(eighths(), 7) << "of a machine that nobody knows everything is hoped";
  promise = [](const GemmProblem&) { return 0.3; };
  EXPECT_EQ(eighths(), 13);
  promise = [](const GemmProblem&) { return 0.0; };
  EXPECT_EQ(eighths(), 1000);
}

TEST_F(AStartPolicy, StartsBeforeTheFirstCallOnceARunHasShownThatItPays) {
  EXPECT_FALSE(policy().pays_at_begin()) << "nobody knows the program";
  EXPECT_FALSE(run(6));
  StartPolicy start = policy();
  EXPECT_FALSE(start.pays_at_begin()) << "0.25 s of it are late enough";
  EXPECT_FALSE(start.knows_program() && start.is_next_to_start());
  EXPECT_TRUE(run(40));
  StartPolicy known = policy();
  EXPECT_TRUE(known.pays_at_begin());
  EXPECT_TRUE(known.pays(promise, product));
  EXPECT_FALSE(known.pays_at_begin()) << "once is enough";
}

TEST_F(AStartPolicy, TellsWhetherTheNextRunIsToStartBeforeItsFirstCall) {
  StartPolicy start = policy();
  for (int i = 0; i < 40; ++i) call(start, 0.125);
  EXPECT_FALSE(start.is_next_to_start());
  start.note_end({}, promise);
  EXPECT_TRUE(start.is_next_to_start());

  StartPolicy idle = policy();
  ASSERT_TRUE(idle.pays_at_begin());
  idle.note_end({}, promise);
  EXPECT_FALSE(idle.is_next_to_start()) << "it had nothing for the device";
  EXPECT_FALSE(policy().pays_at_begin());
}

TEST_F(AStartPolicy, CountsCallsOfKnownGainByIt) {
  for (const double gain : {0.9, 0.0}) {
    StartPolicy start = policy();
    for (int calls = 0; calls < 7; ++calls) {
      now += 0.125;
      start.add(gain, 0.125);
    }
    EXPECT_EQ(start.pays(promise, product), gain > 0);
  }
}

TEST_F(AStartPolicy, AsksOnceForAClassOfProductsAndOnlyIfAStartMightPay) {
  int asked = 0;
  promise = [&asked](const GemmProblem&) { return ++asked, 0.9; };
  StartPolicy start = policy();
  for (int calls = 0; calls < 6; ++calls) call(start, 0.125);
  EXPECT_FALSE(start.pays(promise, product));
  EXPECT_EQ(asked, 0);
  call(start, 0.125);
  EXPECT_TRUE(start.pays(promise, product));
  EXPECT_EQ(asked, 1) << "of equal products one answer will do";
  EXPECT_TRUE(start.pays(promise, product));
  EXPECT_EQ(asked, 1);
}

TEST_F(AStartPolicy, AsksForNoShortCall) {
  int asked = 0;
  promise = [&asked](const GemmProblem&) { return ++asked, 0.0; };
  StartPolicy start = policy();
  call(start, 2);
  EXPECT_FALSE(start.pays(promise, product));
  EXPECT_EQ(asked, 1);
  call(start, 1e-3);
  EXPECT_FALSE(start.pays(promise, product));
  EXPECT_EQ(asked, 1);
}

TEST_F(AStartPolicy, WeighsEachProductByItself) {
  promise = [](const GemmProblem& of) { return of.k > 100 ? 0.9 : 0.0; };
  StartPolicy start = policy();
  product.k = 64;
  call(start, 5);
  EXPECT_FALSE(start.pays(promise, product));
  product.k = 1000;
  call(start, 0.25);
  EXPECT_FALSE(start.pays(promise, product));
  call(start, 0.25);
  EXPECT_TRUE(start.pays(promise, product));
}

TEST_F(AStartPolicy, CountsManyDifferentProductsInFull) {
  promise = [](const GemmProblem&) { return 0.0; };
  StartPolicy start = policy();
  for (product.m = 1; product.m < 10000; product.m *= 2)
    for (product.n = 1; product.n < 10000; product.n *= 2) call(start, 0.125);
  EXPECT_TRUE(start.pays(promise, product));
}

TEST_F(AStartPolicy, WaitsForWhatTheUserSays) {
  run(100);
  promise = [](const GemmProblem&) { return 0.0; };
  settings.start_ms = 250;
  EXPECT_EQ(eighths(), 2);
  settings.start_ms = 0;
  EXPECT_EQ(eighths(), 0);
}

TEST_F(AStartPolicy, StartsAtOnceWhereThatWouldHaveGained) {
  EXPECT_TRUE(run(40));
  EXPECT_EQ(eighths(), 0);
}

// It ended before its start would have paid.
TEST_F(AStartPolicy, StartsAtOnceWhereAnEarlierRunStartedTooLateToGain) {
  EXPECT_TRUE(run(8));
  EXPECT_EQ(eighths(), 0);
}

TEST_F(AStartPolicy, DoesNotStartAProgramThatIsKnownToEndTooEarly) {
  EXPECT_FALSE(run(5));
  EXPECT_FALSE(run(5));
  EXPECT_GT(eighths(), 7) << "a little longer than it was may be chance";
  EXPECT_LT(eighths(), 16);
}

TEST_F(AStartPolicy, TakesARunOfOtherCallsForAnotherProgram) {
  EXPECT_TRUE(run(40));
  product.k = 1000;
  EXPECT_GE(eighths(), 7);
  EXPECT_TRUE(run(40));
  EXPECT_EQ(eighths(), 0) << "which is known by then";
}

TEST_F(AStartPolicy, LearnsThatADeviceDoesNotKeepItsPromise) {
  EXPECT_TRUE(run(100, 1));
  EXPECT_FALSE(run(90, 1));
}

// As if another program had the device for a while.
TEST_F(AStartPolicy, TriesADeviceAgainThatBrokeItsPromiseOnce) {
  EXPECT_TRUE(run(100, 1));
  int runs = 0;
  while (!run(100) && runs < 30) ++runs;
  EXPECT_GT(runs, 0);
  EXPECT_LT(runs, 30);
  EXPECT_EQ(eighths(), 0) << "it keeps its promise now";
}

TEST_F(AStartPolicy, LearnsThatTheDeviceIsOfNoUse) {
  StartPolicy start = policy();
  eighths(start);
  start.note_useless();
  for (int calls = 0; calls < 40; ++calls) call(start, 0.125);
  start.note_end({}, promise);
  EXPECT_FALSE(run(40));
  EXPECT_GT(ProgramHistory(settings).starts().ledger.lost, 0);
}

TEST_F(AStartPolicy, LearnsWhatAStartTakesHere) {
  StartPolicy start = policy();
  EXPECT_EQ(eighths(start), 7);
  now += 0.01;
  start.note_ready();
  EXPECT_EQ(eighths(), 1) << "a device that is ready after 10 ms";
  StartPolicy slow = policy();
  eighths(slow);
  now += 4;
  slow.note_ready();
  EXPECT_GT(eighths(), 7) << "one that takes longer, for a while";
  StartPolicy builds = policy();
  const int before = eighths(builds);
  now += 40;
  builds.note_ready(39.9);
  EXPECT_LE(eighths(), before) << "kernels are built once";
}

// It was killed, say.
TEST_F(AStartPolicy, KeepsARunThatDoesNotEndAsUsual) {
  StartPolicy start = policy();
  for (int calls = 0; calls < 100; ++calls) {
    call(start, 0.125);
    if (start.is_turn_to_keep()) start.keep({});
  }
  EXPECT_EQ(eighths(), 0);
}

TEST_F(AStartPolicy, LeavesNoTraceOfProgramsOfMilliseconds) {
  StartPolicy start = policy();
  call(start, 0.01);
  start.note_end({}, promise);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()) ||
              !std::filesystem::exists(folder.path() + "/programs") ||
              std::filesystem::is_empty(folder.path() + "/programs"));
}

// Each of them was unknown, and ended as soon as the device was ready.
TEST_F(AStartPolicy, HopesNoMoreWhereMuchWasLost) {
  ProgramHistory history(settings);
  ProgramHistory::Starts starts;
  starts.ledger = {10, 10};
  history.remember(starts);
  EXPECT_EQ(eighths(), 1000);
  starts.ledger = {1000, 10};
  history.remember(starts);
  EXPECT_EQ(eighths(), 7);
}

TEST_F(AStartPolicy, KnowsTheLargestProduct) {
  StartPolicy start = policy();
  EXPECT_FALSE(start.largest_product());
  double element = 1;
  for (const std::int64_t n : {300, 900, 500}) {
    GemmProblem problem;
    problem.m = problem.n = problem.k = n;
    problem.a = problem.b = problem.c = &element;
    start.note_product(problem);
  }
  EXPECT_EQ(start.largest_product()->m, 900);
  EXPECT_EQ(start.largest_product()->a, nullptr) << "it may be gone";
}

TEST_F(AStartPolicy, RemembersNothingWhereItIsNotTo) {
  for (bool Settings::*wish : {&Settings::adapt, &Settings::history}) {
    settings.*wish = false;
    run(100);
    EXPECT_EQ(eighths(), 7);
    settings.*wish = true;
    EXPECT_EQ(eighths(), 7);
  }
}

TEST_F(AStartPolicy, RemembersNothingWhereThereIsNoPlace) {
  for (const char* place : {"/dev/null/nowhere", ""}) {
    settings.cache_dir = place;
    run(100);
    EXPECT_EQ(eighths(), 7);
  }
}

TEST_F(AStartPolicy, TakesADamagedFileForNone) {
  run(100);
  for (const auto& entry : std::filesystem::directory_iterator(folder.path() + "/programs"))
    if (entry.is_regular_file()) std::filesystem::resize_file(entry.path(), 10);
  EXPECT_EQ(eighths(), 7);
}

}  // namespace
}  // namespace duoblas
