// The planner's decision table.
#include "planner/planner.hpp"

#include <cmath>
#include <thread>

#include <gtest/gtest.h>

#include "kernel_space/kernel_rules.hpp"
#include "support/tuned_machine.hpp"

namespace duoblas {
namespace {

using test::automatic;
using test::paper_machine;
using test::paper_point;
using test::paper_problem;
using test::want_gpu;
using test::want_hybrid;

PlanRequest forced(int gpu_parts, int parts) {
  return {Strategy::hybrid, Share{gpu_parts, parts}};
}

TEST(Planner, LeavesEverythingToAllCoresWhereThereIsNoDevice) {
  PlanMachine machine = paper_machine();
  machine.has_gpu = false;
  for (const PlanRequest& request : {automatic, want_gpu, want_hybrid, forced(8, 16)}) {
    const Plan plan = make_plan(paper_problem(Precision::s, 2048, 2048, 2048), machine, request);
    EXPECT_EQ(plan.strategy, Strategy::cpu);
    EXPECT_EQ(plan.gpu_extent, 0);
    EXPECT_EQ(plan.cpu, machine.cpu_all_for(Precision::s));
    EXPECT_EQ(plan.reason, Reason::no_device);
  }
}

TEST(Planner, ObeysTheStrategyCpu) {
  const PlanRequest request{Strategy::cpu, Share{8, 16}};
  const Plan plan =
      make_plan(paper_problem(Precision::s, 2048, 2048, 2048), paper_machine(), request);
  EXPECT_EQ(plan.strategy, Strategy::cpu);
  EXPECT_EQ(plan.cpu, paper_machine().cpu_all_for(Precision::s));
}

TEST(Planner, TakesTheTunedShareRoundedToTheKernelsTile) {
  const Plan plan =
      make_plan(paper_problem(Precision::s, 2048, 2048, 2048), paper_machine(), automatic);
  ASSERT_EQ(plan.strategy, Strategy::hybrid);
  EXPECT_EQ(plan.axis, Axis::rows);
  EXPECT_EQ(plan.share, (Share{10, 16}));
  EXPECT_EQ(plan.gpu_extent % row_tile(plan.kernel), 0);
  EXPECT_NEAR(static_cast<double>(plan.gpu_extent), 1280.0,
              static_cast<double>(row_tile(plan.kernel)) / 2);
  EXPECT_EQ(plan.cpu, paper_machine().cpu_for(Precision::s));
  EXPECT_EQ(plan.sharing, SharingMode::host_pointer);
}

// Which kernels a device takes, each thread remembers.
TEST(Planner, TakesTheSameKernelWhateverWasPlannedBefore) {
  PlanMachine machines[] = {paper_machine(), paper_machine()};
  machines[0].device.is_cpu = false;
  machines[1].device.max_work_group_size = 1;
  for (PlanMachine& machine : machines)
    for (TunedPoint& point : machine.profile->points)
      point.gpu.kernel = default_kernel(point.precision, machines[0].device);
  for (int turn = 0; turn < 32; ++turn) {
    const auto precision = turn % 4 < 2 ? Precision::s : Precision::d;
    GemmProblem problem = paper_problem(precision, 2048, 2048, 2048);
    problem.op_a = turn % 8 < 4 ? Op::none : Op::transpose;
    const PlanMachine& machine = machines[turn % 2];
    const auto kernel = [&] { return make_plan(problem, machine, want_gpu).kernel; };
    KernelParams of_new_thread;
    std::thread([&] { of_new_thread = kernel(); }).join();
    EXPECT_EQ(kernel(), of_new_thread) << turn;
    EXPECT_TRUE(is_legal(of_new_thread, precision, machine.device)) << turn;
    EXPECT_EQ(of_new_thread.family == KernelFamily::panel, machine.device.is_cpu) << turn;
  }
}

TEST(Planner, GivesEachElementTypeItsOwnConfigurationOfTheCpu) {
  for (const Precision precision : all_precisions) {
    const GemmProblem problem = paper_problem(precision, 1024, 1024, 1024);
    const char* type = precision == Precision::d ? "Haswell" : "Cooperlake";
    EXPECT_EQ(make_plan(problem, paper_machine(), want_hybrid).cpu.core_type, type);
    EXPECT_EQ(make_plan(problem, paper_machine(), forced(8, 16)).cpu.core_type, type);
    EXPECT_EQ(make_plan(problem, paper_machine(), {Strategy::cpu, {}}).cpu.core_type, type);
  }
}

TEST(Planner, StaysOnTheCpuBelowTheCrossover) {
  const Plan plan = make_plan(paper_problem(Precision::s, 96, 96, 96), paper_machine(), automatic);
  EXPECT_EQ(plan.strategy, Strategy::cpu);
  EXPECT_EQ(plan.reason, Reason::below_crossover);
}

TEST(Planner, UsesTheGpuBelowTheCrossoverWhenToldTo) {
  const GemmProblem small = paper_problem(Precision::s, 128, 128, 128);
  EXPECT_EQ(make_plan(small, paper_machine(), want_hybrid).strategy, Strategy::hybrid);
  const Plan gpu = make_plan(small, paper_machine(), want_gpu);
  EXPECT_EQ(gpu.strategy, Strategy::gpu);
  EXPECT_EQ(gpu.gpu_extent, 128);
}

// A factorisation's panels hide behind the device's part of its products.
TEST(Planner, SharesAProductBesideOtherWorkThoughTheCpuAloneIsAsFast) {
  PlanMachine machine = paper_machine();
  machine.profile->points = {paper_point(Precision::s, 2048, 64.0, 120.0, 63.5)};
  const GemmProblem problem = paper_problem(Precision::s, 2048, 2048, 2048);
  ASSERT_EQ(make_plan(problem, machine, automatic).reason, Reason::cpu_fastest);
  const std::optional<Plan> plan = shared_plan(problem, machine, automatic);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->strategy, Strategy::hybrid);
  EXPECT_GT(plan->gpu_extent, 0);
  EXPECT_LT(plan->gpu_extent, problem.m);
  EXPECT_GT(plan->cpu_only_seconds, 0);
  EXPECT_NEAR(plan->expected_seconds / plan->cpu_only_seconds, 0.95, 0.08);
  machine.profile.reset();
  EXPECT_FALSE(shared_plan(problem, machine, automatic)) << "nothing is expected";
}

TEST(Planner, StaysOnTheCpuForAGainOfLessThanTwoPercent) {
  PlanMachine machine = paper_machine();
  machine.profile->points = {paper_point(Precision::s, 2048, 64.0, 120.0, 63.5)};
  const GemmProblem problem = paper_problem(Precision::s, 2048, 2048, 2048);
  EXPECT_EQ(make_plan(problem, machine, automatic).strategy, Strategy::cpu);
  machine.profile->points = {paper_point(Precision::s, 2048, 64.0, 120.0, 60.0)};
  EXPECT_EQ(make_plan(problem, machine, automatic).strategy, Strategy::hybrid);
}

TEST(Planner, GivesEverythingToAGpuThatIsFasterThanBothTogether) {
  PlanMachine machine = paper_machine();
  machine.profile->points = {paper_point(Precision::s, 2048, 64.0, 3.0, 4.0)};
  const Plan plan = make_plan(paper_problem(Precision::s, 2048, 2048, 2048), machine, automatic);
  EXPECT_EQ(plan.strategy, Strategy::gpu);
  EXPECT_EQ(plan.gpu_extent, 2048);
}

TEST(Planner, SharesAwayFromTunedShapesForMoreThanCallsOfOnePlanAreApart) {
  const auto machine_with = [](double noise) {
    PlanMachine machine = paper_machine();
    // Both sides together are 5 % faster than the GPU alone.
    machine.profile->points = {paper_point(Precision::s, 2048, 200.0, 50.0, 47.5, {12, 16})};
    machine.profile->points[0].noise = noise;
    return machine;
  };
  const GemmProblem tuned = paper_problem(Precision::s, 2048, 2048, 2048);
  const GemmProblem other = paper_problem(Precision::s, 4200, 4200, 4200);
  EXPECT_EQ(make_plan(tuned, machine_with(0.2), {}).strategy, Strategy::hybrid);
  EXPECT_EQ(make_plan(other, machine_with(0), {}).strategy, Strategy::hybrid);
  EXPECT_EQ(make_plan(other, machine_with(0.2), {}).strategy, Strategy::gpu);
}

TEST(Planner, StaysOnTheCpuWithoutAProfileUnlessToldOtherwise) {
  PlanMachine machine = paper_machine();
  machine.profile.reset();
  const GemmProblem problem = paper_problem(Precision::d, 960, 960, 960);
  EXPECT_EQ(make_plan(problem, machine, automatic).strategy, Strategy::cpu);
  const Plan hybrid = make_plan(problem, machine, want_hybrid);
  EXPECT_EQ(hybrid.strategy, Strategy::hybrid);
  EXPECT_EQ(hybrid.kernel, default_kernel(Precision::d, machine.device));
  EXPECT_NEAR(static_cast<double>(hybrid.gpu_extent), 480,
              static_cast<double>(row_tile(hybrid.kernel)) / 2);
}

TEST(Planner, ForcedSplitsRoundToSingleRowsAndLeaveNoSideEmpty) {
  for (std::int64_t m = 2; m <= 40; ++m)
    for (int parts = 1; parts < 16; ++parts) {
      const Plan plan =
          make_plan(paper_problem(Precision::s, m, 3, 3), paper_machine(), forced(parts, 16));
      ASSERT_EQ(plan.strategy, Strategy::hybrid) << m << " rows, " << parts << "/16";
      ASSERT_EQ(plan.axis, Axis::rows);
      ASSERT_EQ(plan.gpu_extent, forced_gpu_extent(m, {parts, 16}));
      ASSERT_GE(plan.gpu_extent, 1);
      ASSERT_LE(plan.gpu_extent, m - 1);
    }
}

TEST(Planner, ForcedSplitsOfOneRowCutItsColumns) {
  const Plan plan =
      make_plan(paper_problem(Precision::s, 1, 30, 5), paper_machine(), forced(8, 16));
  EXPECT_EQ(plan.strategy, Strategy::hybrid);
  EXPECT_EQ(plan.axis, Axis::columns);
  EXPECT_EQ(plan.gpu_extent, 15);
}

TEST(Planner, ForcedEndsOfTheScaleAreOneSided) {
  const GemmProblem problem = paper_problem(Precision::s, 33, 17, 9);
  EXPECT_EQ(make_plan(problem, paper_machine(), forced(0, 16)).strategy, Strategy::cpu);
  const Plan all = make_plan(problem, paper_machine(), forced(16, 16));
  EXPECT_EQ(all.strategy, Strategy::gpu);
  EXPECT_EQ(all.gpu_extent, 33);
}

TEST(Planner, ASplitReplacesTheShareOfAnAutomaticPlanButNotTheDecision) {
  const PlanRequest request{Strategy::automatic, Share{4, 16}};
  const Plan large =
      make_plan(paper_problem(Precision::s, 2048, 2048, 2048), paper_machine(), request);
  EXPECT_EQ(large.strategy, Strategy::hybrid);
  EXPECT_EQ(large.share, (Share{4, 16}));
  EXPECT_EQ(make_plan(paper_problem(Precision::s, 64, 64, 64), paper_machine(), request).strategy,
            Strategy::cpu);
}

TEST(Planner, ScalingAloneIsTheCpusUnlessForced) {
  GemmProblem problem = paper_problem(Precision::s, 1024, 1024, 0);
  for (const PlanRequest& request : {automatic, want_gpu, want_hybrid})
    EXPECT_EQ(make_plan(problem, paper_machine(), request).strategy, Strategy::cpu);
  EXPECT_EQ(make_plan(problem, paper_machine(), forced(8, 16)).strategy, Strategy::hybrid);
  problem.k = 1024;
  problem.alpha = 0.0;
  EXPECT_EQ(make_plan(problem, paper_machine(), automatic).strategy, Strategy::cpu);
}

TEST(Planner, NothingToComputeIsTheCpus) {
  for (const auto& problem :
       {paper_problem(Precision::d, 0, 5, 5), paper_problem(Precision::d, 5, 0, 5)})
    for (const PlanRequest& request : {automatic, want_gpu, want_hybrid, forced(8, 16)}) {
      const Plan plan = make_plan(problem, paper_machine(), request);
      EXPECT_EQ(plan.strategy, Strategy::cpu);
      EXPECT_EQ(plan.gpu_extent, 0);
    }
}

TEST(Planner, GivesTheGpuWhatTheDeviceCannotHoldAtOnce) {
  PlanMachine machine = paper_machine();
  machine.device.max_allocation_bytes = std::size_t{1} << 20;
  machine.device.memory_bytes = std::size_t{2} << 20;
  const GemmProblem problem = paper_problem(Precision::s, 2048, 2048, 2048);
  EXPECT_EQ(make_plan(problem, machine, want_gpu).strategy, Strategy::gpu);
  for (const PlanRequest& request : {want_hybrid, forced(8, 16)})
    EXPECT_EQ(make_plan(problem, machine, request).strategy, Strategy::hybrid);
}

TEST(Planner, CountsWhatStreamingBringsAgainAndAgain) {
  PlanMachine machine = paper_machine();
  const GemmProblem problem = paper_problem(Precision::s, 2048, 2048, 2048);
  ASSERT_NE(make_plan(problem, machine, automatic).strategy, Strategy::cpu);
  // Blocks of a few rows and columns: the operands go over the bus a hundred times.
  machine.device.memory_bytes = std::size_t{8} << 10;
  EXPECT_EQ(make_plan(problem, machine, automatic).strategy, Strategy::cpu);
}

TEST(Planner, GivesTheGpuExtentsBeyond31BitsToo) {
  PlanMachine machine = paper_machine();
  machine.device.max_allocation_bytes = std::size_t{1} << 60;
  const std::int64_t huge = std::int64_t{1} << 33;
  for (const auto& problem :
       {paper_problem(Precision::s, huge, 64, 64), paper_problem(Precision::s, 64, huge, 64),
        paper_problem(Precision::s, 64, 64, huge)})
    EXPECT_EQ(make_plan(problem, machine, want_gpu).strategy, Strategy::gpu);
}

TEST(Planner, KeepsDoublesOnTheCpuWhereTheDeviceHasNone) {
  PlanMachine machine = paper_machine();
  machine.device.has_fp64 = false;
  for (const Precision precision : {Precision::d, Precision::z})
    EXPECT_EQ(make_plan(paper_problem(precision, 2048, 2048, 2048), machine, want_hybrid).reason,
              Reason::no_double_precision);
  EXPECT_EQ(make_plan(paper_problem(Precision::s, 2048, 2048, 2048), machine, want_hybrid).strategy,
            Strategy::hybrid);
}

TEST(Planner, CutsColumnsWhereRowsAreTooFew) {
  const Plan plan =
      make_plan(paper_problem(Precision::s, 8, 8192, 4096), paper_machine(), want_hybrid);
  ASSERT_EQ(plan.strategy, Strategy::hybrid);
  EXPECT_EQ(plan.axis, Axis::columns);
  EXPECT_EQ(plan.gpu_extent % col_tile(plan.kernel), 0);
  EXPECT_NEAR(static_cast<double>(plan.gpu_extent) / 8192, plan.share.fraction(), 1.0 / 32);
}

TEST(Planner, GoesToAllCoresWhereTheShareIsLessThanATile) {
  PlanMachine machine = paper_machine();
  machine.profile->points = {paper_point(Precision::s, 2048, 64, 120, 50, {1, 16})};
  const Plan plan = make_plan(paper_problem(Precision::s, 5, 5, 500), machine, want_hybrid);
  EXPECT_EQ(plan.strategy, Strategy::cpu);
  EXPECT_EQ(plan.cpu, machine.cpu_all_for(Precision::s));
}

TEST(Planner, BorrowsTheShareOfTheNearestTypeWithItsOwnKernel) {
  const Plan plan =
      make_plan(paper_problem(Precision::z, 1024, 1024, 1024), paper_machine(), automatic);
  ASSERT_EQ(plan.strategy, Strategy::hybrid);
  EXPECT_EQ(plan.share, (Share{7, 16}));
  EXPECT_EQ(plan.kernel, default_kernel(Precision::z, paper_machine().device));
}

TEST(Planner, NeverSharesMemoryThatTheDriverWasNotSeenToShare) {
  PlanMachine machine = paper_machine();
  machine.sharing = SharingMode::staged;
  const Plan plan = make_plan(paper_problem(Precision::s, 2048, 2048, 2048), machine, want_hybrid);
  EXPECT_EQ(plan.sharing, SharingMode::staged);
}

TEST(Planner, ReplacesAKernelThatThisDeviceCannotRun) {
  PlanMachine machine = paper_machine();
  machine.device.vector_bytes = 16;
  machine.device.max_work_group_size = 1;
  machine.profile->points[1].hybrid.kernel.tile_rows = 14;
  const Plan plan = make_plan(paper_problem(Precision::s, 2048, 2048, 2048), machine, want_hybrid);
  ASSERT_EQ(plan.strategy, Strategy::hybrid);
  EXPECT_EQ(violated_rule(plan.kernel, Precision::s, machine.device), nullptr);
}

TEST(Planner, PacksAnOperandWhoseOrientationWasNotTuned) {
  GemmProblem problem = paper_problem(Precision::s, 2048, 2048, 2048);
  problem.op_b = Op::transpose;
  const Plan plan = make_plan(problem, paper_machine(), want_hybrid);
  EXPECT_TRUE(plan.kernel.pack_b);
  EXPECT_EQ(plan.kernel.pack_a, paper_machine().profile->points[1].hybrid.kernel.pack_a);
}

TEST(Planner, SendsShapesWithLittleWorkPerByteToTheCpu) {
  // As many flops as a tuned cube, but an outer product: bound by memory, which both sides share.
  const Plan plan =
      make_plan(paper_problem(Precision::s, 16384, 8192, 1), paper_machine(), automatic);
  EXPECT_EQ(plan.strategy, Strategy::cpu);
}

TEST(Planner, PlansEqualCallsAlike) {
  const GemmProblem problem = paper_problem(Precision::s, 1000, 700, 900);
  const PlanMachine machine = paper_machine();
  const Plan once = make_plan(problem, machine, automatic);
  const Plan again = make_plan(problem, machine, automatic);
  EXPECT_EQ(once.gpu_extent, again.gpu_extent);
  EXPECT_EQ(once.kernel, again.kernel);
  EXPECT_EQ(once.reason, again.reason);
}

// Calls of this class showed the GPU; of the CPU a time model says that it takes 1.3 times as long.
TEST(ATimeModelOfTheCpu, IsDoubtedOnceCallsHavePaidForThat) {
  const PlanMachine machine = test::paper_machine();
  const GemmProblem problem = paper_problem(Precision::s, 2048, 128, 2048);
  LearnedTimes learned;
  learned.allowance = 1;
  learned.worst.fill(2);
  learned.posteriors.fill({0, 0.05});
  learned.seen.fill(true);
  Posterior& cpu = learned.posteriors[place_of(Timed::cpu_all)];
  learned.posteriors[place_of(Timed::cpu_side)].mean = cpu.mean = 9;  // to share is no use
  const Plan slow_cpu = make_plan(problem, machine, {}, &learned);
  cpu.mean += std::log(1.3 * slow_cpu.expected_seconds / slow_cpu.cpu_only_seconds);
  cpu.spread = 0.15;
  learned.seen[place_of(Timed::cpu_all)] = false;
  UnseenSeconds& unseen = learned.unseen[place_of(Timed::cpu_all)];
  const double of_call = slow_cpu.expected_seconds;
  learned.allowance = 10 * of_call;
  unseen.here = 25 * of_call;
  EXPECT_EQ(make_plan(problem, machine, {}, &learned).strategy, Strategy::gpu);
  unseen.here = 35 * of_call;
  const Plan plan = make_plan(problem, machine, {}, &learned);
  EXPECT_EQ(plan.strategy, Strategy::cpu);
  ASSERT_TRUE(plan.forecast);
  EXPECT_TRUE(plan.forecast->explores);
}

}  // namespace
}  // namespace duoblas
