// What an engine counts and spends on its own account.
#include "engine/outlays.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <string>
#include <thread>

#include "facts/rates.hpp"
#include "support/temporary_directory.hpp"

namespace duoblas {
namespace {

// The account itself is tested with it (tests/planner/account_test.cpp). A machine that was never
// seen takes 0.5 s to be ready, and 0.325 s are lost.
class AnOutlay : public testing::Test {
 protected:
  AnOutlay() {
    settings.cache_dir = folder.path();
    now = 0;
  }

  static double clock() { return now; }
  struct Policy : Outlays {
    explicit Policy(const Settings& settings) : Outlays(settings, clock) { begin_program(); }
  };

  // The program's BLAS does the product.
  void call(Outlays& start, double seconds) const {
    now += seconds;
    start.add(product, seconds);
  }
  // Eighths of seconds of calls until it pays; 1000: it never does.
  int eighths(Outlays& start) const {
    int calls = 0;
    for (; !start.start_pays(promise, product) && calls < 1000; ++calls) call(start, 0.125);
    return calls;
  }
  int eighths() const {
    Policy start(settings);
    return eighths(start);
  }
  // A run of so many calls that is started when that pays: whether it was. Calls that have the
  // device take `part` of their time.
  bool run(int calls, double part = 0.1) const {
    Policy start(settings);
    Gains gains;
    double ready = -1;
    for (int i = 0; i < calls; ++i) {
      if (ready < 0 && start.start_pays(promise, product)) ready = now + 0.5;
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
  Outlays::Promise promise = [](const GemmProblem&) { return 0.9; };
};

TEST_F(AnOutlay, CountsCallsByWhatTheDevicePromisesOfThem) {
  EXPECT_EQ(eighths(), 7) << "0.875 s more have the device for 0.375 s";
  promise = [](const GemmProblem&) { return std::nullopt; };
  EXPECT_EQ(eighths(), 7) << "of a machine that nobody knows everything is hoped";
  promise = [](const GemmProblem&) { return 0.3; };
  EXPECT_EQ(eighths(), 13);
  promise = [](const GemmProblem&) { return 0.0; };
  EXPECT_EQ(eighths(), 1000);
}

TEST_F(AnOutlay, StartsBeforeTheFirstCallOnceARunHasShownThatItPays) {
  EXPECT_FALSE(Policy(settings).start_pays_at_begin()) << "nobody knows the program";
  EXPECT_FALSE(run(6));
  Policy start(settings);
  EXPECT_FALSE(start.start_pays_at_begin()) << "0.25 s of it are late enough";
  EXPECT_EQ(start.is_next_to_start(), std::nullopt);
  EXPECT_TRUE(run(40));
  Policy known(settings);
  EXPECT_TRUE(known.start_pays_at_begin());
  EXPECT_TRUE(known.start_pays(promise, product));
  EXPECT_FALSE(known.start_pays_at_begin()) << "once is enough";
}

TEST_F(AnOutlay, TellsWhetherTheNextRunIsToStartBeforeItsFirstCall) {
  Policy start(settings);
  for (int i = 0; i < 40; ++i) call(start, 0.125);
  EXPECT_EQ(start.is_next_to_start(), std::nullopt);
  start.note_end({}, promise);
  EXPECT_EQ(start.is_next_to_start(), std::optional(true));

  Policy idle(settings);
  ASSERT_TRUE(idle.start_pays_at_begin());
  idle.note_end({}, promise);
  EXPECT_EQ(idle.is_next_to_start(), std::optional(false)) << "it had nothing for the device";
  EXPECT_FALSE(Policy(settings).start_pays_at_begin());
}

TEST_F(AnOutlay, CountsCallsOfKnownGainByIt) {
  for (const double gain : {0.9, 0.0}) {
    Policy start(settings);
    for (int calls = 0; calls < 7; ++calls) {
      now += 0.125;
      start.add(gain, 0.125);
    }
    EXPECT_EQ(start.start_pays(promise, product), gain > 0);
  }
}

TEST_F(AnOutlay, AsksOnceForAClassOfProductsAndOnlyIfAStartMightPay) {
  int asked = 0;
  promise = [&asked](const GemmProblem&) { return ++asked, 0.9; };
  Policy start(settings);
  for (int calls = 0; calls < 6; ++calls) call(start, 0.125);
  EXPECT_FALSE(start.start_pays(promise, product));
  EXPECT_EQ(asked, 0);
  call(start, 0.125);
  EXPECT_TRUE(start.start_pays(promise, product));
  EXPECT_EQ(asked, 1) << "of equal products one answer will do";
  EXPECT_TRUE(start.start_pays(promise, product));
  EXPECT_EQ(asked, 1);
}

TEST_F(AnOutlay, AsksForNoShortCall) {
  int asked = 0;
  promise = [&asked](const GemmProblem&) { return ++asked, 0.0; };
  Policy start(settings);
  call(start, 2);
  EXPECT_FALSE(start.start_pays(promise, product));
  EXPECT_EQ(asked, 1);
  call(start, 1e-3);
  EXPECT_FALSE(start.start_pays(promise, product));
  EXPECT_EQ(asked, 1);
}

TEST_F(AnOutlay, WeighsEachProductByItself) {
  promise = [](const GemmProblem& of) { return of.k > 100 ? 0.9 : 0.0; };
  Policy start(settings);
  product.k = 64;
  call(start, 5);
  EXPECT_FALSE(start.start_pays(promise, product));
  product.k = 1000;
  call(start, 0.25);
  EXPECT_FALSE(start.start_pays(promise, product));
  call(start, 0.25);
  EXPECT_TRUE(start.start_pays(promise, product));
}

TEST_F(AnOutlay, CountsManyDifferentProductsInFull) {
  promise = [](const GemmProblem&) { return 0.0; };
  Policy start(settings);
  for (product.m = 1; product.m < 10000; product.m *= 2)
    for (product.n = 1; product.n < 10000; product.n *= 2) call(start, 0.125);
  EXPECT_TRUE(start.start_pays(promise, product));
}

TEST_F(AnOutlay, WaitsForWhatTheUserSays) {
  run(100);
  promise = [](const GemmProblem&) { return 0.0; };
  settings.start_ms = 250;
  EXPECT_EQ(eighths(), 2);
  settings.start_ms = 0;
  EXPECT_EQ(eighths(), 0);
}

TEST_F(AnOutlay, StartsAtOnceWhereThatWouldHaveGained) {
  EXPECT_TRUE(run(40));
  EXPECT_EQ(eighths(), 0);
}

// It ended before its start would have paid.
TEST_F(AnOutlay, StartsAtOnceWhereAnEarlierRunStartedTooLateToGain) {
  EXPECT_TRUE(run(8));
  EXPECT_EQ(eighths(), 0);
}

TEST_F(AnOutlay, DoesNotStartAProgramThatIsKnownToEndTooEarly) {
  EXPECT_FALSE(run(5));
  EXPECT_FALSE(run(5));
  EXPECT_GT(eighths(), 7) << "a little longer than it was may be chance";
  EXPECT_LT(eighths(), 16);
}

TEST_F(AnOutlay, TakesARunOfOtherCallsForAnotherProgram) {
  EXPECT_TRUE(run(40));
  product.k = 1000;
  EXPECT_EQ(eighths(), 6) << "more is hoped, since the first hope came true";
  EXPECT_TRUE(run(40));
  EXPECT_EQ(eighths(), 0) << "which is known by then";
}

TEST_F(AnOutlay, LearnsThatADeviceDoesNotKeepItsPromise) {
  EXPECT_TRUE(run(100, 1));
  EXPECT_FALSE(run(90, 1));
}

// As if another program had the device for a while.
TEST_F(AnOutlay, TriesADeviceAgainThatBrokeItsPromiseOnce) {
  EXPECT_TRUE(run(100, 1));
  int runs = 0;
  while (!run(100) && runs < 30) ++runs;
  EXPECT_GT(runs, 0);
  EXPECT_LT(runs, 30);
  EXPECT_EQ(eighths(), 0) << "it keeps its promise now";
}

TEST_F(AnOutlay, LearnsThatTheDeviceIsOfNoUse) {
  Policy start(settings);
  eighths(start);
  start.note_useless();
  for (int calls = 0; calls < 40; ++calls) call(start, 0.125);
  start.note_end({}, promise);
  for (const int calls : {40, 40, 48}) EXPECT_FALSE(run(calls));
  EXPECT_GT(ProgramHistory(settings).sums().ledger.lost, 0);
}

TEST_F(AnOutlay, LearnsWhatAStartTakesHere) {
  Policy start(settings);
  EXPECT_EQ(eighths(start), 7);
  now += 0.01;
  start.note_ready();
  EXPECT_EQ(eighths(), 1) << "a device that is ready after 10 ms";
  Policy slow(settings);
  eighths(slow);
  now += 4;
  slow.note_ready();
  EXPECT_GT(eighths(), 7) << "one that takes longer, for a while";
  Policy builds(settings);
  const int before = eighths(builds);
  now += 40;
  builds.note_ready(39.9);
  EXPECT_LE(eighths(), before) << "kernels are built once";
}

// It was killed, say.
TEST_F(AnOutlay, KeepsARunThatDoesNotEndAsUsual) {
  Policy start(settings);
  for (int calls = 0; calls < 100; ++calls) {
    call(start, 0.125);
    if (start.is_turn_to_keep()) start.keep({});
  }
  EXPECT_EQ(eighths(), 0);
}

TEST_F(AnOutlay, LeavesNoTraceOfProgramsOfMilliseconds) {
  Policy start(settings);
  call(start, 0.01);
  start.note_end({}, promise);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()) ||
              !std::filesystem::exists(folder.path() + "/programs") ||
              std::filesystem::is_empty(folder.path() + "/programs"));
}

// Each of them was unknown, and ended as soon as the device was ready.
TEST_F(AnOutlay, HopesNoMoreWhereMuchWasLost) {
  ProgramHistory history(settings);
  ProgramHistory::Sums sums;
  sums.ledger = {10, 10};
  history.update([&](ProgramHistory::Sums& kept) { kept = sums; });
  EXPECT_EQ(eighths(), 1000);
  sums.ledger = {1000, 10};
  history.update([&](ProgramHistory::Sums& kept) { kept = sums; });
  EXPECT_EQ(eighths(), 7);
}

// Two threads; the first builds took 0.7 s of a core, the second kernel was loaded.
TEST_F(AnOutlay, LearnsWhatABuildTakesHere) {
  Policy first(settings);
  EXPECT_EQ(first.build_seconds(true), rates::seconds_of_build_for_cpu) << "until one was built";
  EXPECT_EQ(first.build_seconds(false), rates::seconds_of_build_for_gpu);
  eighths(first);
  first.note_build(0.5, 2, 0, true);
  EXPECT_EQ(first.build_seconds(true), 0.5);
  first.note_build(0.001, 2, 0, false);
  EXPECT_EQ(first.build_seconds(false), 0.5);
  first.note_check(0.01, 0.02);
  EXPECT_EQ(first.check_factor(), 1.25);
  first.note_end({}, promise);
  Policy second(settings);
  EXPECT_EQ(second.build_seconds(true), 0.5);
  EXPECT_EQ(second.check_factor(), 1.25);
}

// A call paid for three results, of which one is checked; 20 ms are free.
TEST_F(AnOutlay, GivesBackWhatIsNotChecked) {
  Policy start(settings);
  const auto pays = [&](double seconds) {
    return start.pays(Outlay::checks, 1, 0, {seconds}, {}).has_value();
  };
  EXPECT_TRUE(pays(0.015));
  std::thread([&] { EXPECT_FALSE(pays(0.006)) << "another thread's call"; }).join();
  start.note_check(0.005, 0.005);
  EXPECT_TRUE(pays(0.015)) << "0.01 came back";
  start.note_check(0.015, 0.015);
  EXPECT_FALSE(pays(0.001)) << "all is spent";
}

// The program ends before the compiler began.
TEST_F(AnOutlay, GivesBackWhatIsNotBuilt) {
  for (const bool is_built : {false, true}) {
    Policy start(settings);
    eighths(start);
    call(start, 1);
    const auto paid = start.pays(Outlay::builds, account_class(product), 0, {0.01}, {});
    ASSERT_TRUE(paid);
    start.order(*paid);
    if (is_built) start.note_build(0.01, 1, *paid, false);
    start.note_end({}, promise);
    const std::string cost = is_built ? "0.010" : "0.000", account = start.account({});
    EXPECT_NE(account.find("outlay: builds          1  cost " + cost), account.npos) << account;
  }
}

// They ran at once, and both had read what was known before.
TEST_F(AnOutlay, LeavesWhatItOnlyReadToThoseWhoMeasuredIt) {
  Policy builds(settings), checks(settings);
  for (Policy* one : {&builds, &checks}) eighths(*one);
  builds.note_build(0.5, 2, 0, true);
  checks.note_check(0.01, 0.02);
  builds.note_end({}, promise);
  checks.note_end({}, promise);
  Policy later(settings);
  EXPECT_EQ(later.build_seconds(true), 0.5);
  EXPECT_EQ(later.check_factor(), 1.25);
}

// Of an unknown program; what a start needs beside it was paid by the last one.
TEST_F(AnOutlay, CountsWhatStartsNeedBesideThem) {
  Policy first(settings);
  EXPECT_EQ(eighths(first), 7);
  first.note_build(2, 2, 0, true);
  first.note_end({}, promise);
  product.k = 1000;
  EXPECT_GT(eighths(), 7);
}

TEST_F(AnOutlay, SaysWhatItCostAndWasToBring) {
  run(100);
  Policy start(settings);
  EXPECT_EQ(start.account({}), "") << "nothing happened";
  eighths(start);
  call(start, 1);
  EXPECT_TRUE(start.pays(Outlay::builds, account_class(product), 0, {0.25}, {}));
  start.note_ready();
  const std::string account = start.account({1, 1, 2}, 0.125);
  EXPECT_NE(
      account.find("the device: started after 0.00 s of calls, ready 1.00 s later; calls with "
                   "it took 2.00 s less than the CPU alone\n"),
      account.npos)
      << account;
  EXPECT_NE(account.find("\noutlay: start           1  cost 0.325 s, expected to bring "),
            account.npos)
      << account;
  EXPECT_NE(account.find("\noutlay: builds          1  cost 0.250 s, expected to bring "),
            account.npos)
      << account;
  EXPECT_TRUE(
      account.ends_with("\noutlay: looks at other ways  cost 0.125 s\n"
                        "outlays in sum: cost 0.700 s, and brought 2.00 s\n"))
      << account;
}

TEST_F(AnOutlay, RemembersNothingWhereItIsNotTo) {
  for (bool Settings::*wish : {&Settings::adapt, &Settings::history}) {
    settings.*wish = false;
    run(100);
    EXPECT_EQ(eighths(), 7);
    settings.*wish = true;
    EXPECT_EQ(eighths(), 7);
  }
}

TEST_F(AnOutlay, RemembersNothingWhereThereIsNoPlace) {
  for (const char* place : {"/dev/null/nowhere", ""}) {
    settings.cache_dir = place;
    run(100);
    EXPECT_EQ(eighths(), 7);
  }
}

TEST_F(AnOutlay, TakesADamagedFileForNone) {
  run(100);
  for (const auto& entry : std::filesystem::directory_iterator(folder.path() + "/programs"))
    if (entry.is_regular_file()) std::filesystem::resize_file(entry.path(), 10);
  EXPECT_EQ(eighths(), 7);
}

}  // namespace
}  // namespace duoblas
