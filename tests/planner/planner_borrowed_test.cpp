// Plans of a machine that was not tuned, from a profile that stands in.
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "kernel_space/kernel_rules.hpp"
#include "support/tuned_machine.hpp"

namespace duoblas {
namespace {

using test::automatic;
using test::paper_machine;
using test::paper_problem;
using test::want_gpu;
using test::want_hybrid;

PlanMachine borrowing(ProfileMatch match) {
  PlanMachine machine = paper_machine();
  machine.match = match;
  return machine;
}

bool says(const Plan& plan, const char* part) {
  return sentence(plan.reason).find(part) != std::string_view::npos;
}

TEST(BorrowedProfile, OfTheSameDevicePlansAsIfTunedAndSaysSo) {
  const PlanMachine machine = borrowing(ProfileMatch::device);
  for (const std::int64_t n : {64, 512, 2048}) {
    const GemmProblem problem = paper_problem(Precision::s, n, n, n);
    const Plan own = make_plan(problem, paper_machine(), automatic);
    const Plan borrowed = make_plan(problem, machine, automatic);
    EXPECT_EQ(borrowed.strategy, own.strategy);
    EXPECT_EQ(borrowed.gpu_extent, own.gpu_extent);
    EXPECT_EQ(borrowed.kernel, own.kernel);
    EXPECT_TRUE(says(borrowed, "another driver or CPU")) << sentence(borrowed.reason);
  }
}

TEST(BorrowedProfile, OfAnotherDeviceLeavesAutomaticOnTheCpu) {
  for (const ProfileMatch match :
       {ProfileMatch::architecture, ProfileMatch::vendor, ProfileMatch::kind})
    for (const PlanRequest& request : {automatic, PlanRequest{Strategy::automatic, Share{8, 16}}}) {
      const Plan plan =
          make_plan(paper_problem(Precision::s, 2048, 2048, 2048), borrowing(match), request);
      EXPECT_EQ(plan.strategy, Strategy::cpu);
      EXPECT_EQ(plan.cpu, paper_machine().cpu_all_for(Precision::s));
      EXPECT_TRUE(says(plan, "duoblas tune")) << sentence(plan.reason);
    }
}

TEST(BorrowedProfile, OfAnotherDeviceGivesKernelAndShareWhereTheyAreAskedFor) {
  PlanMachine machine = borrowing(ProfileMatch::architecture);
  KernelParams& kernel = machine.profile->points[1].hybrid.kernel;
  kernel.k_unroll = kernel.k_unroll == 2 ? 4 : 2;
  machine.profile->points[1].gpu.kernel = kernel;
  const GemmProblem problem = paper_problem(Precision::s, 2048, 2048, 2048);
  const Plan hybrid = make_plan(problem, machine, want_hybrid);
  ASSERT_EQ(hybrid.strategy, Strategy::hybrid);
  EXPECT_EQ(hybrid.share, (Share{10, 16}));
  EXPECT_EQ(hybrid.kernel, kernel);
  EXPECT_TRUE(says(hybrid, "another machine's profile")) << sentence(hybrid.reason);
  EXPECT_EQ(make_plan(problem, machine, want_gpu).kernel, kernel);
}

TEST(BorrowedProfile, OfAnotherDeviceSaysNothingOfHowMemoryIsShared) {
  PlanMachine machine = borrowing(ProfileMatch::vendor);
  machine.profile->points[1].hybrid.sharing = SharingMode::staged;
  const GemmProblem problem = paper_problem(Precision::s, 2048, 2048, 2048);
  EXPECT_EQ(make_plan(problem, machine, want_hybrid).sharing, SharingMode::host_pointer);
  machine.match = ProfileMatch::device;
  EXPECT_EQ(make_plan(problem, machine, want_hybrid).sharing, SharingMode::staged);
}

TEST(BorrowedProfile, NeverBringsAKernelThatThisDeviceCannotRun) {
  PlanMachine machine = borrowing(ProfileMatch::kind);
  machine.profile->points[1].hybrid.kernel.tile_rows = 14;
  machine.device.vector_bytes = 16;
  const Plan plan = make_plan(paper_problem(Precision::s, 2048, 2048, 2048), machine, want_hybrid);
  ASSERT_EQ(plan.strategy, Strategy::hybrid);
  EXPECT_EQ(violated_rule(plan.kernel, Precision::s, machine.device), nullptr);
}

// A rank of several on a host: nothing corrects what is expected.
TEST(PartOfAMachine, LeavesTheCpuOnlyForAGainThatErrorsDoNotReach) {
  const GemmProblem problem = paper_problem(Precision::s, 2048, 2048, 2048);
  PlanMachine machine = paper_machine();
  for (const auto& [part_of_cpus_time, is_enough] : {std::pair(0.8, false), {0.6, true}}) {
    Profile profile = *paper_machine().profile;
    for (TunedPoint& point : profile.points)
      point.cpu_all_seconds = std::min(point.hybrid.seconds, point.gpu.seconds) / part_of_cpus_time;
    machine.use(profile);
    machine.is_part = false;
    EXPECT_TRUE(make_plan(problem, machine, automatic).uses_gpu()) << part_of_cpus_time;
    machine.is_part = true;
    EXPECT_EQ(make_plan(problem, machine, automatic).uses_gpu(), is_enough) << part_of_cpus_time;
  }
}

}  // namespace
}  // namespace duoblas
