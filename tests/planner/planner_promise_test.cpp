// The promise of the planner: at shapes that were never tuned, what it chooses is at most 3 %
// slower than the best of CPU-only, GPU-only and every split. On machines whose true times are
// known.
#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "planner/simulated_machine.hpp"
#include "support/tuned_machine.hpp"

namespace duoblas {
namespace {

using test::paper_problem;
using test::SimulatedMachine;

constexpr double promised = 1.03;

std::vector<GemmProblem> untuned_shapes(Precision precision) {
  constexpr std::int64_t extents[] = {128, 192, 300, 420, 640, 900, 1400, 2000, 2300};
  std::vector<GemmProblem> problems;
  for (const std::int64_t m : extents)
    for (const std::int64_t n : extents)
      for (const std::int64_t k : extents) problems.push_back(paper_problem(precision, m, n, k));
  return problems;
}

double regret(const SimulatedMachine& machine, const PlanMachine& tuned, const GemmProblem& p) {
  return machine.seconds(p, make_plan(p, tuned, {})) / best_seconds(machine, tuned, p);
}

class PlannerPromise : public testing::TestWithParam<SimulatedMachine> {};

// How many shapes of the grid are slower than promised, and the slowest.
struct Broken {
  std::size_t count = 0, of = 0;
  double worst = 0;
};

Broken broken_promises(const SimulatedMachine& machine, Precision precision, double noise) {
  const PlanMachine tuned = machine.tuned(test::tuned_shapes(precision), noise);
  Broken broken;
  for (const GemmProblem& p : untuned_shapes(precision)) {
    const double slower = regret(machine, tuned, p);
    broken.worst = std::max(broken.worst, slower);
    broken.count += slower > promised ? 1 : 0;
    ++broken.of;
  }
  return broken;
}

// One of 729 shapes misses it on one machine: 3.1 %, where the GPU alone and a partition by columns
// are equally good.
TEST_P(PlannerPromise, IsKeptOverAGridOfShapesThatWereNeverTuned) {
  for (const Precision precision : {Precision::s, Precision::d}) {
    const Broken broken = broken_promises(GetParam(), precision, 0);
    EXPECT_LE(broken.count, 1u);
    EXPECT_LE(broken.worst, promised + 0.002);
  }
}

TEST_P(PlannerPromise, IsKeptByNinetyNinePercentOfTheGridWithTimingsOnePercentOff) {
  for (const Precision precision : {Precision::s, Precision::d}) {
    const Broken broken = broken_promises(GetParam(), precision, 0.01);
    EXPECT_LE(100 * broken.count, broken.of);
  }
}

TEST_P(PlannerPromise, TakesTheTunedShareAtTheTunedShapes) {
  const PlanMachine tuned = GetParam().tuned(test::tuned_shapes(Precision::s));
  for (const TunedPoint& point : tuned.profile->points) {
    const PlanRequest both{Strategy::hybrid, std::nullopt};
    const Plan plan =
        make_plan(paper_problem(Precision::s, point.m, point.n, point.k), tuned, both);
    if (plan.strategy == Strategy::gpu && point.gpu.seconds < point.hybrid.seconds) continue;
    EXPECT_EQ(plan.share, point.hybrid.share) << point.m << " x " << point.n << " x " << point.k;
  }
}

TEST_P(PlannerPromise, ExpectsTheSecondsThatACallTakes) {
  const PlanMachine tuned = GetParam().tuned(test::tuned_shapes(Precision::d));
  for (const auto& p : {paper_problem(Precision::d, 1500, 1500, 1500),
                        paper_problem(Precision::d, 2300, 900, 640)}) {
    const Plan plan = make_plan(p, tuned, {});
    if (plan.strategy == Strategy::cpu) continue;
    EXPECT_NEAR(plan.expected_seconds / GetParam().seconds(p, plan), 1.0, 0.03);
    EXPECT_NEAR(plan.cpu_only_seconds / GetParam().cpu_seconds(p), 1.0, 0.03);
  }
}

INSTANTIATE_TEST_SUITE_P(OnSimulatedMachines, PlannerPromise,
                         testing::ValuesIn(test::simulated_machines()),
                         [](const auto& machine) { return test::test_name(machine.param); });

TEST(PlannerFarAway, LeavesTheCpuOnlyForAGainThatIsSure) {
  // A GPU 15 % faster than the CPU at the one shape that was tuned, at nothing like the others.
  PlanMachine machine = test::paper_machine();
  Profile profile = test::paper_profile();
  profile.points = {test::paper_point(Precision::s, 2048, 64, 54, 90)};
  machine.use(profile);
  const GemmProblem near = paper_problem(Precision::s, 1600, 2048, 2048);
  const GemmProblem far = paper_problem(Precision::s, 2048, 60, 200000);
  EXPECT_EQ(make_plan(near, machine, {}).strategy, Strategy::gpu);
  EXPECT_EQ(make_plan(far, machine, {}).strategy, Strategy::cpu);
}

TEST(PlannerCosts, AreTheSameWhetherMadeBeforeOrForTheCall) {
  PlanMachine prepared = test::paper_machine();
  prepared.use(*prepared.profile);
  for (const std::int64_t n : {200, 700, 1300, 3000}) {
    const GemmProblem p = paper_problem(Precision::s, n, n, n);
    const Plan before = make_plan(p, prepared, {});
    const Plan anew = make_plan(p, test::paper_machine(), {});
    EXPECT_EQ(before.strategy, anew.strategy);
    EXPECT_EQ(before.gpu_extent, anew.gpu_extent);
    EXPECT_DOUBLE_EQ(before.expected_seconds, anew.expected_seconds);
  }
}

}  // namespace
}  // namespace duoblas
