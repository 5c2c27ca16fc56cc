// What submit() has done when it returns, by the layer's record.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <vector>

#include "cl_layer/layer_control.hpp"
#include "cl_layer/log_lines.hpp"
#include "cl_layer/scenario.hpp"
#include "support/temporary_directory.hpp"

namespace duoblas::test {
namespace {

bool has(const std::vector<std::string>& lines, const std::string& part) {
  return std::any_of(lines.begin(), lines.end(),
                     [&](const std::string& line) { return line.find(part) != std::string::npos; });
}

TEST(CallOrder, SubmitEndsWithAFlushBehindItsLastLaunchAndWaitsForNothingElse) {
  const LayerControl& layer = LayerControl::get();
  const TemporaryDirectory directory;
  for (const SharingMode mode : both_modes) {
    Scenario scenario{.mode = mode, .beta = -0.7f, .cache_dir = ""};
    scenario.prepare();
    GpuSide side(cl::list_devices().at(0), {});
    side.prepare(Scenario::kernel(side), Precision::s, Op::none, Op::none);

    const std::string submitted = directory / "submitted";
    const std::string waited = directory / "waited";
    layer.log(submitted.c_str());
    GpuJob job = side.submit(scenario.problem(), Scenario::kernel(side), mode);
    layer.log(waited.c_str());
    job.wait();
    layer.log(nullptr);

    const auto submit = lines_of(submitted);
    ASSERT_GE(submit.size(), 3u);
    EXPECT_EQ(submit.back(), "clFlush");
    EXPECT_EQ(submit[submit.size() - 2], "clEnqueueNDRangeKernel");
    EXPECT_EQ(std::count(submit.begin(), submit.end(), "clEnqueueNDRangeKernel"), 2)
        << "packing and product";
    const auto launched = std::find(submit.begin(), submit.end(), "clEnqueueNDRangeKernel");
    EXPECT_EQ(std::count(launched, submit.end(), "clFlush"), 1);
    EXPECT_EQ(std::count(launched, submit.end(), "clWaitForEvents"), 0);
    EXPECT_FALSE(has(submit, "clFinish"));
    // Each operand that is copied, and the memory that C comes back to, is waited for alone.
    const auto waited_for = std::count_if(submit.begin(), launched, [](const std::string& line) {
      return line.starts_with("clEnqueueWriteBuffer") || line.starts_with("clEnqueueMapBuffer");
    });
    if (copies(mode)) {
      EXPECT_EQ(waited_for, 4) << "A, B, the old C, and where the new one lands";
    } else if (side.sharing().granularity() == 1) {
      EXPECT_EQ(waited_for, 0);
    }
    EXPECT_EQ(std::count(submit.begin(), launched, "clFlush"), waited_for);
    EXPECT_EQ(std::count(submit.begin(), launched, "clWaitForEvents"), waited_for);

    const auto wait = lines_of(waited);
    EXPECT_EQ(wait.front(), "clWaitForEvents");
    EXPECT_FALSE(has(wait, "clEnqueueNDRangeKernel"));
    EXPECT_TRUE(scenario.is_right());
    std::ofstream(submitted, std::ios::trunc).close();
    std::ofstream(waited, std::ios::trunc).close();
  }
}

TEST(CallOrder, SubmitBuildsNothingThatWasBuiltBefore) {
  const LayerControl& layer = LayerControl::get();
  const TemporaryDirectory directory;
  for (const SharingMode mode : both_modes) {
    Scenario scenario{.mode = mode, .beta = -0.7f, .cache_dir = ""};
    scenario.prepare();
    GpuSide side(cl::list_devices().at(0), {});
    const KernelParams kernel = Scenario::kernel(side);
    EXPECT_FALSE(side.has_kernels(side.variants(scenario.problem(), kernel, mode)));
    side.build_kernels(side.variants(scenario.problem(), kernel, mode));
    EXPECT_TRUE(side.has_kernels(side.variants(scenario.problem(), kernel, mode)));
    EXPECT_TRUE(scenario.is_unchanged()) << "kernels are tried on matrices of their own";

    const std::string log = directory / std::string(name(mode)).c_str();
    layer.log(log.c_str());
    side.submit(scenario.problem(), kernel, mode).wait();
    layer.log(nullptr);
    const auto calls = lines_of(log);
    EXPECT_TRUE(has(calls, "clEnqueueNDRangeKernel"));
    EXPECT_FALSE(has(calls, "clBuildProgram") || has(calls, "clCreateKernel"));
    EXPECT_TRUE(scenario.is_right());
  }
}

TEST(CallOrder, AKernelThatDoesNotBuildInTheBackgroundIsToldOfBySubmit) {
  const LayerControl& layer = LayerControl::get();
  Scenario scenario{.mode = SharingMode::staged, .beta = -0.7f, .cache_dir = ""};
  scenario.prepare();
  GpuSide side(cl::list_devices().at(0), {});
  const KernelParams kernel = Scenario::kernel(side);
  layer.fail("clBuildProgram:1=-11");
  side.build_kernels(side.variants(scenario.problem(), kernel, scenario.mode));
  layer.reset();
  EXPECT_TRUE(side.has_kernels(side.variants(scenario.problem(), kernel, scenario.mode)))
      << "no use to wait";
  EXPECT_THROW(side.submit(scenario.problem(), kernel, scenario.mode), DeviceError);
  EXPECT_TRUE(scenario.is_unchanged());
}

TEST(CallOrder, AFailedWarmUpLeavesTheKernelToItsProducts) {
  const LayerControl& layer = LayerControl::get();
  for (const char* call :
       {"clCreateBuffer:1", "clCreateCommandQueue:1", "clEnqueueNDRangeKernel:1", "clFinish:1"}) {
    Scenario scenario{.mode = SharingMode::staged, .beta = -0.7f, .cache_dir = ""};
    scenario.prepare();
    GpuSide side(cl::list_devices().at(0), {});
    const KernelParams kernel = Scenario::kernel(side);
    layer.fail(call);
    side.build_kernels(side.variants(scenario.problem(), kernel, scenario.mode));
    layer.reset();
    EXPECT_TRUE(side.has_kernels(side.variants(scenario.problem(), kernel, scenario.mode))) << call;
    side.submit(scenario.problem(), kernel, scenario.mode).wait();
    EXPECT_TRUE(scenario.is_right()) << call;
  }
}

TEST(CallOrder, AfterAFailureTheQueueIsDrainedBeforeAnythingIsReleased) {
  const LayerControl& layer = LayerControl::get();
  const TemporaryDirectory directory;
  for (const std::string failing : {"clFlush", "clWaitForEvents"}) {
    Scenario scenario{.mode = SharingMode::host_pointer, .beta = -0.7f, .cache_dir = ""};
    scenario.prepare();
    GpuSide side(cl::list_devices().at(0), {});
    const std::string log = directory / failing.c_str();
    layer.fail((failing + ":1").c_str());
    layer.log(log.c_str());
    EXPECT_THROW(side.submit(scenario.problem(), Scenario::kernel(side), scenario.mode).wait(),
                 DeviceError);
    layer.log(nullptr);
    layer.reset();
    const auto lines = lines_of(log);
    const auto failed = std::find(lines.begin(), lines.end(), failing + " FAILS");
    const auto drained = std::find(failed, lines.end(), "clFinish");
    const auto released = std::find(failed, lines.end(), "clReleaseMemObject");
    EXPECT_LT(failed, drained);
    EXPECT_LT(drained, released);
    EXPECT_LT(released, lines.end());
    EXPECT_TRUE(scenario.is_unchanged());
  }
}

TEST(CallOrder, NoCallEverPassesACallback) {
  const LayerControl& layer = LayerControl::get();
  const TemporaryDirectory directory;
  const std::string log = directory / "log";
  layer.log(log.c_str());
  for (const SharingMode mode : both_modes) {
    Scenario scenario{.mode = mode, .beta = 0, .cache_dir = directory / "cache"};
    scenario.prepare();
    EXPECT_EQ(scenario.run(), std::nullopt);
  }
  layer.log(nullptr);
  const auto lines = lines_of(log);
  EXPECT_TRUE(has(lines, "clCreateContext pfn_notify=NULL"));
  EXPECT_TRUE(has(lines, "clBuildProgram pfn_notify=NULL"));
  EXPECT_FALSE(has(lines, "pfn_notify=SET"));
  EXPECT_FALSE(has(lines, "Callback"));
}

}  // namespace
}  // namespace duoblas::test
