// What a share that follows must never do, whatever was measured.
#include "engine/share_follower.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <thread>
#include <vector>

#include "engine/simulated_sides.hpp"

namespace duoblas::test {
namespace {

TEST(ShareFollower, LeavesEachSideATileHoweverSlowItIsAndFindsItsWayBack) {
  for (const bool timestamps : {true, false}) {
    Simulation simulation;
    simulation.timestamps = timestamps;
    simulation.noise = 0.05;
    for (const Speeds& slow : {Speeds{1e-4, 1}, Speeds{1, 1e-4}}) {
      SimulatedSides sides(simulation, {1, 1});
      for (const SimulatedCall& call : sides.calls(200, slow)) {
        const double rows = call.share * static_cast<double>(sides.problem().m);
        EXPECT_GE(rows, simulation.tile_rows);
        EXPECT_LE(rows, static_cast<double>(sides.problem().m) - 1);
      }
      EXPECT_NEAR(sides.calls(300, {1, 1}).back().share, 0.5, 1.0 / 8);
    }
  }
}

TEST(ShareFollower, LeavesPlansOfOneSideAlone) {
  SimulatedSides sides({}, {1, 1});
  for (const Strategy strategy : {Strategy::cpu, Strategy::gpu}) {
    Plan plan = sides.planned();
    plan.strategy = strategy;
    plan.gpu_extent = strategy == Strategy::cpu ? 0 : sides.problem().m;
    for (int i = 0; i < 10; ++i)
      sides.follower().observe(sides.problem(), plan, plan.gpu_extent, {1, 3, false});
    EXPECT_EQ(sides.follower().follow(sides.problem(), plan).gpu_extent, plan.gpu_extent);
  }
  EXPECT_EQ(sides.follower().follow(sides.problem(), sides.planned()).gpu_extent,
            sides.planned().gpu_extent);
}

TEST(ShareFollower, LeavesAProductOfOneTileAlone) {
  Simulation simulation;
  simulation.rows = simulation.tile_rows;
  SimulatedSides sides(simulation, {1, 1});
  Plan forced = sides.planned();
  forced.gpu_extent = 3;
  for (int i = 0; i < 10; ++i) sides.follower().observe(sides.problem(), forced, 3, {1, 5, false});
  EXPECT_EQ(sides.follower().follow(sides.problem(), forced).gpu_extent, 3);
}

TEST(ShareFollower, PassesOverTimesThatSayNothing) {
  SimulatedSides sides({}, {1, 1});
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  constexpr double inf = std::numeric_limits<double>::infinity();
  for (const Overlap& odd : {Overlap{0, 1, false}, Overlap{1, 0, false}, Overlap{-1, 1, false},
                             Overlap{nan, 1, false}, Overlap{1, inf, false}}) {
    for (int i = 0; i < 5; ++i)
      sides.follower().observe(sides.problem(), sides.planned(), 512, odd);
  }
  for (int i = 0; i < 5; ++i) {
    sides.follower().observe(sides.problem(), sides.planned(), 0, {1, 2, false});
    sides.follower().observe(sides.problem(), sides.planned(), sides.problem().m, {1, 2, false});
  }
  EXPECT_EQ(sides.follower().follow(sides.problem(), sides.planned()).gpu_extent,
            sides.planned().gpu_extent);
}

TEST(ShareFollower, MovesOtherShapesOfTheClassAsFarAsTheirPlansDiffer) {
  SimulatedSides sides({}, {1, 1});
  sides.calls(40, {0.5, 1});
  GemmProblem other = sides.problem();
  other.m = 4000;
  Plan plan = sides.planned();
  plan.share = {2, 3};
  EXPECT_NEAR(static_cast<double>(sides.follower().follow(other, plan).gpu_extent), 2000, 40)
      << "from two to one to one to one";
  other.op_a = Op::transpose;
  EXPECT_EQ(sides.follower().follow(other, plan).gpu_extent, plan.gpu_extent) << "another class";
}

TEST(ShareFollower, KeepsThePlanWhereTheGpuCouldNotDoItsPart) {
  SimulatedSides sides({}, {1, 1});
  sides.calls(40, {2, 1});
  sides.follower().leave_alone(sides.problem(), sides.planned());
  EXPECT_DOUBLE_EQ(sides.calls(40, {2, 1}).back().share, 0.5);
}

TEST(ShareFollower, ForgetsEverythingWhereThePlansAreOthers) {
  SimulatedSides sides({}, {1, 1});
  sides.calls(40, {2, 1});
  sides.follower().forget();
  EXPECT_DOUBLE_EQ(sides.calls(1, {2, 1}).back().share, 0.5);
}

// Ten thousand shapes do not fit the table: old classes make room, and whoever lost its place
// starts from its plan.
TEST(ShareFollower, RemembersTheClassInUseAmongEverNewOnes) {
  SimulatedSides sides({}, {1, 1});
  sides.calls(40, {2, 1});
  GemmProblem passing = sides.problem();
  for (int i = 0; i < 10000; ++i) {
    passing.m = std::int64_t{16} << (i % 20);
    passing.n = std::int64_t{1} << (i / 20 % 25);
    passing.k = std::int64_t{1} << (i / 500);
    sides.follower().observe(passing, sides.planned(), 8, {1, 2, false});
    EXPECT_NEAR(sides.calls(1, {2, 1}).back().share, 2.0 / 3, 1.0 / 16);
  }
}

TEST(ShareFollower, StandsManyThreads) {
  SimulatedSides sides({}, {1, 1});
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&sides, t] {
      GemmProblem problem = sides.problem();
      problem.k <<= t % 2;
      for (int i = 0; i < 2000; ++i) {
        const Plan plan = sides.follower().follow(problem, sides.planned());
        const auto gpu = static_cast<double>(plan.gpu_extent);
        const auto cpu = static_cast<double>(problem.m) - gpu;
        sides.follower().observe(problem, sides.planned(), plan.gpu_extent, {gpu / 3, cpu, false});
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_NEAR(
      static_cast<double>(sides.follower().follow(sides.problem(), sides.planned()).gpu_extent),
      0.75 * static_cast<double>(sides.problem().m), 40);
}

}  // namespace
}  // namespace duoblas::test
