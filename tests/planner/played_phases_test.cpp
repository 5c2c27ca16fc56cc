// Programs of several phases, each of which needs kernels of its own, on a machine whose compiler
// takes as long as a phase.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <random>

#include "planner/played_program.hpp"

namespace duoblas::test {
namespace {

// An H200 and sixteen cores.
PlayedMachine machine_with_compiler() {
  PlayedMachine machine{0.5};
  machine.compiling = 0.75;
  machine.build = machine.compiling / 16;
  machine.check = 0.012;
  return machine;
}

struct RunsOfPhases {
  double never = 0, better = 0;  ///< where all was built and checked before
  std::array<double, 3> ours{};

  double gain(std::size_t run) const { return (never - ours[run]) / (never - better); }
};

RunsOfPhases play_phases(bool know_calls) {
  std::mt19937_64 random(11);
  RunsOfPhases runs;
  for (int trial = 0; trial < 1000; ++trial) {
    const Program program = any_phases(random);
    PlayedMachine machine = machine_with_compiler(), ready = machine;
    play(program, ready, Starts::at_once);
    const double never = play_apart(program, ready, Starts::never).seconds;
    runs.never += never;
    runs.better += std::min(never, play_apart(program, ready, Starts::at_once).seconds);
    std::optional<ProgramWork> known;
    for (double& ours : runs.ours) {
      const Played run =
          play(program, machine, Starts::by_account, Account(machine.costs(), known));
      ours += run.seconds;
      known = run.work;
      if (!know_calls) machine.calls.clear();
    }
  }
  return runs;
}

// A kernel that only the first phase needs pays for itself in a later run, if at all.
TEST(PlayedPhases, LoseNothingInTheirFirstRunsAndGainInLaterOnes) {
  const RunsOfPhases runs = play_phases(true);
  EXPECT_LE(runs.ours[0], runs.never);
  EXPECT_GE(runs.gain(1), 0.8);
  EXPECT_GE(runs.gain(2), 0.98);
}

// Builds of a known program begin with its start, and not as its calls miss them.
TEST(PlayedPhases, GainByWhatTheirLastRunsCalled) {
  const RunsOfPhases with = play_phases(true), without = play_phases(false);
  EXPECT_EQ(with.ours[0], without.ours[0]);
  EXPECT_LT(with.ours[1], without.ours[1]);
}

}  // namespace
}  // namespace duoblas::test
