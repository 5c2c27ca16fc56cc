// When outlays pay. Programs are played by played_program.hpp, and judged by true times.
#include "planner/account.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <vector>

#include "planner/decision.hpp"
#include "planner/played_program.hpp"

namespace duoblas::test {
namespace {

constexpr OutlayCosts costs;

ProgramWork work_of(double seconds, double gain, double promised) {
  return {seconds, gain, promised};
}

TEST(AnAccount, WaitsUntilAsMuchAgainWouldReturnTheStart) {
  const OutlayCosts cost{0.4};
  Account account(cost);
  EXPECT_FALSE(account.start_pays(0, 1));
  account.promise(account.cover(0, 0.65, 1), 0.9);
  EXPECT_FALSE(account.start_pays(0.65, 1))
      << "0.65 s more have the device for 0.25 s, and gain 0.225 s";
  account.promise(account.cover(0.65, 0.75, 1), 0.9);
  EXPECT_TRUE(account.start_pays(0.75, 1)) << "0.315 s";
  EXPECT_FALSE(account.start_pays(1e-9 + 0.4, 1)) << "before it could be ready";
}

TEST(AnAccount, CountsNoCallThatTheDeviceWouldNotHelp) {
  Account account({0.01});
  account.promise(account.cover(0, 100, 1), 0);
  EXPECT_FALSE(account.start_pays(100, 1));
}

TEST(AnAccount, CountsThreadsThatCallAtOnceOnce) {
  Account account({0.4});
  for (int thread = 0; thread < 16; ++thread) account.cover(0, 0.5, 1);
  EXPECT_DOUBLE_EQ(account.seconds(), 0.5);
  EXPECT_DOUBLE_EQ(account.cover(0.25, 0.75, 1).seconds, 0.25);
}

TEST(AnAccount, StartsAKnownProgramAtItsFirstCall) {
  EXPECT_TRUE(Account({0.4}, work_of(2, 1.4, 0.9)).start_pays(0, 1));
  EXPECT_FALSE(Account({0.4}, work_of(0.6, 0.2, 0.9)).start_pays(0, 1));
}

TEST(AnAccount, CountsWhatAStartNeedsBesideIt) {
  ProgramWork work = work_of(2, 0.5, 0.9);
  EXPECT_TRUE(Account({0.4}, work).start_pays(0, 1));
  work.needs = work.beside = 0.3;
  EXPECT_FALSE(Account({0.4}, work).start_pays(0, 1));
  for (const double beside : {0.0, 1.0}) {
    Account unknown({0.4, beside});
    unknown.promise(unknown.cover(0, 1, 1), 0.9);
    EXPECT_EQ(unknown.start_pays(1, 1), beside == 0);
  }
}

// They were built long ago.
TEST(AnAccount, CountsWhatEachRunTakesToLoadItsKernels) {
  Account account(costs, work_of(2, 0.5, 0.9));
  EXPECT_TRUE(Account(costs, account.work({1.5, 1.5, 0.5})).start_pays(0, 1));
  account.note_load(0.2);
  EXPECT_FALSE(Account(costs, account.work({1.5, 1.5, 0.5})).start_pays(0, 1));
}

// A single large product, and then nothing that the device helps.
TEST(AnAccount, LearnsThatAStartComesTooLateForAProgramOfOneCall) {
  const PlayedMachine machine;
  const Program program = {{0, 2, 0.95}};
  const Played first = play_apart(program, machine, Starts::by_account);
  EXPECT_EQ(first.work.gain, 0) << "a device that starts at the call is ready after it";
  EXPECT_FALSE(
      play_apart(program, machine, Starts::by_account, Account(costs, first.work)).started);
}

TEST(AnAccount, BelievesLittleInADeviceThatShowedNoGain) {
  Account account(costs);
  account.promise(account.cover(0, 5, 1), 0.9);
  const ProgramWork shown = account.work({10, 10, -0.1});
  EXPECT_LT(shown.gain, costs.start());
  EXPECT_LT(shown.kept, 0.05);
}

// Its kernels were built for most of the run: that says nothing about the device.
TEST(AnAccount, BelievesInADeviceWhoseKernelsWereNotThere) {
  Account account(costs);
  account.promise(account.cover(0, 5, 1), 0.9);
  for (int call = 0; call < 100; ++call) account.miss(1, 0.09);
  const ProgramWork work = account.work({10, 0, 0});
  EXPECT_NEAR(work.promised, 0.9, 0.01);
  EXPECT_NEAR(work.kept, 1, 1e-9);
  EXPECT_NEAR(work.gain, 0.9 * 10, 0.1) << "a device from the first call on would have had it";
}

// The program's BLAS did all of them with a core less.
TEST(AnAccount, CountsCallsThatLeaveACompilerACore) {
  Account account(costs, work_of(2, 1.5, 0.9));
  account.start(0, 1);
  for (int call = 0; call < 20; ++call) {
    account.miss(1, 0.09);
    account.cover(0.1 * call, 0.1 * call + 0.1, 1);
  }
  const ProgramWork work = account.work({});
  EXPECT_NEAR(work.seconds, 2, 1e-9);
  EXPECT_NEAR(work.gain, 1.8, 1e-9);
  EXPECT_TRUE(Account(costs, work).start_pays(0, 1));
}

// Else it would be started in each second run.
TEST(AnAccount, RemembersWhatADeviceDidNotKeepInRunsThatDoNotStartIt) {
  std::optional<ProgramWork> known;
  int starts = 0;
  for (int run = 0; run < 20; ++run) {
    Account account(costs, known);
    const bool begins = account.start_pays(0, 1);
    starts += begins;
    if (!begins) account.promise(account.cover(0, 3, 1), 0.9);
    known = account.work(begins ? Gains{3, 3, 0} : Gains{});
  }
  EXPECT_LE(starts, 3);
}

TEST(AnAccount, KeepsItsPromiseWhereNoCallHadTheDeviceYet) {
  Account account(costs);
  for (int call = 0; call < 10; ++call)
    account.promise(account.cover(0.1 * call, 0.1 * call + 0.1, 1), 0.9);
  const ProgramWork work = account.work({});
  EXPECT_NEAR(work.gain, 0.9 * 0.5, 1e-9) << "of the calls from 0.5 s on";
  EXPECT_DOUBLE_EQ(work.promised, 0.9);
  EXPECT_DOUBLE_EQ(work.kept, 1);
}

// The same arguments, but a file that holds another input.
TEST(AnAccount, TakesARunOfOtherCallsForAnUnknownOne) {
  const PlayedMachine machine;
  const Program earlier = calls_of(4, 0.01, 0.9);
  const ProgramWork known = play_apart(earlier, machine, Starts::by_account).work;
  EXPECT_TRUE(play_apart(earlier, machine, Starts::by_account, Account(costs, known)).started);
  const Program shorter = calls_of(0.4, 0.001, 0.9, 0, 2);
  const Played other = play_apart(shorter, machine, Starts::by_account, Account(costs, known));
  EXPECT_FALSE(other.started);
  EXPECT_FALSE(Account(costs, other.work).is_hope(2)) << "it is the known one from then on";
  EXPECT_TRUE(Account(costs, other.work).is_hope(1));
}

// Its calls before them are few.
TEST(AnAccount, KnowsARunThatHasSomeOtherCalls) {
  const ProgramWork known =
      play_apart(calls_of(4, 0.01, 0.9), PlayedMachine(), Starts::by_account).work;
  Account account(costs, known);
  EXPECT_FALSE(account.start_pays(0, 2));
  account.promise(account.cover(0, 0.01, 2), 0);
  account.promise(account.cover(0.01, 0.03, 1), 0.9);
  EXPECT_TRUE(account.start_pays(0.03, 1));
  EXPECT_TRUE(account.start_pays(0.03, 2));
}

// 65 and 1 have the same last bits.
TEST(AnAccount, ExpectsNothingOfAClassThatItsEarlierRunDidNotHave) {
  ProgramWork known = work_of(10, 8, 0.8);
  known.classes = {{1, 10, 8}};
  for (const std::uint32_t other : {2U, 65U}) {
    const std::vector<ClassGain> by_class = {{1, 5, 4}, {other, 5, 0}};
    EXPECT_DOUBLE_EQ(Account(costs, known).work({6, 6, 4}, by_class).kept, 1);
  }
}

// Its other class was to follow, and gain.
TEST(AnAccount, DropsARunAtItsFirstContradiction) {
  ProgramWork known = work_of(10, 8, 0.8);
  known.classes = {{1, 0.1, 0}, {2, 9.9, 8}};
  Account account(costs, known);
  account.promise(account.cover(0, 0.15, 1), 0);
  EXPECT_TRUE(account.start_pays(0.15, 1)) << "a little more of it may be chance";
  account.promise(account.cover(0.15, 0.6, 1), 0);
  EXPECT_TRUE(account.is_hope(1));
  EXPECT_FALSE(account.start_pays(0.6, 1));
}

TEST(AnOutlayBesideAStart, IsBoughtOnceCallsHaveMissedIt) {
  Account account;
  EXPECT_TRUE(account.pays(Outlay::builds, 1, 0, {0.0125}, {})) << "20 ms are free";
  EXPECT_FALSE(account.pays(Outlay::builds, 1, 0.25, {0.35}, {}));
  EXPECT_TRUE(account.pays(Outlay::checks, 1, 0.1, {0.35}, {})) << "of whatever it was missed";
  EXPECT_FALSE(account.pays(Outlay::builds, 1, 0.3, {0.35}, {})) << "which is spent";
  EXPECT_TRUE(account.pays(Outlay::builds, 1, 0, {0}, {})) << "what costs nothing";
  EXPECT_EQ(account.of(Outlay::builds).count, 1);
  EXPECT_DOUBLE_EQ(account.spent(), 0.0125 + 0.35);
}

TEST(AnOutlayBesideAStart, IsMissedByWhatTheDeviceSaves) {
  EXPECT_DOUBLE_EQ((Estimate{0.5, 0.125}.gain()), 0.375);
  EXPECT_EQ((Estimate{0.5, 0.5}.gain()), 0);
  EXPECT_EQ((Estimate{0.5, 0.75}.gain()), 0) << "slower";
  EXPECT_DOUBLE_EQ((Estimate{0.5, 0}.gain()), 0.05) << "nobody knows";
}

TEST(AnOutlayBesideAStart, IsNeverBoughtWhereNothingIsMissed) {
  Account account;
  for (int i = 0; i < 1000; ++i) ASSERT_FALSE(account.pays(Outlay::builds, 1, 0, {0.35}, {}));
}

// The start was bought on what the calls before it promised, and they need the kernel, too.
TEST(AnOutlayBesideAStart, IsBoughtOnTheHopeOfTheStart) {
  Account account(costs);
  account.promise(account.cover(0, 1, 1), 0.9);
  ASSERT_TRUE(account.start_pays(1, 1));
  account.start(1, 1);
  EXPECT_TRUE(account.pays(Outlay::builds, 1, 0, {0.35}, {}));
  EXPECT_FALSE(account.pays(Outlay::builds, 1, 0, {0.35}, {})) << "0.9 s are promised, 0.675 spent";
}

TEST(AnOutlayBesideAStart, IsBoughtAtOnceByAKnownProgram) {
  ProgramWork known = work_of(10, 8, 0.8);
  known.classes = {{1, 5, 4}, {2, 0.1, 0.05}};
  Account account(costs, known);
  ASSERT_TRUE(account.start_pays(0, 1));
  account.start(0, 1);
  EXPECT_TRUE(account.pays(Outlay::builds, 1, 0, {3}, {}));
  EXPECT_FALSE(account.pays(Outlay::builds, 1, 0, {3}, {})) << "4 s are known, 3 spent";
  EXPECT_FALSE(account.pays(Outlay::builds, 2, 0, {0.35}, {})) << "as few such calls as that";
  EXPECT_NEAR(account.work({5, 5, 4}).beside, 3 + 0.05, 1e-9)
      << "a later run would need them, or do without";
}

// What others promise or missed brings it nothing, and so it is with what runs saved.
TEST(AnOutlayBesideAStart, IsJudgedByItsOwnClass) {
  Account account(costs);
  account.promise(account.cover(0, 2, 1), 0.9);
  account.promise(account.cover(2, 2.1, 2), 0.9);
  account.start(2.1, 1);
  EXPECT_FALSE(account.pays(Outlay::builds, 2, 0.01, {0.35}, {}));
  EXPECT_TRUE(account.pays(Outlay::builds, 1, 0.01, {0.35}, {}));
  EXPECT_TRUE(account.pays(Outlay::builds, 2, 0.25, {0.35}, {})) << "once it missed as much";
  ProgramWork known = work_of(10, 8, 0.8);
  known.classes = {{1, 5, 6}, {2, 1, 0.2}};
  known.missed = 2;
  Account later(costs, known);
  EXPECT_FALSE(later.pays(Outlay::builds, 2, 0, {0.35}, {})) << "a fortieth of 2 s, and 0.2";
  EXPECT_TRUE(later.pays(Outlay::builds, 2, 0, {0.24}, {}));
  EXPECT_TRUE(later.pays(Outlay::builds, 1, 0, {7}, {})) << "three quarters of 1.96 s, and 6";
}

// Such calls may be over.
TEST(AnOutlayBesideAStart, IsBoughtAheadByWhatIsKnownOnly) {
  Account unknown(costs);
  unknown.promise(unknown.cover(0, 3, 1), 0.9);
  unknown.start(3, 1);
  EXPECT_FALSE(unknown.pays(Outlay::builds, 1, {}, {0.35}, {}));
  EXPECT_TRUE(unknown.pays(Outlay::builds, 1, 0.01, {0.35}, {}));
  ProgramWork run = work_of(10, 8, 0.8);
  run.classes = {{1, 5, 4}};
  Account known(costs, run);
  EXPECT_TRUE(known.pays(Outlay::builds, 1, {}, {0.35}, {}));
  EXPECT_FALSE(known.pays(Outlay::builds, 2, {}, {0.01}, {}));
  for (std::uint32_t other = 100; other < 100 + ProgramWork::most_classes; ++other)
    EXPECT_FALSE(known.pays(Outlay::builds, other, {}, {0.01}, {}));
  known.cover(0, 1, 2);
  EXPECT_NE(known.work({}).find(2), nullptr) << "what is only asked of takes no place";
}

TEST(AnOutlayBesideAStart, IsNotBoughtForADeviceThatShowedNoGain) {
  Account account(costs);
  account.promise(account.cover(0, 3, 1), 0.9);
  account.start(3, 1);
  Account disappointed = account;
  EXPECT_TRUE(account.pays(Outlay::builds, 1, 0, {0.35}, {3, 3, 2}));
  EXPECT_FALSE(disappointed.pays(Outlay::builds, 1, 0, {0.35}, {3, 3, 0}));
}

// It brings each of them less than it takes. What is built lasts for as many runs again.
TEST(AnOutlayBesideAStart, IsBoughtOnceRunsHaveMissedIt) {
  PlayedMachine machine{0.02, 0.3};
  const Program program = calls_of(0.2, 0.01, 0.9);
  std::optional<ProgramWork> known;
  int runs = 0;
  for (; runs < 20 && machine.built.empty(); ++runs)
    known = play(program, machine, Starts::by_account, Account(machine.costs(), known)).work;
  EXPECT_GT(runs, 1);
  EXPECT_LT(runs, 8);
}

TEST(AnOutlayBesideAStart, GivesTheHopeBackWhatItDidNotTake) {
  Account account(costs);
  account.promise(account.cover(0, 1, 1), 0.9);
  account.start(1, 1);
  const auto paid = account.pays(Outlay::builds, 1, 0, {0.5}, {});
  ASSERT_TRUE(paid);
  EXPECT_FALSE(account.pays(Outlay::builds, 1, 0, {0.5}, {}));
  account.correct(Outlay::builds, 0.01 - *paid);
  EXPECT_NEAR(account.of(Outlay::builds).cost, 0.01, 1e-12);
  EXPECT_TRUE(account.pays(Outlay::builds, 1, 0, {0.5}, {}));
}

// As much again is likely as there was so far.
TEST(AnOutlayBesideAStart, WaitsForWhatIsNotDoneWhenAsMuchAgainIs) {
  Account account(costs);
  account.promise(account.cover(0, 3, 1), 0.5);
  account.start(3, 1);
  EXPECT_FALSE(account.pays(Outlay::builds, 1, 0.1, {2, 4}, {}));
  EXPECT_DOUBLE_EQ(account.work({1, 0, 0.5}).needs, 2 + 4 - 3);
}

TEST(ALedger, AllowsOutlaysThatReturnWhatTheyTake) {
  UserLedger ledger;
  for (int run = 0; run < 1000; ++run) {
    ASSERT_TRUE(ledger.allows(costs.start())) << run;
    ledger.add(1, costs.start(), 2 * costs.start(), true);
  }
}

TEST(ALedger, TrustsUnknownProgramsAsEarlierOnesDeserved) {
  UserLedger ledger;
  EXPECT_EQ(ledger.trust(), 1);
  UserLedger bad = ledger;
  for (int run = 0; run < 10; ++run) {
    ledger.add(10, 0.3, 5, true);
    bad.add(1, 0.3, 0, true);
  }
  EXPECT_NEAR(ledger.trust(), 2, 0.2);
  EXPECT_NEAR(bad.trust(), 0, 0.2);
}

}  // namespace
}  // namespace duoblas::test
