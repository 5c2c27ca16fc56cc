// Shares that follow sides whose speeds drift, simulated: many seeds, no clock.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "engine/simulated_sides.hpp"

namespace duoblas::test {
namespace {

constexpr int seeds = 25;
constexpr double part = 1.0 / 16;  // of C

// Every noise with and without the device's timestamps, under many seeds.
std::vector<Simulation> simulations() {
  std::vector<Simulation> all;
  for (const bool timestamps : {true, false}) {
    for (const double noise : {0.0, 0.02, 0.05, 0.1}) {
      for (int seed = 1; seed <= seeds; ++seed) {
        Simulation simulation;
        simulation.noise = noise;
        simulation.timestamps = timestamps;
        simulation.seed = static_cast<std::uint64_t>(seed);
        all.push_back(simulation);
      }
    }
  }
  return all;
}

std::string describe(const Simulation& simulation) {
  return "noise " + std::to_string(simulation.noise) +
         (simulation.timestamps ? ", timestamps" : ", no timestamps") + ", seed " +
         std::to_string(simulation.seed);
}

// A side that is done early without saying when has to be found by trying, and noise hides the end
// of every other call.
int calls_to_settle(const Simulation& simulation) {
  return simulation.timestamps ? 8 : 50;
}
double settled_within(const Simulation& simulation) {
  return simulation.timestamps ? part / 2 : 2 * part;
}

// From `first` on: near the balance, and at rest. A share that moved with every call, or swung
// about the balance, would change its direction in a good part of the calls.
void expect_settled(const std::vector<SimulatedCall>& calls, int first, const Speeds& speeds,
                    const Simulation& simulation) {
  const double balanced = SimulatedSides::balanced(speeds);
  int moves = 0, turns = 0;
  double last_move = 0;
  for (std::size_t i = static_cast<std::size_t>(first); i < calls.size(); ++i) {
    EXPECT_NEAR(calls[i].share, balanced, settled_within(simulation)) << "call " << i;
    const double move = calls[i].share - calls[i - 1].share;
    if (move == 0) continue;
    ++moves;
    if (move * last_move < 0) ++turns;
    last_move = move;
  }
  const int count = static_cast<int>(calls.size());
  EXPECT_LE(moves, simulation.timestamps ? count / 24 : count / 12);
  EXPECT_LE(turns, simulation.timestamps ? count / 48 : count / 24);
}

// A few percent are what noise may cost; any drift that is worth following wins more.
void expect_no_slower(const std::vector<SimulatedCall>& calls, double at_most = 1.03) {
  double whole = 0, fixed = 0;
  for (const SimulatedCall& call : calls) {
    whole += call.whole;
    fixed += call.fixed;
  }
  EXPECT_LE(whole, at_most * fixed);
}

struct Drift {
  Speeds before, after;
};

TEST(ShareFollower, ComesToTheBalanceAfterEitherSideChangedItsSpeedAndStaysThere) {
  const Drift drifts[] = {{{1, 1}, {0.5, 1}}, {{1, 1}, {1, 0.5}}, {{1, 1}, {2, 1}},
                          {{1, 1}, {1, 2}},   {{4, 1}, {2, 1}},   {{1, 3}, {1, 1.5}}};
  for (const Simulation& simulation : simulations()) {
    SCOPED_TRACE(describe(simulation));
    for (const Drift& drift : drifts) {
      SCOPED_TRACE("to GPU " + std::to_string(drift.after.gpu) + ", CPU " +
                   std::to_string(drift.after.cpu));
      SimulatedSides sides(simulation, drift.before);
      sides.calls(40, drift.before);
      const auto calls = sides.calls(300, drift.after);
      expect_settled(calls, calls_to_settle(simulation), drift.after, simulation);
      expect_no_slower(calls, 0.95);
    }
  }
}

TEST(ShareFollower, LeavesAShareThatIsRightWhereItIs) {
  for (const Simulation& simulation : simulations()) {
    SCOPED_TRACE(describe(simulation));
    SimulatedSides sides(simulation, {2, 1});
    const auto calls = sides.calls(300, {2, 1});
    expect_settled(calls, 1, {2, 1}, simulation);
    expect_no_slower(calls);
  }
}

TEST(ShareFollower, FollowsAThrottledSideDownAndBackAgain) {
  for (const Simulation& simulation : simulations()) {
    SCOPED_TRACE(describe(simulation));
    for (const Speeds& throttled : {Speeds{0.5, 1}, Speeds{1, 0.5}}) {
      SimulatedSides sides(simulation, {1, 1});
      for (int round = 0; round < 3; ++round) {
        const auto down = sides.calls(150, throttled);
        expect_settled(down, calls_to_settle(simulation), throttled, simulation);
        const auto up = sides.calls(150, {1, 1});
        expect_settled(up, calls_to_settle(simulation), {1, 1}, simulation);
        // Back at the tuned speeds, the plan's share would have been right from the first call on.
        expect_no_slower(up, simulation.timestamps ? 1.03 : 1.1);
        expect_no_slower(down, 0.95);
      }
    }
  }
}

TEST(ShareFollower, FollowsASideThatSlowsDownBitByBit) {
  for (const Simulation& simulation : simulations()) {
    SCOPED_TRACE(describe(simulation));
    SimulatedSides sides(simulation, {1, 1});
    std::vector<SimulatedCall> calls;
    Speeds speeds{1, 1};
    for (int i = 0; i < 200; ++i) {
      speeds.cpu *= 0.995;  // to 0.37
      calls.push_back(sides.call(speeds));
      EXPECT_NEAR(calls.back().share, SimulatedSides::balanced(speeds), 2 * part) << "call " << i;
    }
    expect_no_slower(calls, 0.95);
  }
}

TEST(ShareFollower, HardlyMovesForOneCallThatWasDisturbed) {
  for (const Simulation& simulation : simulations()) {
    SCOPED_TRACE(describe(simulation));
    for (const Speeds& stalled : {Speeds{0.02, 1}, Speeds{1, 0.02}}) {
      SimulatedSides sides(simulation, {1, 1});
      const double before = sides.calls(60, {1, 1}).back().share;
      sides.call(stalled);
      for (const SimulatedCall& call : sides.calls(20, {1, 1}))
        EXPECT_NEAR(call.share, before, settled_within(simulation));
    }
  }
}

TEST(ShareFollower, ComesToRestWhereTheTilesAreLargeBesideC) {
  for (Simulation simulation : simulations()) {
    SCOPED_TRACE(describe(simulation));
    simulation.tile_rows = 192;
    SimulatedSides sides(simulation, {1, 1});
    const auto calls = sides.calls(400, {1, 0.55});
    int moves = 0;
    for (std::size_t i = 100; i < calls.size(); ++i) moves += calls[i].share != calls[i - 1].share;
    // With timestamps none; else a tile more is tried now and then, and taken back.
    EXPECT_LE(moves, simulation.timestamps ? 4 : 20);
    expect_no_slower(calls, 0.95);
  }
}

// Both sides use the same memory and power: a side's speed changes with the share. Whatever
// the share gains, the ratio loses a part of, so that each step goes too far.
TEST(ShareFollower, SettlesWhereTheSpeedsDependOnTheShareItself) {
  for (const Simulation& simulation : simulations()) {
    SCOPED_TRACE(describe(simulation));
    SimulatedSides sides(simulation, {1, 1});
    std::vector<SimulatedCall> calls = sides.calls(1, {1, 1});
    for (int i = 0; i < 300; ++i) {
      const double share = calls.back().share;
      calls.push_back(sides.call({1.6 - 0.5 * share, 1.0 - 0.5 * (1 - share)}));
    }
    // p / (1.6 - 0.5 p) = (1 - p) / (0.5 + 0.5 p) at p = 8 / 13.
    for (std::size_t i = static_cast<std::size_t>(calls_to_settle(simulation)) + 10;
         i < calls.size(); ++i)
      EXPECT_NEAR(calls[i].share, 8.0 / 13, settled_within(simulation)) << "call " << i;
  }
}

}  // namespace
}  // namespace duoblas::test
