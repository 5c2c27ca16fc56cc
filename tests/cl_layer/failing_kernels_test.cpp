// A kernel that did not build is remembered: nobody waits for the compiler again.
#include <gtest/gtest.h>

#include "cl_layer/layer_control.hpp"
#include "cl_layer/scenario.hpp"

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
  const KernelParams kernel = Scenario::kernel(side);
  layer.fail("clBuildProgram:1");
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

TEST(AKernelThatDoesNotBuild, LeavesOthersAlone) {
  const LayerControl& layer = LayerControl::get();
  layer.reset();
  GpuSide side(cl::list_devices().at(0), {});
  KernelParams kernel = Scenario::kernel(side);
  layer.fail("clCreateKernel:1");
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
