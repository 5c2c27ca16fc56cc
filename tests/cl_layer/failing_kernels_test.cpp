// A kernel that does not build is remembered, so that nobody waits for the compiler again. One that
// could not be built for short memory is not.
#include <gtest/gtest.h>

#include "cl_layer/layer_control.hpp"
#include "cl_layer/scenario.hpp"
#include "support/packing_kernel.hpp"

namespace duoblas::test {
namespace {

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
  GpuSide side(cl::list_devices().at(0), {});
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
    GpuSide side(cl::list_devices().at(0), {});
    const KernelParams kernel = Scenario::kernel(side);
    layer.fail(call);
    EXPECT_NE(error_of(side, kernel), "");
    EXPECT_EQ(side.refusal(kernel, Precision::s), "");
    EXPECT_EQ(error_of(side, kernel), "");
  }
  layer.reset();
}

// Some compilers say so of a kernel that is too large for them: nobody waits for ever.
TEST(AKernelThatDoesNotBuild, ForShortMemoryTimeAndAgainIsTriedNoMore) {
  const LayerControl& layer = LayerControl::get();
  layer.reset();
  GpuSide side(cl::list_devices().at(0), {});
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
  GpuSide side(cl::list_devices().at(0), {});
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
  GpuSide side(cl::list_devices().at(0), {});
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
