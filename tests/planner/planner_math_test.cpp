// Which kernel a plan takes in MathMode::tf32x3, and that nothing else of the plan changes.
#include <gtest/gtest.h>

#include "kernel_space/kernel_defaults.hpp"
#include "kernel_space/kernel_rules.hpp"
#include "planner/planner.hpp"
#include "support/tuned_machine.hpp"

namespace duoblas {
namespace {

using test::paper_machine;
using test::paper_problem;

// The paper machine with a large GPU of NVIDIA's in it.
PlanMachine matrix_machine() {
  PlanMachine machine = paper_machine();
  machine.device = {};
  machine.device.max_work_group_size = 1024;
  machine.device.local_memory_bytes = 48 << 10;
  machine.device.static_local_bytes = 200 << 10;
  machine.device.max_allocation_bytes = std::size_t{1} << 34;
  machine.device.async_copies = true;
  machine.device.fp64_matrix = true;
  machine.device.tf32_matrix = machine.device.register_shares = true;
  return machine;
}

struct Wish {
  const char* text;
  PlanRequest exact;
  Strategy expected;  // at n = 2048
};

// Every way to a plan that gives the GPU something.
const Wish gpu_wishes[] = {
    {"automatic", {}, Strategy::hybrid},
    {"automatic with a share", {Strategy::automatic, Share{4, 16}}, Strategy::hybrid},
    {"GPU-only", {Strategy::gpu, std::nullopt}, Strategy::gpu},
    {"hybrid", {Strategy::hybrid, std::nullopt}, Strategy::hybrid},
    {"forced", {Strategy::hybrid, Share{5, 16}}, Strategy::hybrid},
    {"forced to the GPU", {Strategy::hybrid, Share{16, 16}}, Strategy::gpu},
};

PlanRequest in_tf32x3(PlanRequest request) {
  request.math = MathMode::tf32x3;
  return request;
}

Plan plan_cube(Precision precision, const PlanMachine& machine, const PlanRequest& request) {
  return make_plan(paper_problem(precision, 2048, 2048, 2048), machine, request);
}

TEST(PlannerMath, TakesTheTf32KernelInEveryPlanThatUsesTheGpu) {
  const PlanMachine machine = matrix_machine();
  for (const Precision precision : {Precision::s, Precision::c}) {
    const auto kernel = tf32x3_kernel(precision, machine.device);
    ASSERT_TRUE(kernel.has_value());
    for (const Wish& wish : gpu_wishes) {
      const Plan exact = plan_cube(precision, machine, wish.exact);
      const Plan plan = plan_cube(precision, machine, in_tf32x3(wish.exact));
      ASSERT_EQ(plan.strategy, exact.strategy) << wish.text;
      if (precision == Precision::s) {
        ASSERT_EQ(plan.strategy, wish.expected) << wish.text;
      }
      EXPECT_EQ(plan.kernel, *kernel) << wish.text;
      EXPECT_EQ(violated_rule(plan.kernel, precision, machine.device), nullptr) << wish.text;
      EXPECT_EQ(plan.gpu_extent, exact.gpu_extent) << wish.text;
      EXPECT_EQ(plan.axis, exact.axis) << wish.text;
      EXPECT_EQ(plan.share, exact.share) << wish.text;
      EXPECT_EQ(plan.sharing, exact.sharing) << wish.text;
    }
  }
}

// A sum of complex products has twice as many of floats.
TEST(PlannerMath, StaysExactWhereSumsAreShort) {
  const PlanMachine machine = matrix_machine();
  const PlanRequest request{Strategy::gpu, std::nullopt, MathMode::tf32x3};
  const auto matrix_at = [&](Precision precision, std::int64_t k) {
    return make_plan(paper_problem(precision, 2048, 2048, k), machine, request).kernel.matrix;
  };
  EXPECT_EQ(matrix_at(Precision::s, 63), MatrixUnit::none);
  EXPECT_EQ(matrix_at(Precision::s, 64), MatrixUnit::tf32x3);
  EXPECT_EQ(matrix_at(Precision::c, 31), MatrixUnit::none);
  EXPECT_EQ(matrix_at(Precision::c, 32), MatrixUnit::tf32x3);
}

TEST(PlannerMath, TakesItOnAMachineThatWasNotTuned) {
  PlanMachine machine = matrix_machine();
  machine.profile.reset();
  const Plan plan =
      plan_cube(Precision::s, machine, {Strategy::gpu, std::nullopt, MathMode::tf32x3});
  ASSERT_EQ(plan.strategy, Strategy::gpu);
  EXPECT_EQ(plan.kernel.matrix, MatrixUnit::tf32x3);
}

TEST(PlannerMath, IsExactUnlessAskedOtherwise) {
  for (const Wish& wish : gpu_wishes) {
    const Plan plan = plan_cube(Precision::s, matrix_machine(), wish.exact);
    ASSERT_NE(plan.strategy, Strategy::cpu) << wish.text;
    EXPECT_NE(plan.kernel.matrix, MatrixUnit::tf32x3) << wish.text;
  }
}

TEST(PlannerMath, LeavesDoublesAsTheyAre) {
  for (const Precision precision : {Precision::d, Precision::z})
    for (const Wish& wish : gpu_wishes) {
      const Plan exact = plan_cube(precision, matrix_machine(), wish.exact);
      const Plan plan = plan_cube(precision, matrix_machine(), in_tf32x3(wish.exact));
      EXPECT_EQ(plan.kernel, exact.kernel) << letter(precision) << ' ' << wish.text;
      EXPECT_EQ(plan.strategy, exact.strategy) << letter(precision) << ' ' << wish.text;
      EXPECT_NE(plan.kernel.matrix, MatrixUnit::tf32x3) << letter(precision) << ' ' << wish.text;
    }
}

TEST(PlannerMath, StaysExactWhereTheDeviceLacksWhatItNeeds) {
  const auto expect_exact = [](const PlanMachine& machine, const char* lacking) {
    for (const Wish& wish : gpu_wishes) {
      const Plan exact = plan_cube(Precision::s, machine, wish.exact);
      const Plan plan = plan_cube(Precision::s, machine, in_tf32x3(wish.exact));
      ASSERT_NE(plan.strategy, Strategy::cpu) << lacking << ' ' << wish.text;
      EXPECT_EQ(plan.kernel, exact.kernel) << lacking << ' ' << wish.text;
    }
  };
  PlanMachine machine = matrix_machine();
  machine.device.tf32_matrix = false;
  expect_exact(machine, "TF32");
  machine = matrix_machine();
  machine.device.async_copies = false;
  expect_exact(machine, "copies");
  machine = matrix_machine();
  machine.device.max_work_group_size = 64;
  expect_exact(machine, "work-items");
  machine = matrix_machine();
  machine.device.local_memory_bytes = machine.device.static_local_bytes = 16 << 10;
  expect_exact(machine, "local memory");
  expect_exact(paper_machine(), "a GPU");
}

TEST(PlannerMath, DoesNotTouchPlansOfTheCpu) {
  const PlanMachine machine = matrix_machine();
  const GemmProblem large = paper_problem(Precision::s, 2048, 2048, 2048);
  const GemmProblem small = paper_problem(Precision::s, 64, 64, 64);
  const struct {
    GemmProblem problem;
    PlanRequest exact;
  } cases[] = {{large, {Strategy::cpu, std::nullopt}},
               {large, {Strategy::hybrid, Share{0, 16}}},
               {small, {}},
               {paper_problem(Precision::s, 0, 5, 5), {Strategy::gpu, std::nullopt}},
               {paper_problem(Precision::s, 1024, 1024, 0), {Strategy::gpu, std::nullopt}}};
  for (const auto& [problem, exact] : cases) {
    const Plan plan = make_plan(problem, machine, in_tf32x3(exact));
    EXPECT_EQ(plan.strategy, Strategy::cpu);
    EXPECT_EQ(plan.gpu_extent, 0);
    EXPECT_NE(plan.kernel.matrix, MatrixUnit::tf32x3);
    EXPECT_EQ(plan.reason, make_plan(problem, machine, exact).reason);
  }
}

// A profile is a file that anyone may edit, and the arithmetic is the caller's to choose.
TEST(PlannerMath, NeverTakesAnOptInArithmeticFromAProfile) {
  PlanMachine machine = matrix_machine();
  for (TunedPoint& point : machine.profile->points)
    point.hybrid.kernel = point.gpu.kernel = *tf32x3_kernel(Precision::s, machine.device);
  for (const Wish& wish : gpu_wishes) {
    const Plan plan = plan_cube(Precision::s, machine, wish.exact);
    ASSERT_NE(plan.strategy, Strategy::cpu) << wish.text;
    EXPECT_EQ(plan.kernel, default_kernel(Precision::s, machine.device)) << wish.text;
    EXPECT_EQ(plan_cube(Precision::s, machine, in_tf32x3(wish.exact)).kernel.matrix,
              MatrixUnit::tf32x3)
        << wish.text;
  }
}

// Nothing is expected of them before they were tuned: what a profile of native arithmetic says of
// doubles is of another device, or of this one's doubles.
TEST(PlannerMath, TakesIntegersForWhoAsksForTheGpuWhereItHasNoDoubles) {
  PlanMachine machine = matrix_machine();
  machine.device.has_fp64 = machine.device.fp64_matrix = machine.device.fma_double = false;
  machine.device.static_local_bytes = 0;
  machine.device.local_memory_bytes = 32 << 10;  // llvmpipe's
  for (const bool can : {false, true})
    for (const Wish& wish : gpu_wishes)
      for (const Precision precision : {Precision::d, Precision::z}) {
        SCOPED_TRACE(wish.text);
        machine.device.doubles_by_integers = can;
        const Plan plan = plan_cube(precision, machine, wish.exact);
        if (!can || wish.exact.strategy == Strategy::automatic) {
          EXPECT_EQ(plan.strategy, Strategy::cpu);
          EXPECT_EQ(plan.reason, can ? Reason::untuned : Reason::no_double_precision);
          EXPECT_EQ(why_never_gpu(machine, precision), plan.reason);
          continue;
        }
        EXPECT_EQ(plan.strategy, wish.expected);
        EXPECT_EQ(plan.kernel, integers_kernel(machine.device));
        EXPECT_EQ(violated_rule(plan.kernel, precision, machine.device), nullptr);
      }
}

TEST(PlannerMath, TakesTunedIntegersAsAnyKernel) {
  PlanMachine machine = matrix_machine();
  machine.device.has_fp64 = machine.device.fp64_matrix = false;
  machine.device.doubles_by_integers = true;
  Profile profile = *machine.profile;
  std::erase_if(profile.points, [](const TunedPoint& p) { return !is_double(p.precision); });
  for (TunedPoint& point : profile.points)
    point.gpu.kernel = point.hybrid.kernel = integers_kernel(machine.device);
  machine.by_integers.use(profile);
  for (const Wish& wish : gpu_wishes) {
    SCOPED_TRACE(wish.text);
    const Plan plan = plan_cube(Precision::d, machine, wish.exact);
    EXPECT_EQ(plan.strategy, wish.expected);
    EXPECT_EQ(plan.kernel, integers_kernel(machine.device));
    EXPECT_EQ(plan_cube(Precision::z, machine, wish.exact).kernel, plan.kernel);
  }
  EXPECT_EQ(why_never_gpu(machine, Precision::d), std::nullopt);
  // Of floats they say nothing, nor do they count where the device has doubles.
  machine.profile.reset();
  machine.costs.reset();
  EXPECT_EQ(plan_cube(Precision::s, machine, {}).reason, Reason::untuned);
  EXPECT_EQ(why_never_gpu(machine, Precision::s), Reason::untuned);
  machine.device.has_fp64 = true;
  EXPECT_EQ(plan_cube(Precision::d, machine, {}).reason, Reason::untuned);
}

}  // namespace
}  // namespace duoblas
