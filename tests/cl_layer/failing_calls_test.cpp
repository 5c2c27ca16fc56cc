// Each OpenCL call fails in turn: the product is right, or the error is clear and C is as it was.
#include <gtest/gtest.h>

#include <tuple>

#include "cl_layer/layer_control.hpp"
#include "cl_layer/scenario.hpp"
#include "support/case_names.hpp"
#include "support/temporary_directory.hpp"

namespace duoblas::test {
namespace {

struct FailingCalls : testing::TestWithParam<std::tuple<SharingMode, float>> {
  const LayerControl& layer = LayerControl::get();
  const SharingMode mode = std::get<0>(GetParam());
  const float beta = std::get<1>(GetParam());

  void SetUp() override { layer.reset(); }
  void TearDown() override { layer.reset(); }

  /// With what it builds in the folder.
  int calls_of_opening(const std::string& cache_dir) const {
    const GpuSide first(cl::list_devices().at(0), {cache_dir, ""});
    layer.reset();
    const GpuSide side(cl::list_devices().at(0), {cache_dir, ""});
    return static_cast<int>(layer.calls());
  }

  void expect_right_or_undone(const Scenario& scenario,
                              const std::optional<std::string>& error) const {
    if (!error) {
      EXPECT_TRUE(scenario.is_right());
      return;
    }
    EXPECT_FALSE(error->empty());
    // Shared and beta == 0: the kernel may have written what nobody needs any more.
    if (mode == SharingMode::staged || beta != 0) {
      EXPECT_TRUE(scenario.is_unchanged()) << *error;
    } else {
      EXPECT_TRUE(scenario.c.guards_untouched()) << *error;
    }
  }
};

INSTANTIATE_TEST_SUITE_P(Modes, FailingCalls,
                         testing::Combine(testing::ValuesIn(both_modes),
                                          testing::Values(0.0f, -0.7f)),
                         [](const auto& info) {
                           return std::string(name(std::get<0>(info.param))) + '_' +
                                  beta_name(std::get<1>(info.param));
                         });

// The device is opened in the same manner in all modes: to open a GPU takes a third of a second, so
// that its calls fail in one mode only.
TEST_P(FailingCalls, AnyCallOfAWholeProductFails) {
  const TemporaryDirectory directory;
  const bool opening_fails = mode == SharingMode::staged && beta != 0;
  const int first = opening_fails ? 1 : calls_of_opening(directory / "cache");
  int failed = 0;
  for (int number = first;; ++number) {
    ASSERT_LT(number, 1000) << "no end of calls";
    const std::string spec = "*:" + std::to_string(number);
    SCOPED_TRACE(spec);
    // From the second round on the kernel comes from the cache: both ways fail somewhere.
    Scenario scenario{.mode = mode, .beta = beta, .cache_dir = directory / "cache"};
    scenario.prepare();
    layer.fail(spec.c_str());
    const auto error = scenario.run();
    const bool fired = layer.fired() != 0;
    layer.reset();
    expect_right_or_undone(scenario, error);
    EXPECT_EQ(layer.live_objects(), 0);
    if (!fired) break;
    failed += error.has_value();
  }
  EXPECT_GT(failed, opening_fails ? 20 : 10);
}

TEST_P(FailingCalls, AnyCallOfCompilingFails) {
  for (const char* function :
       {"clCreateProgramWithSource", "clBuildProgram", "clGetProgramInfo", "clCreateKernel",
        "clGetEventInfo", "clReleaseEvent", "clReleaseProgram"}) {
    for (int number = 1; number <= 2; ++number) {
      const TemporaryDirectory directory;
      const std::string spec = std::string(function) + ":" + std::to_string(number);
      SCOPED_TRACE(spec);
      Scenario scenario{.mode = mode, .beta = beta, .cache_dir = directory.path()};
      scenario.prepare();
      layer.fail(spec.c_str());
      const auto error = scenario.run();
      layer.reset();
      expect_right_or_undone(scenario, error);
      EXPECT_EQ(layer.live_objects(), 0);
    }
  }
}

TEST_P(FailingCalls, AnyCallOfALaterProductFailsAndTheSideStaysUsable) {
  GpuSide side(cl::list_devices().at(0), {});
  const KernelParams kernel = Scenario::kernel(side);
  Scenario first{.mode = mode, .beta = beta, .cache_dir = ""};
  first.prepare();
  side.submit(first.problem(), kernel, mode).wait();
  // What cannot be shared is staged, which keeps a block of page-locked memory.
  side.submit(first.problem(), kernel, SharingMode::staged).wait();
  const long kept = layer.live_objects();

  for (int number = 1;; ++number) {
    ASSERT_LT(number, 100) << "no end of calls";
    const std::string spec = "*:" + std::to_string(number);
    SCOPED_TRACE(spec);
    Scenario scenario{.mode = mode, .beta = beta, .cache_dir = ""};
    scenario.prepare();
    std::optional<std::string> error;
    layer.fail(spec.c_str());
    try {
      side.submit(scenario.problem(), kernel, mode).wait();
    } catch (const DeviceError& thrown) {
      error = thrown.what();
      EXPECT_NE(error->find("CL_OUT_OF_RESOURCES"), std::string::npos) << *error;
    }
    const bool fired = layer.fired() != 0;
    layer.reset();
    expect_right_or_undone(scenario, error);
    EXPECT_LE(layer.live_objects(), kept);

    Scenario next{.mode = mode, .beta = beta, .cache_dir = ""};
    next.prepare();
    EXPECT_NO_THROW(side.submit(next.problem(), kernel, mode).wait());
    EXPECT_TRUE(next.is_right());
    if (!fired) break;
  }
}

TEST_P(FailingCalls, AJobThatIsDroppedWhileCallsFailEndsQuietly) {
  GpuSide side(cl::list_devices().at(0), {});
  const KernelParams kernel = Scenario::kernel(side);
  for (const char* spec :
       {"clFinish:1", "clReleaseEvent:1", "clReleaseMemObject:1", "clWaitForEvents:1"}) {
    SCOPED_TRACE(spec);
    Scenario scenario{.mode = mode, .beta = beta, .cache_dir = ""};
    scenario.prepare();
    GpuJob job = side.submit(scenario.problem(), kernel, mode);
    layer.fail(spec);
    EXPECT_NO_THROW(job = GpuJob());
    layer.reset();
    EXPECT_TRUE(scenario.c.guards_untouched());
  }
}

}  // namespace
}  // namespace duoblas::test
