// The bound under which nobody needs to ask for a plan.
#include <cmath>

#include <gtest/gtest.h>

#include "support/tuned_machine.hpp"

namespace duoblas::test {
namespace {

TEST(LeastGpuFlops, AreABoundUnderWhichEveryPlanIsTheCpus) {
  const PlanMachine machine = paper_machine();
  int gpu_plans = 0;
  for (const Precision precision : all_precisions) {
    const double least = least_automatic_gpu_flops(machine, precision);
    for (std::int64_t m = 8; m <= 2048; m *= 2)
      for (std::int64_t n = 8; n <= 2048; n *= 2)
        for (std::int64_t k = 8; k <= 2048; k *= 2) {
          const GemmProblem problem = paper_problem(precision, m, n, k);
          const bool cpu = make_plan(problem, machine, {}).strategy == Strategy::cpu;
          gpu_plans += !cpu;
          EXPECT_TRUE(cpu || flops(problem) >= least) << m << ' ' << n << ' ' << k;
        }
  }
  EXPECT_GT(gpu_plans, 0);
}

TEST(LeastGpuFlops, AreInfiniteWhereTheCpuIsNeverLeft) {
  const auto least = [](const PlanMachine& machine, Precision precision) {
    return least_automatic_gpu_flops(machine, precision);
  };
  PlanMachine none = paper_machine();
  none.has_gpu = false;
  EXPECT_TRUE(std::isinf(least(none, Precision::s)));
  PlanMachine untuned = paper_machine();
  untuned.profile.reset();
  EXPECT_TRUE(std::isinf(least(untuned, Precision::s)));
  PlanMachine borrowed = paper_machine();
  borrowed.match = ProfileMatch::vendor;
  EXPECT_TRUE(std::isinf(least(borrowed, Precision::s)));
  PlanMachine narrow = paper_machine();
  narrow.device.has_fp64 = false;
  EXPECT_TRUE(std::isinf(least(narrow, Precision::z)));
  EXPECT_FALSE(std::isinf(least(narrow, Precision::c)));
}

}  // namespace
}  // namespace duoblas::test
