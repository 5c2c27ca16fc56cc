// Products of both sides, as they were asked for: when they are left to the GPU all the same.
#include <cmath>

#include <gtest/gtest.h>

#include "planner/planner.hpp"
#include "profile/profile_match.hpp"
#include "support/tuned_machine.hpp"

namespace duoblas {
namespace {

using test::paper_machine;
using test::paper_point;
using test::paper_problem;
using test::want_hybrid;

// A GPU 50 times as fast as the CPU at the largest shape, where a tile is 3 % of C.
TEST(BothAsked, LeavesItToAGpuBesideWhichTheLeastShareIsTooMuchForTheCpu) {
  PlanMachine machine = paper_machine();
  TunedPoint point = paper_point(Precision::s, 192, 50.0, 1.0, 2.0, {31, 32});
  point.gpu_side_seconds = 1e-3;
  point.cpu_side_seconds = 2e-3;
  machine.profile->points = {point};
  const Plan plan = make_plan(paper_problem(Precision::s, 192, 192, 192), machine, want_hybrid);
  EXPECT_EQ(plan.strategy, Strategy::gpu);
  EXPECT_EQ(plan.gpu_extent, 192);
  // Unless the times are of another machine, or a split was given.
  machine.match = ProfileMatch::architecture;
  EXPECT_EQ(make_plan(paper_problem(Precision::s, 192, 192, 192), machine, want_hybrid).strategy,
            Strategy::hybrid);
  EXPECT_EQ(make_plan(paper_problem(Precision::s, 192, 192, 192), machine,
                      {Strategy::hybrid, Share{31, 32}})
                .strategy,
            Strategy::hybrid);
}

// As measured on an H200 with 16 cores: with `hybrid` asked for, a 64th of 8192 rows took the CPU
// 2.8 times as long as all of them took the GPU.
TEST(BothAsked, GivesACpuBesideAnH200NothingOfALargeProduct) {
  PlanMachine machine = paper_machine();
  machine.sharing = SharingMode::staged;
  machine.device.is_cpu = false;
  machine.device.max_work_group_size = 1024;
  machine.device.local_memory_bytes = std::size_t{48} << 10;
  machine.device.static_local_bytes = std::size_t{200} << 10;
  machine.device.max_allocation_bytes = std::size_t{35} << 30;
  machine.device.compute_units = 132;
  machine.device.shuffle_width = 32;
  machine.device.async_copies = machine.device.register_shares = true;
  machine.device.fp64_matrix = machine.device.tf32_matrix = true;
  bool found = false;
  for (const std::string_view text : shipped_profiles()) {
    const Profile profile = profile_from_json(std::string(text));
    if (profile.key.device != "NVIDIA H200") continue;
    found = true;
    machine.use(profile);
    for (const Precision precision : {Precision::s, Precision::d})
      for (const std::int64_t n : {4096, 8192, 12000})
        EXPECT_EQ(make_plan(paper_problem(precision, n, n, n), machine, want_hybrid).strategy,
                  Strategy::gpu)
            << letter(precision) << ' ' << n;
  }
  EXPECT_TRUE(found);
}

// Such a product shows nothing of the CPU, so that it would have to stay there for ever.
TEST(BothAsked, KeepsTheCpuThatCallsShowedToBeSlow) {
  const PlanMachine machine = paper_machine();
  const GemmProblem problem = paper_problem(Precision::s, 512, 512, 512);
  LearnedTimes learned;
  for (const bool gpu_is_seen : {false, true}) {
    learned.seen[place_of(Timed::cpu_side)] = true;
    learned.seen[place_of(Timed::gpu_side)] = gpu_is_seen;
    for (const double times : {3.0, 30.0, 1000.0}) {
      learned.posteriors[place_of(Timed::cpu_side)].mean = std::log(times);
      const Plan plan = make_plan(problem, machine, want_hybrid, &learned);
      ASSERT_EQ(plan.strategy, Strategy::hybrid) << times;
      EXPECT_TRUE(plan.forecast) << "the next call tells";
      EXPECT_LE(problem.m - plan.gpu_extent, problem.m / 4);
    }
  }
}

// Both sides were seen, the CPU's slow by chance.
LearnedTimes with_slow(Timed side) {
  LearnedTimes learned;
  learned.seen.fill(true);
  learned.worst.fill(1);
  learned.posteriors.fill({0, 0.2});
  learned.posteriors[place_of(side)].mean = std::log(1000.0);
  learned.allowance = 100;
  return learned;
}

// An earlier process of another strategy showed the GPU alone.
TEST(BothAsked, GivesTheCpuAPartAgainOnceTheGpusCallsHavePaidForThat) {
  const PlanMachine machine = paper_machine();
  const GemmProblem problem = paper_problem(Precision::s, 512, 512, 512);
  LearnedTimes learned = with_slow(Timed::cpu_side);
  Plan plan = make_plan(problem, machine, want_hybrid, &learned);
  ASSERT_EQ(plan.strategy, Strategy::gpu);
  ASSERT_TRUE(plan.forecast) << "its seconds count";
  EXPECT_GT(plan.forecast->modelled[place_of(Timed::gpu_alone)], 0);
  EXPECT_FALSE(plan.forecast->explores);
  learned.unseen.fill({10'000});
  plan = make_plan(problem, machine, want_hybrid, &learned);
  ASSERT_EQ(plan.strategy, Strategy::hybrid);
  EXPECT_TRUE(plan.forecast->explores);
  EXPECT_GT(plan.forecast->best_seconds, 0);
  learned.allowance = 0;
  EXPECT_EQ(make_plan(problem, machine, want_hybrid, &learned).strategy, Strategy::gpu);
}

TEST(BothAsked, OfAnUntunedMachineGivesEachSideAPartAgain) {
  PlanMachine machine = paper_machine();
  machine.profile.reset();
  const GemmProblem problem = paper_problem(Precision::s, 96, 96, 512);
  for (const Timed slow : {Timed::cpu_side, Timed::gpu_side}) {
    LearnedTimes learned = with_slow(slow);
    Plan plan = make_plan(problem, machine, want_hybrid, &learned);
    ASSERT_EQ(plan.strategy, slow == Timed::cpu_side ? Strategy::gpu : Strategy::cpu);
    ASSERT_TRUE(plan.forecast) << "its seconds count";
    learned.unseen.fill({10'000});
    plan = make_plan(problem, machine, want_hybrid, &learned);
    ASSERT_EQ(plan.strategy, Strategy::hybrid);
    EXPECT_TRUE(plan.forecast->explores);
  }
}

}  // namespace
}  // namespace duoblas
