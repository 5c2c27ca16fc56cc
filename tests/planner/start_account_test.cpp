// When a start pays, on the clock of programs that are played: their calls, what the device saves
// of them, and how long it takes to be ready.
#include "planner/start_account.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>
#include <vector>

namespace duoblas {
namespace {

// The part `gain` of the time of a call is saved by the device; a pause comes before it.
struct PlayedCall {
  double pause, seconds, gain;
  std::uint32_t of_class = 1;
};
using Program = std::vector<PlayedCall>;

enum class Starts { never, at_once, by_account };

struct Played {
  double seconds = 0;  ///< of the whole program
  bool started = false;
  Gains gains;
  ProgramWork work;
};

Played play(const Program& program, const StartCost& true_cost, Starts when,
            StartAccount account = {{}, {}}, bool allowed = true) {
  double now = 0, ready = -1;
  Played played;
  for (const PlayedCall& call : program) {
    now += call.pause;
    const bool starts = when == Starts::at_once ||
                        (when == Starts::by_account && allowed && account.pays(now, call.of_class));
    if (starts && !played.started) {
      played.started = true;
      ready = now + true_cost.until_ready;
    }
    if (played.started && now >= ready) {
      const double took = call.seconds * (1 - call.gain);
      played.gains = played.gains + Gains{took, took, call.seconds * call.gain};
      now += took;
    } else {
      account.promise(account.cover(now, now + call.seconds, call.of_class), call.gain);
      now += call.seconds;
    }
  }
  played.seconds = now + (played.started ? true_cost.lost() : 0);
  played.work = account.work(played.gains);
  return played;
}

Program calls_of(double all, double each, double gain, double pause = 0,
                 std::uint32_t of_class = 1) {
  Program program;
  for (double seconds = 0; seconds + each / 2 < all; seconds += each)
    program.push_back({pause, each, gain, of_class});
  return program;
}

// Programs of 0.1 to 20 s, of one or two kinds of calls, with pauses, for GPUs of 0.3 to 30 times
// the CPU.
Program any_program(std::mt19937_64& random) {
  const auto between = [&](double least, double most) {
    return std::exp(std::uniform_real_distribution(std::log(least), std::log(most))(random));
  };
  const auto gain = [&] { return std::max(0.0, 1 - 1 / between(0.3, 30)); };
  const double all = between(0.1, 20);
  const double each[] = {std::min(all, between(1e-3, 1)), std::min(all, between(1e-3, 1))};
  const double gains[] = {gain(), gain()};
  const double pause = random() % 2 == 0 ? 0 : between(1e-4, 0.1);
  const bool is_mixed = random() % 2 == 0;
  Program program;
  for (double seconds = 0; seconds < all;) {
    const std::size_t kind = is_mixed ? random() % 2 : 0;
    program.push_back({pause, each[kind], gains[kind], static_cast<std::uint32_t>(kind)});
    seconds += each[kind];
  }
  return program;
}

StartCost any_start(std::mt19937_64& random) {
  return {std::exp(std::uniform_real_distribution(std::log(5e-3), 0.0)(random))};
}

TEST(AStartAccount, WaitsUntilAsMuchAgainWouldReturnTheStart) {
  const StartCost cost{0.4};
  StartAccount account(cost, {});
  EXPECT_FALSE(account.pays(0, 1));
  account.promise(account.cover(0, 0.65, 1), 0.9);
  EXPECT_FALSE(account.pays(0.65, 1)) << "0.65 s more have the device for 0.25 s, and gain 0.225 s";
  account.promise(account.cover(0.65, 0.75, 1), 0.9);
  EXPECT_TRUE(account.pays(0.75, 1)) << "0.315 s";
  EXPECT_FALSE(StartAccount(account).pays(1e-9 + 0.4, 1)) << "before it could be ready";
}

TEST(AStartAccount, CountsNoCallThatTheDeviceWouldNotHelp) {
  StartAccount account({0.01}, {});
  account.promise(account.cover(0, 100, 1), 0);
  EXPECT_FALSE(account.pays(100, 1));
}

TEST(AStartAccount, CountsThreadsThatCallAtOnceOnce) {
  StartAccount account({0.4}, {});
  for (int thread = 0; thread < 16; ++thread) account.cover(0, 0.5, 1);
  EXPECT_DOUBLE_EQ(account.seconds(), 0.5);
  EXPECT_DOUBLE_EQ(account.cover(0.25, 0.75, 1).seconds, 0.25);
}

TEST(AStartAccount, StartsAKnownProgramAtItsFirstCall) {
  const StartCost cost{0.4};
  EXPECT_TRUE(StartAccount(cost, ProgramWork{2, 1.4, 0.9}).pays(0, 1));
  EXPECT_FALSE(StartAccount(cost, ProgramWork{0.6, 0.2, 0.9}).pays(0, 1));
}

// A single large product, and then nothing that the device helps.
TEST(AStartAccount, LearnsThatAStartComesTooLateForAProgramOfOneCall) {
  const StartCost cost;
  const Program program = {{0, 2, 0.95}};
  const Played first = play(program, cost, Starts::by_account, {cost, {}});
  EXPECT_EQ(first.work.gain, 0) << "a device that starts at the call is ready after it";
  EXPECT_FALSE(play(program, cost, Starts::by_account, {cost, first.work}).started);
}

TEST(AStartAccount, BelievesLittleInADeviceThatShowedNoGain) {
  const StartCost cost;
  StartAccount account(cost, {});
  account.promise(account.cover(0, 5, 1), 0.9);
  const ProgramWork shown = account.work({10, 10, -0.1});
  EXPECT_LT(shown.gain, cost.lost());
  EXPECT_LT(shown.rate, 0.05);
}

// Else it would be started in each second run.
TEST(AStartAccount, RemembersWhatADeviceDidNotKeepInRunsThatDoNotStartIt) {
  const StartCost cost;
  std::optional<ProgramWork> known;
  int starts = 0;
  for (int run = 0; run < 20; ++run) {
    StartAccount account(cost, known);
    const bool begins = account.pays(0, 1);
    starts += begins;
    if (!begins) account.promise(account.cover(0, 3, 1), 0.9);
    known = account.work(begins ? Gains{3, 3, 0} : Gains{});
  }
  EXPECT_LE(starts, 3);
}

TEST(AStartAccount, KeepsItsPromiseWhereNoCallHadTheDeviceYet) {
  const StartCost cost;
  StartAccount account(cost, {});
  for (int call = 0; call < 10; ++call)
    account.promise(account.cover(0.1 * call, 0.1 * call + 0.1, 1), 0.9);
  const ProgramWork work = account.work({});
  EXPECT_NEAR(work.gain, 0.9 * 0.5, 1e-9) << "of the calls from 0.5 s on";
  EXPECT_DOUBLE_EQ(work.rate, 0.9);
}

// Against the better of "never" and "at once", as they turn out. A call is neither divided between
// before and after a start, nor does anybody decide in the middle of one.
TEST(AStartAccount, LosesAnUnknownProgramNoMoreThanOneStart) {
  std::mt19937_64 random(1);
  for (int trial = 0; trial < 4000; ++trial) {
    SCOPED_TRACE(trial);
    const Program program = any_program(random);
    const StartCost cost = any_start(random);
    const double better = std::min(play(program, cost, Starts::never).seconds,
                                   play(program, cost, Starts::at_once).seconds);
    const double longest = std::ranges::max(program, {}, &PlayedCall::seconds).seconds;
    const double ours = play(program, cost, Starts::by_account, {cost, {}}).seconds;
    EXPECT_LE(ours, 1.02 * better + 0.02 + cost.until_ready + 2 * cost.lost() + 2 * longest);
  }
}

// Where the first run has shown little, the third one knows.
TEST(AStartAccount, ReachesTheGainOfAStartAtOnceFromTheSecondRunOn) {
  std::mt19937_64 random(2);
  double there = 0, second = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    SCOPED_TRACE(trial);
    const Program program = any_program(random);
    const StartCost cost = any_start(random);
    const double never = play(program, cost, Starts::never).seconds,
                 at_once = play(program, cost, Starts::at_once).seconds;
    const bool gains = never - at_once > 0.1 * never;
    Played last = play(program, cost, Starts::by_account, {cost, {}});
    for (int run = 2; run <= 4; ++run) {
      last = play(program, cost, Starts::by_account, {cost, last.work});
      if (run == 2 && gains) {
        there += never - at_once;
        second += never - last.seconds;
      }
      if (run == 2) continue;
      EXPECT_LE(last.seconds, 1.02 * std::min(never, at_once) + 0.02 + cost.lost()) << run;
      EXPECT_TRUE(!gains || never - last.seconds >= 0.8 * (never - at_once)) << run;
    }
  }
  EXPECT_GE(second, 0.98 * there);
}

// Runs of another input size than the one before, ten times shorter or longer.
TEST(AStartAccount, LosesOneStartToAHistoryOfAnotherSize) {
  std::mt19937_64 random(3);
  for (int trial = 0; trial < 2000; ++trial) {
    SCOPED_TRACE(trial);
    const StartCost cost = any_start(random);
    const double gain = 0.9, all = random() % 2 == 0 ? 0.2 : 2, each = 0.01;
    const Program earlier = calls_of(2.2 - all, each, gain), now = calls_of(all, each, gain);
    const ProgramWork known = play(earlier, cost, Starts::at_once).work;
    const double better =
        std::min(play(now, cost, Starts::never).seconds, play(now, cost, Starts::at_once).seconds);
    const double ours = play(now, cost, Starts::by_account, {cost, known}).seconds;
    EXPECT_LE(ours, 1.02 * better + 0.02 + cost.until_ready + 2 * cost.lost());
  }
}

// The same arguments, but a file that holds another input.
TEST(AStartAccount, TakesARunOfOtherCallsForAnUnknownOne) {
  const StartCost cost;
  const Program earlier = calls_of(4, 0.01, 0.9);
  const ProgramWork known = play(earlier, cost, Starts::by_account, {cost, {}}).work;
  EXPECT_TRUE(play(earlier, cost, Starts::by_account, {cost, known}).started);
  const Program shorter = calls_of(0.4, 0.001, 0.9, 0, 2);
  const Played other = play(shorter, cost, Starts::by_account, {cost, known});
  EXPECT_FALSE(other.started);
  EXPECT_FALSE(StartAccount(cost, other.work).is_hope(2)) << "it is the known one from then on";
  EXPECT_TRUE(StartAccount(cost, other.work).is_hope(1));
}

// Its calls before them are few.
TEST(AStartAccount, KnowsARunThatHasSomeOtherCalls) {
  const StartCost cost;
  const ProgramWork known = play(calls_of(4, 0.01, 0.9), cost, Starts::by_account, {cost, {}}).work;
  StartAccount account(cost, known);
  EXPECT_FALSE(account.pays(0, 2));
  account.promise(account.cover(0, 0.01, 2), 0);
  account.promise(account.cover(0.01, 0.03, 1), 0.9);
  EXPECT_TRUE(account.pays(0.03, 1));
  EXPECT_TRUE(account.pays(0.03, 2));
}

// A test suite, whose arguments change: each is unknown, and ends when a start was about to pay.
TEST(AStartLedger, BoundsWhatTenThousandShortProgramsLose) {
  const StartCost cost;
  const Program program = calls_of(1, 0.01, 0.9);
  StartLedger ledger;
  double plain = 0, ours = 0;
  int starts = 0;
  for (int run = 0; run < 10000; ++run) {
    const Played played = play(program, cost, Starts::by_account, {cost, {}}, ledger.allows(cost));
    plain += 1;
    ours += played.seconds;
    starts += played.started;
    ledger.add(played.work.seconds, cost,
               played.started ? std::optional(played.gains.won) : std::nullopt);
  }
  EXPECT_LE(ours, 1.02 * plain + (1 + 10) * 5 * cost.lost()) << "five more for each thousand";
  EXPECT_GT(starts, 50) << "who does more may lose more";
}

TEST(AStartLedger, AllowsStartsThatReturnWhatTheyTake) {
  const StartCost cost;
  StartLedger ledger;
  for (int run = 0; run < 1000; ++run) {
    ASSERT_TRUE(ledger.allows(cost)) << run;
    ledger.add(1, cost, 2 * cost.lost());
  }
}

}  // namespace
}  // namespace duoblas
