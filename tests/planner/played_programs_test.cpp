// Thousands of programs: what they lose and gain against the better of "never" and "at once", as
// these turn out.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>

#include "planner/played_program.hpp"

namespace duoblas::test {
namespace {

Account unknown_to(const PlayedMachine& machine) {
  return Account(machine.costs());
}

// A call is neither divided between before and after a start, nor does anybody decide in the middle
// of one.
TEST(PlayedPrograms, LoseNoMoreThanOneStartWhereTheyAreUnknown) {
  std::mt19937_64 random(1);
  for (int trial = 0; trial < 4000; ++trial) {
    SCOPED_TRACE(trial);
    const Program program = any_program(random);
    const PlayedMachine machine = any_machine(random);
    const double better = std::min(play_apart(program, machine, Starts::never).seconds,
                                   play_apart(program, machine, Starts::at_once).seconds);
    const double ours =
        play_apart(program, machine, Starts::by_account, unknown_to(machine)).seconds;
    EXPECT_LE(ours, 1.02 * better + 0.02 + machine.until_ready + 2 * machine.lost() +
                        2 * longest_call(program));
  }
}

// "At once" builds and checks at once, too. What the start needs belongs to it.
TEST(PlayedPrograms, LoseNoMoreThanOneStartWithWhatItNeeds) {
  std::mt19937_64 random(4);
  for (int trial = 0; trial < 4000; ++trial) {
    SCOPED_TRACE(trial);
    const Program program = any_program(random);
    const PlayedMachine machine = any_machine(random, true);
    const double better = std::min(play_apart(program, machine, Starts::never).seconds,
                                   play_apart(program, machine, Starts::at_once).seconds);
    const double ours =
        play_apart(program, machine, Starts::by_account, unknown_to(machine)).seconds;
    const double bundle = machine.lost() + 2 * (machine.build + machine.compiling + machine.check);
    EXPECT_LE(ours,
              1.02 * better + 0.02 + machine.until_ready + 2 * bundle + 2 * longest_call(program));
  }
}

// However long compilers take, for which its end waits. A program may end when one has begun.
TEST(PlayedPrograms, TakeThreeTimesAsLongAtMostBesideCompilers) {
  std::mt19937_64 random(6);
  double never = 0, ours = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    SCOPED_TRACE(trial);
    const Program program = any_program(random);
    PlayedMachine machine = any_machine(random, true);
    machine.compiling *= 10;
    const double plain = play_apart(program, machine, Starts::never).seconds;
    const double took =
        play_apart(program, machine, Starts::by_account, unknown_to(machine)).seconds;
    EXPECT_LE(took, 3 * plain + 0.02 + machine.lost());
    never += plain;
    ours += took;
  }
  EXPECT_LE(ours, never);
}

TEST(PlayedPrograms, LoseNoMoreToADeviceThatKeepsNoPromise) {
  std::mt19937_64 random(5);
  for (int trial = 0; trial < 2000; ++trial) {
    SCOPED_TRACE(trial);
    Program program = any_program(random);
    for (PlayedCall& call : program) call.kept = 0;
    const PlayedMachine machine = any_machine(random, trial % 2 == 0);
    const double never = play_apart(program, machine, Starts::never).seconds;
    const double bundle = machine.lost() + 2 * (machine.build + machine.compiling + machine.check);
    const Played first = play_apart(program, machine, Starts::by_account, unknown_to(machine));
    EXPECT_LE(first.seconds, 1.02 * never + 0.02 + bundle);
    const Account known(machine.costs(), first.work);
    const double second = play_apart(program, machine, Starts::by_account, known).seconds;
    EXPECT_LE(second, 1.02 * never + 0.02 + bundle);
  }
}

struct SameProgram {
  double never = 0, ours = 0;
  int starts = 0;
};

// Again and again, a little shorter or longer each time.
SameProgram play_again(const Program& program, PlayedMachine machine, int runs,
                       std::mt19937_64& random) {
  SameProgram all;
  std::optional<ProgramWork> known;
  for (int run = 0; run < runs; ++run) {
    Program now = program;
    const double times = std::uniform_real_distribution(0.9, 1.2)(random);
    for (PlayedCall& call : now) call.seconds *= times;
    all.never += play(now, machine, Starts::never).seconds;
    const Played one = play(now, machine, Starts::by_account, Account(machine.costs(), known));
    all.ours += one.seconds;
    all.starts += one.started;
    known = one.work;
  }
  return all;
}

// What a run has refuted is no promise to the next one. It comes back at a hundredth a run, so the
// hundred runs lose no more. Of a first start that ends with the program nothing is known.
TEST(PlayedPrograms, LoseOneStartInAllRunsToADeviceThatKeepsNoPromise) {
  std::mt19937_64 random(8);
  for (int trial = 0; trial < 2000; ++trial) {
    SCOPED_TRACE(trial);
    Program program = any_program(random);
    for (PlayedCall& call : program) call.kept = 0;
    const PlayedMachine machine = any_machine(random, trial % 2 == 0);
    const SameProgram all = play_again(program, machine, trial % 100 == 0 ? 100 : 8, random);
    const double bundle = machine.lost() + 2 * (machine.build + machine.compiling + machine.check);
    EXPECT_LE(all.ours,
              1.02 * all.never + 8 * 0.02 + machine.lost() + bundle + 2 * longest_call(program));
  }
}

// HPL on a device that shares the CPU's cores, where nobody measured: all of a call's time is
// promised before the device is open, a tenth of it afterwards, and nothing is kept. Forty classes,
// more than runs keep, and more kernels than pay.
TEST(PlayedPrograms, OfManyClassesLoseOneStartInAllRunsWhereNobodyMeasured) {
  std::mt19937_64 random(9);
  PlayedMachine machine{0.32, 0.03};
  machine.compiling = 0.08;
  Program program;
  for (std::uint32_t step = 0; step < 320; ++step)
    program.push_back({1e-3, 0.022 * (1 - step / 320.0), 1, step / 8, 0, 0.1});
  for (int trial = 0; trial < 500; ++trial) {
    SCOPED_TRACE(trial);
    const SameProgram all = play_again(program, machine, 8, random);
    EXPECT_LE(all.starts, 2) << "one that was hoped for, one when that is nearly forgotten";
    EXPECT_LE(all.ours, 1.02 * all.never + 8 * 0.02 + machine.lost());
  }
}

// A busy machine: the next run does not start it, and a later one gains again.
TEST(PlayedPrograms, GetADeviceBackThatKeptNoPromiseOnce) {
  const PlayedMachine machine;
  const Program program = calls_of(3, 0.01, 0.9);
  Program busy = program;
  for (PlayedCall& call : busy) call.kept = 0;
  const auto next = [&](const Program& run, const std::optional<ProgramWork>& known) {
    return play_apart(run, machine, Starts::by_account, Account(machine.costs(), known));
  };
  Played last = next(program, {});
  last = next(program, last.work);
  ASSERT_TRUE(last.started);
  last = next(busy, last.work);
  int without = 0;
  for (last = next(program, last.work); !last.started; last = next(program, last.work)) ++without;
  EXPECT_GT(without, 0);
  EXPECT_LT(without, 20);
  EXPECT_TRUE(next(program, last.work).started);
}

struct Runs {
  double second_gained = 0, at_once_gained = 0;
};

// The last of so many runs is judged. What is built and checked lasts; "never" and "at once" find
// it.
Runs play_runs(int programs, int last_run, bool builds) {
  std::mt19937_64 random(2);
  Runs runs;
  for (int trial = 0; trial < programs; ++trial) {
    SCOPED_TRACE(trial);
    const Program program = any_program(random);
    PlayedMachine machine = any_machine(random, builds), ready = machine;
    play(program, ready, Starts::at_once);
    const double never = play(program, ready, Starts::never).seconds,
                 at_once = play(program, ready, Starts::at_once).seconds;
    const double gained = never - at_once;
    const double kernels = static_cast<double>(ready.built.size()) *
                           (machine.build + machine.check + machine.compiling);
    const bool repay = last_run / 3 * gained > kernels;
    const bool gains = repay && gained > 0.1 * never;
    double before = 0;
    const auto made = [&] {
      return static_cast<double>(machine.built.size()) * (machine.build + machine.compiling) +
             static_cast<double>(machine.checked.size()) * machine.check;
    };
    Played last = play(program, machine, Starts::by_account, unknown_to(machine));
    for (int run = 2; run <= last_run; ++run) {
      before = made();
      last = play(program, machine, Starts::by_account, Account(machine.costs(), last.work));
      if (run > 2 || !gains) continue;
      runs.at_once_gained += gained;
      runs.second_gained += never - last.seconds;
    }
    const double better = repay ? std::min(never, at_once) : never;
    EXPECT_LE(last.seconds, 1.02 * better + 0.02 + machine.lost() + made() - before);
    EXPECT_TRUE(!gains || never - last.seconds >= 0.8 * gained);
  }
  return runs;
}

// Where the first run has shown little, the third one knows.
TEST(PlayedPrograms, ReachTheGainOfAStartAtOnceFromTheSecondRunOn) {
  const Runs runs = play_runs(4000, 3, false);
  EXPECT_GE(runs.second_gained, 0.98 * runs.at_once_gained);
}

// A kernel that takes ten times what a run gains by it is built in the tenth.
TEST(PlayedPrograms, ReachTheGainOfAStartAtOnceWithKernelsFromTheSecondRunOn) {
  const Runs runs = play_runs(2000, 30, true);
  EXPECT_GE(runs.second_gained, 0.95 * runs.at_once_gained);
}

// The same calls with a BLAS that takes so many times as long. Of the device the same is promised,
// and it takes as long as before.
Program with_blas(Program program, double times) {
  for (PlayedCall& call : program) {
    call.seconds *= times;
    if (call.gain > 0) call.kept = (1 - (1 - call.gain) / times) / call.gain;
  }
  return program;
}

// Nobody saw that the program's BLAS was another one in the runs so far.
TEST(PlayedPrograms, KnowFromTheNextRunOnThatTheirBlasIsFaster) {
  std::mt19937_64 random(7);
  for (int trial = 0; trial < 4000; ++trial) {
    SCOPED_TRACE(trial);
    const Program program = any_program(random);
    PlayedMachine machine = any_machine(random);
    std::uniform_real_distribution<double> times(1, 4);
    const Program slow = with_blas(program, times(random)),
                  fast = with_blas(program, 1 / times(random));
    const double better = std::min(play_apart(fast, machine, Starts::never).seconds,
                                   play_apart(fast, machine, Starts::at_once).seconds);
    Played last = play(slow, machine, Starts::by_account, unknown_to(machine));
    for (const Program* run : {&slow, &slow, &fast, &fast})
      last = play(*run, machine, Starts::by_account, Account(machine.costs(), last.work));
    EXPECT_LE(last.seconds, 1.02 * better + 0.02 + machine.lost());
  }
}

// Runs of another input size than the one before, ten times shorter or longer, of the same calls or
// of others.
TEST(PlayedPrograms, LoseOneStartToAHistoryOfAnotherSize) {
  std::mt19937_64 random(3);
  for (int trial = 0; trial < 2000; ++trial) {
    SCOPED_TRACE(trial);
    const PlayedMachine machine = any_machine(random);
    const double gain = 0.9, all = random() % 2 == 0 ? 0.2 : 2, each = 0.01;
    const std::uint32_t other = 1 + random() % 2;
    const Program earlier = calls_of(2.2 - all, each, gain),
                  now = calls_of(all, each, gain, 0, other);
    const ProgramWork known = play_apart(earlier, machine, Starts::at_once).work;
    const double better = std::min(play_apart(now, machine, Starts::never).seconds,
                                   play_apart(now, machine, Starts::at_once).seconds);
    const double ours =
        play_apart(now, machine, Starts::by_account, Account(machine.costs(), known)).seconds;
    EXPECT_LE(ours, 1.02 * better + 0.02 + machine.until_ready + 2 * machine.lost());
  }
}

// Seconds of calls, and then hours of nothing. Pauses are no work, and a device is ready in them.
TEST(PlayedPrograms, GainInANotebookAfterItsFirstCells) {
  PlayedMachine machine;
  Program notebook;
  for (int cell = 0; cell < 20; ++cell) {
    const Program calls = calls_of(0.5, 0.01, 0.9);
    notebook.insert(notebook.end(), calls.begin(), calls.end());
    notebook[notebook.size() - calls.size()].pause = 600;
  }
  const double never = play(notebook, machine, Starts::never).seconds,
               at_once = play(notebook, machine, Starts::at_once).seconds,
               ours = play(notebook, machine, Starts::by_account, unknown_to(machine)).seconds;
  EXPECT_GE(never - ours, 0.9 * (never - at_once));
}

// Sixteen threads with a call each at the same time have no more work than one.
TEST(PlayedPrograms, OfThreadsCountAsOne) {
  const PlayedMachine machine;
  Account one = unknown_to(machine), sixteen = one;
  double started_one = 0, started_sixteen = 0;
  for (double now = 0; now < 5; now += 0.01) {
    one.promise(one.cover(now, now + 0.01, 1), 0.9);
    for (int thread = 0; thread < 16; ++thread)
      sixteen.promise(sixteen.cover(now, now + 0.01, 1), 0.9);
    if (started_one == 0 && one.start_pays(now + 0.01, 1)) started_one = now;
    if (started_sixteen == 0 && sixteen.start_pays(now + 0.01, 1)) started_sixteen = now;
  }
  EXPECT_GT(started_one, 0);
  EXPECT_EQ(started_one, started_sixteen);
}

// Both begin with what is known and write what they had; the device takes both twice as long. The
// one that ends last counts, for itself and in the ledger.
TEST(PlayedPrograms, OfTwoAtOnceEachLosesItsOwnStart) {
  const Program program = calls_of(3, 0.01, 0.9);
  PlayedMachine alone, busy = alone;
  busy.until_ready = 2 * alone.until_ready;
  std::optional<ProgramWork> known;
  UserLedger ledger;
  for (int run = 0; run < 3; ++run) {
    const Account account(alone.costs(), known, ledger.trust());
    const Played first = play(program, busy, Starts::by_account, account),
                 second = play(program, busy, Starts::by_account, account);
    EXPECT_TRUE(first.started && second.started);
    known = second.work;
    for (const Played& one : {first, second})
      ledger.add(one.work.seconds, one.spent, one.gains.won, one.hoped);
    const double at_once = play(program, busy, Starts::at_once).seconds;
    EXPECT_LE(second.seconds, at_once + 0.02 + (run == 0 ? 2 * busy.until_ready : 0));
    EXPECT_EQ(ledger.lost, 0);
  }
}

// Each of them begins with its parent's account, and what it does is told to nobody.
TEST(PlayedPrograms, ThatForkLoseNoMoreThanTheirOwnStart) {
  PlayedMachine machine;
  const Program before = calls_of(0.6, 0.01, 0.9);
  Account parent = unknown_to(machine);
  double now = 0;
  for (const PlayedCall& call : before) {
    parent.promise(parent.cover(now, now + call.seconds, call.of_class), call.gain);
    now += call.seconds;
  }
  const Account child = parent;
  Program rest = calls_of(3, 0.01, 0.9);
  rest.front().pause = now;
  const double never = play(rest, machine, Starts::never, child).seconds;
  const double at_once = play(rest, machine, Starts::at_once, child).seconds;
  const double took = play(rest, machine, Starts::by_account, child).seconds;
  EXPECT_LE(took, 1.02 * std::min(never, at_once) + 0.02 + machine.until_ready +
                      2 * machine.lost() + 2 * longest_call(rest));
}

struct Suite {
  double plain = 0, ours = 0;
  int starts = 0;
};

// Programs with changing arguments: each is unknown.
Suite play_suite(int programs, double seconds, bool trusts) {
  PlayedMachine machine;
  const Program program = calls_of(seconds, 0.01, 0.9);
  UserLedger ledger;
  Suite suite;
  for (int run = 0; run < programs; ++run) {
    const Account account(machine.costs(), {}, trusts ? ledger.trust() : 1);
    const bool allowed = ledger.allows(machine.lost());
    const Played played = play(program, machine, Starts::by_account, account, allowed);
    suite.plain += play(program, machine, Starts::never).seconds;
    suite.ours += played.seconds;
    suite.starts += played.started;
    ledger.add(played.work.seconds, played.spent, played.gains.won, played.hoped);
  }
  return suite;
}

// A test suite, each program of which ends when a start was about to pay.
TEST(AUsersPrograms, LoseTwoPercentInSum) {
  const double lost = PlayedMachine().lost();
  const Suite suite = play_suite(10000, 1, false);
  EXPECT_LE(suite.ours, 1.02 * suite.plain + (1 + 10) * UserLedger::free_starts * lost)
      << "five more for each thousand";
  EXPECT_GT(suite.starts, 50) << "who does more may lose more";
}

// What earlier programs deserved is a prior for the next one.
TEST(AUsersPrograms, LoseLessWhereEarlierOnesEndedTooEarly) {
  const Suite blind = play_suite(10000, 1, false), trusting = play_suite(10000, 1, true);
  EXPECT_LE(trusting.ours - trusting.plain, 0.5 * (blind.ours - blind.plain));
  EXPECT_LE(trusting.ours, 1.01 * trusting.plain);
}

TEST(AUsersPrograms, GainMoreWhereEarlierOnesGained) {
  const Suite blind = play_suite(1000, 3, false), trusting = play_suite(1000, 3, true);
  EXPECT_LT(trusting.ours, 0.95 * blind.ours);
  EXPECT_EQ(trusting.starts, 1000);
}

}  // namespace
}  // namespace duoblas::test
