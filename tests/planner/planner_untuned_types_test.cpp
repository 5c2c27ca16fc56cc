// Complex types on a GPU for which another one's profile stands in, that has no complex types.
#include <algorithm>
#include <memory>

#include <gtest/gtest.h>

#include "kernel_space/tiled_points.hpp"
#include "planner/planner.hpp"
#include "support/tuned_machine.hpp"

namespace duoblas {
namespace {

using test::paper_problem;

// An H100, and the H200's profile that comes with the library.
PlanMachine h100() {
  PlanMachine machine;
  machine.has_gpu = machine.learns = true;
  machine.device.max_work_group_size = 1024;
  machine.device.local_memory_bytes = std::size_t{227} << 10;
  machine.device.static_local_bytes = std::size_t{48} << 10;
  machine.device.max_allocation_bytes = std::size_t{20} << 30;
  machine.device.memory_bytes = std::size_t{78} << 30;
  machine.device.compute_units = 132;
  machine.device.shuffle_width = 32;
  machine.device.async_copies = machine.device.register_shares = machine.device.fp64_matrix = true;
  machine.match = ProfileMatch::architecture;
  Profile profile = profile_from_json(read_profile_file(DUOBLAS_H200_PROFILE).value());
  machine.cpu = profile.cpu;
  machine.cpu_all = profile.cpu_all;
  machine.use(std::move(profile));
  return machine;
}

// With kernels of vectors, which are no built-in ones for that device, and of whole calls only.
PlanMachine h100_with_vectors() {
  PlanMachine machine = h100();
  Profile profile = *machine.profile;
  for (TunedPoint& point : profile.points) {
    point.uses.clear();
    point.gpu.kernel = default_tiled(point.precision).back();
  }
  machine.use(std::move(profile));
  return machine;
}

Plan first_plan(const PlanMachine& machine, const GemmProblem& problem) {
  const auto learner = std::make_unique<Learner>(prior_of_borrowed_profile());
  const LearnedTimes learned = learner->learned(kind_of(problem, {}));
  return make_plan(problem, machine, {}, &learned);
}

// With k of products that have as many flops as LU, Cholesky and QR.
TEST(AnUntunedType, IsTriedWhereTheTypeOfItsComponentsIs) {
  const PlanMachine machine = h100();
  for (const std::int64_t n : {2048, 4096, 8192})
    for (const std::int64_t k : {n / 3, 2 * n / 3})
      for (const Precision precision : {Precision::s, Precision::d, Precision::c, Precision::z}) {
        SCOPED_TRACE(std::string(1, letter(precision)) + ", " + std::to_string(n) + ", " +
                     std::to_string(k));
        EXPECT_TRUE(first_plan(machine, paper_problem(precision, n, n, k)).uses_gpu());
      }
}

TEST(AProfileThatStandsIn, LeavesProductsOnTheDeviceToTheBuiltInKernels) {
  PlanMachine machine = h100_with_vectors();
  for (const std::int64_t n : {512, 1024, 2048, 4096}) {
    const GemmProblem problem = paper_problem(Precision::d, n, n, n);
    EXPECT_EQ(gpu_kernel(problem, machine, MathMode::exact).matrix, MatrixUnit::fp64_deep) << n;
    const GemmProblem of_floats = paper_problem(Precision::s, n, n, n);
    EXPECT_EQ(gpu_kernel(of_floats, machine, MathMode::exact),
              built_in_kernel(KernelUse::resident, of_floats, machine.device))
        << n;
  }
  const GemmProblem of_floats = paper_problem(Precision::s, 1024, 1024, 1024);
  const KernelParams tuned = nearest_point(*machine.profile, of_floats)->gpu.kernel;
  EXPECT_NE(gpu_kernel(of_floats, machine, MathMode::exact), tuned);
  machine.match = ProfileMatch::exact;
  EXPECT_EQ(gpu_kernel(of_floats, machine, MathMode::exact), tuned) << "what was tuned here stays";
  EXPECT_EQ(
      gpu_kernel(paper_problem(Precision::d, 1024, 1024, 1024), machine, MathMode::exact).matrix,
      MatrixUnit::none)
      << "what was tuned here stays";
}

// LU of 4096.
TEST(UpdatesOfLapack, HaveMatrixInstructionsForDoublesWhateverWasTuned) {
  PlanMachine machine = h100_with_vectors();
  const GemmProblem doubles = paper_problem(Precision::d, 4096, 4096, 1365);
  const GemmProblem floats = paper_problem(Precision::s, 4096, 4096, 1365);
  const KernelParams of_doubles = nearest_point(*machine.profile, doubles)->gpu.kernel;
  const KernelParams of_floats = nearest_point(*machine.profile, floats)->gpu.kernel;
  ASSERT_EQ(of_doubles.matrix, MatrixUnit::none);
  for (const ProfileMatch match : {ProfileMatch::device, ProfileMatch::exact}) {
    machine.match = match;
    EXPECT_EQ(kernel_of_use(KernelUse::update, of_doubles, doubles, machine).matrix,
              MatrixUnit::fp64_deep);
    EXPECT_EQ(kernel_of_use(KernelUse::update, of_floats, floats, machine), of_floats);
  }
  KernelParams with_instructions = of_doubles;
  with_instructions.matrix = MatrixUnit::fp64;
  EXPECT_EQ(kernel_of_use(KernelUse::update, with_instructions, doubles, machine),
            with_instructions);
  machine.device.async_copies = machine.device.fp64_matrix = false;
  EXPECT_EQ(kernel_of_use(KernelUse::update, of_doubles, doubles, machine), of_doubles);
}

TEST(UpdatesOfLapack, HaveSmallerTilesIfTheirResultsAreAsNarrowAsAPanel) {
  PlanMachine machine = h100();
  const KernelParams large = built_in_kernel(
      KernelUse::call, paper_problem(Precision::d, 4096, 4096, 4096), machine.device);
  ASSERT_EQ(large.matrix, MatrixUnit::fp64_deep);
  const GemmProblem narrow = paper_problem(Precision::d, 4096, 128, 2731);
  const KernelParams chosen = kernel_of_use(KernelUse::narrow_update, large, narrow, machine);
  EXPECT_EQ(chosen.matrix, MatrixUnit::fp64_deep);
  EXPECT_LT(row_tile(chosen) * col_tile(chosen), row_tile(large) * col_tile(large));
  const GemmProblem longer = paper_problem(Precision::d, 16384, 128, 2731);
  EXPECT_EQ(kernel_of_use(KernelUse::narrow_update, large, longer, machine), large)
      << "there is a tile for each unit";
}

TEST(AKernelTunedForAUse, IsTakenForThatUseOnly) {
  PlanMachine machine = h100_with_vectors();
  const GemmProblem problem = paper_problem(Precision::d, 4096, 4096, 1365);
  const KernelParams planned = make_plan(problem, machine, want_gpu).kernel;
  Profile profile = *machine.profile;
  // Far from the problem, but no other point has a kernel of these uses.
  const auto far = std::ranges::find_if(profile.points, [](const TunedPoint& point) {
    return point.precision == Precision::d && point.op_a == Op::none && point.op_b == Op::none;
  });
  ASSERT_NE(far, profile.points.end());
  KernelParams resident = default_kernel(Precision::d, machine.device), update = resident;
  resident.raster = 1;
  update.raster = 4;
  far->uses = {{KernelUse::resident, {resident, 1e-3}}, {KernelUse::update, {update, 1e-3}}};
  machine.use(std::move(profile));
  for (const ProfileMatch match : {ProfileMatch::architecture, ProfileMatch::exact}) {
    machine.match = match;
    EXPECT_EQ(gpu_kernel(problem, machine, MathMode::exact), resident);
    EXPECT_EQ(kernel_of_use(KernelUse::update, planned, problem, machine), update);
    EXPECT_EQ(make_plan(problem, machine, want_gpu).kernel, planned);
  }
}

// Built-in kernels without asynchronous copies are the same for all other devices.
TEST(AProfileThatStandsIn, KeepsItsKernelsWhereTheDeviceHasNoAsynchronousCopies) {
  PlanMachine machine = h100_with_vectors();
  machine.device.async_copies = machine.device.fp64_matrix = false;
  const GemmProblem problem = paper_problem(Precision::s, 1024, 1024, 1024);
  const KernelParams built_in = default_kernel(Precision::s, machine.device);
  Profile profile = *machine.profile;
  for (TunedPoint& point : profile.points) {
    point.gpu.kernel = built_in;
    point.gpu.kernel.madd_order = MaddOrder::plain;
  }
  machine.use(std::move(profile));
  EXPECT_NE(gpu_kernel(problem, machine, MathMode::exact), built_in);
  EXPECT_EQ(gpu_kernel(problem, machine, MathMode::exact).madd_order, MaddOrder::plain);
}

// What a warm-up is compared with, too.
TEST(AnUntunedType, HasTheTimesOfTheTypeOfItsComponents) {
  const PlanMachine machine = h100();
  const auto times_for = [&](Precision precision) {
    return tuned_group(*machine.costs, paper_problem(precision, 64, 64, 64));
  };
  ASSERT_NE(times_for(Precision::s), nullptr);
  EXPECT_EQ(times_for(Precision::c), times_for(Precision::s));
  EXPECT_EQ(times_for(Precision::z), times_for(Precision::d));
  EXPECT_NE(times_for(Precision::z), times_for(Precision::c));
}

// Copies have twice the bytes of the components' type, not four times.
TEST(AnUntunedType, IsPromisedMoreOfTheGpuThanItsComponents) {
  const PlanMachine machine = h100();
  const auto promise = [&](Precision precision) {
    const GemmProblem problem = paper_problem(precision, 4096, 4096, 4096);
    PlanMachine exact = machine;
    exact.match = ProfileMatch::exact;
    const Plan plan = make_plan(problem, exact, {});
    return plan.cpu_only_seconds / plan.expected_seconds;
  };
  EXPECT_GT(promise(Precision::c), 1.2 * promise(Precision::s));
  EXPECT_GT(promise(Precision::z), 1.2 * promise(Precision::d));
}

}  // namespace
}  // namespace duoblas
