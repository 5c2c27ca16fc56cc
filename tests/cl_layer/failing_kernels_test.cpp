// A kernel that does not build is remembered, so that nobody waits for the compiler again and
// again. What may have been a full disk or short memory is built again later, a few times.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cl_layer/layer_control.hpp"
#include "cl_layer/scenario.hpp"
#include "gpu/device/opened_device.hpp"
#include "gpu/kernels/kernel_cache.hpp"
#include "kernel_space/tiled_points.hpp"
#include "support/packing_kernel.hpp"

namespace duoblas::test {
namespace {

double played_now = 0;
double played_seconds() {
  return played_now;
}

// For it no time passes, however long a test takes.
GpuSide side_at_rest() {
  played_now = 0;
  GpuBounds bounds;
  bounds.clock = played_seconds;
  return GpuSide(cl::list_devices().at(0), {}, false, 0, bounds);
}

std::string error_of(GpuSide& side, const KernelParams& kernel) {
  try {
    side.prepare(kernel, Precision::s, Op::none, Op::none);
  } catch (const DeviceError& error) {
    return error.what();
  }
  return "";
}

TEST(AKernelThatDoesNotBuild, FailsAtOnceFromThenOn) {
  const LayerControl& layer = LayerControl::get();
  layer.reset();
  GpuSide side = side_at_rest();
  // One program for every product, whatever its sizes and how its rows end.
  KernelParams kernel = packing_kernel(Precision::s, side.limits(), true, true);
  kernel.inline_sizes = false;
  layer.fail("clBuildProgram:1=-11");
  const std::string first = error_of(side, kernel);
  EXPECT_NE(first, "");
  EXPECT_EQ(layer.calls_of("clBuildProgram"), 1);

  layer.reset();
  EXPECT_EQ(error_of(side, kernel), first);
  Scenario scenario{.mode = SharingMode::staged, .beta = 2, .cache_dir = ""};
  scenario.prepare();
  EXPECT_THROW(side.submit(scenario.problem(), kernel, SharingMode::staged), DeviceError);
  EXPECT_TRUE(scenario.is_unchanged());
  EXPECT_EQ(layer.calls_of("clBuildProgram"), 0);
  EXPECT_EQ(layer.calls_of("clEnqueueNDRangeKernel"), 0);
}

TEST(AKernelThatDoesNotBuild, IsTriedAgainWhereMemoryWasShort) {
  const LayerControl& layer = LayerControl::get();
  for (const char* call : {"clBuildProgram:1=-5", "clBuildProgram:1=-6", "clCreateKernel:2=-6",
                           "clCreateProgramWithSource:1=-6"}) {
    SCOPED_TRACE(call);
    layer.reset();
    GpuSide side = side_at_rest();
    const KernelParams kernel = Scenario::kernel(side);
    layer.fail(call);
    EXPECT_NE(error_of(side, kernel), "");
    EXPECT_EQ(side.refusal(kernel, Precision::s), "");
    EXPECT_EQ(error_of(side, kernel), "");
  }
  layer.reset();
}

KernelVariant variant_for(const cl::Context& context) {
  const GpuSide side(context.device(), {});
  return normalised({Scenario::kernel(side), Precision::s, Op::none, Op::none});
}

/// Asks for it each second; the seconds at which that called the compiler.
template <typename Get>
std::vector<int> builds_of(int seconds, Get&& get) {
  const LayerControl& layer = LayerControl::get();
  std::vector<int> builds;
  for (int second = 0; second < seconds; ++second) {
    played_now = second;
    const long before = layer.calls_of("clBuildProgram");
    try {
      get();
    } catch (const DeviceError&) {
    }
    if (layer.calls_of("clBuildProgram") > before) builds.push_back(second);
  }
  return builds;
}

/// What fails, at which seconds builds_of() sees a build, and whether the last one works.
struct Failure {
  const char* call;
  std::vector<int> builds;
  bool is_built;
};

std::vector<Failure> failures() {
  return {{"clBuildProgram:1=-11", {0, 10}, true},
          {"clCreateKernel:1=-6", {0, 1}, true},
          {"clBuildProgram:1+=-11", {0, 10, 110}, false},
          {"clBuildProgram:1+=-6", {0, 1, 2, 12, 112}, false}};
}

// Whatever it fails for: the error's number is that of an error in the source.
TEST(AKernelThatDoesNotBuild, IsBuiltAgainAfterPauses) {
  const LayerControl& layer = LayerControl::get();
  layer.reset();
  const TargetDevice device(cl::Context(cl::list_devices().at(0)), {}, 0);
  const KernelVariant variant = variant_for(device.context);
  for (const auto& [failing, builds, is_built] : failures()) {
    SCOPED_TRACE(failing);
    layer.reset();
    KernelCache kernels(device, {}, "", played_seconds);
    layer.fail(failing);
    EXPECT_EQ(builds_of(400, [&] { kernels.get(variant); }), builds);
    EXPECT_EQ(kernels.refusal(variant.params, variant.precision).empty(), is_built);
  }
  layer.reset();
}

// Without it a kernel that launches it is of no use, and plans take another one.
TEST(AGuardThatDoesNotBuild, IsBuiltAgainAfterPauses) {
  const LayerControl& layer = LayerControl::get();
  layer.reset();
  const TargetDevice device(cl::Context(cl::list_devices().at(0)), {}, 0);
  for (const auto& [failing, builds, is_built] : failures()) {
    SCOPED_TRACE(failing);
    layer.reset();
    KernelCache kernels(device, {}, "", played_seconds);
    EXPECT_FALSE(kernels.refuses_guard());
    layer.fail(failing);
    EXPECT_EQ(builds_of(400, [&] { kernels.guard(); }), builds);
    EXPECT_EQ(kernels.refuses_guard(), !is_built);
  }
  layer.reset();
}

TEST(AGuardThatDoesNotBuild, LeavesProductsToKernelsWithoutIt) {
  const LayerControl& layer = LayerControl::get();
  layer.reset();
  const GpuSide side = side_at_rest();
  const KernelParams guarded = default_tf32x3();
  ASSERT_TRUE(needs_guard(guarded));
  EXPECT_EQ(side.launchable(guarded, Precision::s), guarded);
  layer.fail("clBuildProgram:1=-11");
  EXPECT_THROW(side.device()->kernels.guard(), DeviceError);
  const auto other = side.launchable(guarded, Precision::s);
  ASSERT_TRUE(other);
  EXPECT_FALSE(needs_guard(*other));
  layer.reset();
}

TEST(AKernelThatDoesNotBuild, IsAnotherMatterThanOneWhoseResultsAreWrong) {
  const LayerControl& layer = LayerControl::get();
  layer.reset();
  const TargetDevice device(cl::Context(cl::list_devices().at(0)), {}, 0);
  const KernelVariant variant = variant_for(device.context);
  played_now = 0;
  KernelCache kernels(device, {}, "", played_seconds);
  layer.fail("clBuildProgram:1=-11");
  EXPECT_THROW(kernels.get(variant), DeviceError);
  EXPECT_TRUE(kernels.refuse(variant.params, variant.precision, "its result is wrong"));
  played_now = 1000;
  EXPECT_EQ(kernels.refusal(variant.params, variant.precision), "its result is wrong");
  layer.reset();
}

TEST(ARoutineThatDoesNotBuild, IsBuiltAgainAfterPauses) {
  const LayerControl& layer = LayerControl::get();
  layer.reset();
  const TargetDevice device(cl::Context(cl::list_devices().at(0)), {}, 0);
  const ProgramText program{"a routine", {"suited.clh", "guard.cl"}, "-cl-std=CL1.2", {"guard"}};
  for (const auto& [failing, builds, is_built] : failures()) {
    SCOPED_TRACE(failing);
    layer.reset();
    played_now = 0;
    KernelCache routines(device, {}, "", played_seconds);
    layer.fail(failing);
    const auto trial = [](BuiltProgram&, std::uint64_t) { return std::string(); };
    EXPECT_EQ(builds_of(400,
                        [&] {
                          routines.get(
                              ProgramNumber{1, 0}, [&] { return program; }, trial);
                        }),
              builds);
    EXPECT_EQ(routines.refuses(ProgramNumber{1, 0}), !is_built);
  }
  layer.reset();
}

// Some compilers say so of a kernel that is too large for them: nobody waits for ever.
TEST(AKernelThatDoesNotBuild, ForShortMemoryTimeAndAgainIsTriedNoMore) {
  const LayerControl& layer = LayerControl::get();
  layer.reset();
  GpuSide side = side_at_rest();
  const KernelParams kernel = Scenario::kernel(side);
  layer.fail("clBuildProgram:1+=-5");
  for (int i = 0; i < 6; ++i) EXPECT_NE(error_of(side, kernel), "");
  EXPECT_EQ(layer.calls_of("clBuildProgram"), 3);
  EXPECT_NE(side.refusal(kernel, Precision::s), "");
  layer.reset();
}

TEST(AKernelThatDoesNotBuild, GivesWayToAnotherThatDoes) {
  const LayerControl& layer = LayerControl::get();
  layer.reset();
  GpuSide side = side_at_rest();
  const KernelParams kernel = Scenario::kernel(side);
  EXPECT_EQ(side.launchable(kernel, Precision::s), kernel);
  layer.fail("clBuildProgram:1=-11");
  EXPECT_NE(error_of(side, kernel), "");
  layer.reset();
  const auto other = side.launchable(kernel, Precision::s);
  ASSERT_TRUE(other);
  EXPECT_NE(*other, kernel);
  EXPECT_EQ(side.launchable(kernel, Precision::d), kernel) << "another type's is another program";
  Scenario scenario{.mode = SharingMode::staged, .beta = 2, .cache_dir = ""};
  scenario.prepare();
  side.submit(scenario.problem(), *other, SharingMode::staged).wait();
  EXPECT_TRUE(scenario.is_right());
}

TEST(AKernelThatDoesNotBuild, LeavesOthersAlone) {
  const LayerControl& layer = LayerControl::get();
  layer.reset();
  GpuSide side = side_at_rest();
  KernelParams kernel = Scenario::kernel(side);
  layer.fail("clCreateKernel:1=-46");
  EXPECT_NE(error_of(side, kernel), "");
  layer.reset();

  kernel.multiply_add = MultiplyAdd::plain;
  Scenario scenario{.mode = SharingMode::staged, .beta = 2, .cache_dir = ""};
  scenario.prepare();
  side.submit(scenario.problem(), kernel, SharingMode::staged).wait();
  EXPECT_TRUE(scenario.is_right());
}

}  // namespace
}  // namespace duoblas::test
