// What a driver refuses or fails once, always, or before a product: C is right, and the GPU is used
// where it can be.
#include <chrono>
#include <string>

#include <duoblas/error.hpp>

#include "cl_layer/ones.hpp"
#include "cl_layer/played_driver.hpp"
#include "cl_layer/scenario.hpp"

namespace duoblas::test {
namespace {

using RefusedLaunch = PlayedDriver;

constexpr int not_available = CL_DEVICE_NOT_AVAILABLE;

TEST_F(RefusedLaunch, OfOneKernelLeavesTheGpuToAnother) {
  layer.refuse_groups_above(16, CL_INVALID_WORK_GROUP_SIZE);
  Context context(both_sides());
  int recovered = 0;
  while (multiply<float>(context).recovered) ASSERT_LT(++recovered, 10);
  EXPECT_GT(recovered, 0) << "the default kernel has larger groups";
  for (int i = 0; i < 3; ++i) expect_gpu_used<float>(context);
  expect_gpu_used<float>(context, Op::transpose, Op::none);
}

TEST_F(RefusedLaunch, ThatTheDriverForetellsIsNotTried) {
  layer.refuse_groups_above(16, not_available);  // would lose the device
  layer.tell_groups_of(16);
  Context context(both_sides());
  int recovered = 0;
  while (multiply<float>(context).recovered) ASSERT_LT(++recovered, 10);
  expect_gpu_used<float>(context);
}

TEST_F(RefusedLaunch, OfEveryKernelLeavesAllToTheCpuWithAReason) {
  layer.refuse_groups_above(0, CL_INVALID_WORK_GROUP_SIZE);
  Context context(both_sides());
  for (int i = 0; i < 10; ++i) multiply<float>(context);
  const long enqueues_before = layer.calls_of("clSetKernelArg");
  EXPECT_EQ(multiply<float>(context).reason,
            "the device launches none of the kernels for this type");
  EXPECT_FALSE(Context::last_call().recovered);
  EXPECT_EQ(layer.calls_of("clSetKernelArg"), enqueues_before) << "nothing is tried any more";
  // A type of its own.
  layer.refuse_groups_above(1 << 20, 0);
  expect_gpu_used<double>(context);
}

TEST_F(RefusedLaunch, ByAPassingShortageIsOverWithTheNextCall) {
  for (const char* call :
       {"clEnqueueNDRangeKernel:1=-5", "clEnqueueNDRangeKernel:1=-4", "clCreateBuffer:1+=-4",
        "clEnqueueNDRangeKernel:1=-6", "clWaitForEvents:1=-5", "clFlush:1=-5"}) {
    SCOPED_TRACE(call);
    Context context(both_sides());
    expect_gpu_used<float>(context);
    layer.fail(call);
    EXPECT_TRUE(multiply<float>(context).recovered);
    layer.reset();
    expect_gpu_used<float>(context);
  }
}

TEST_F(RefusedLaunch, ByShortageAgainAndAgainIsTriedEverMoreRarely) {
  Context context(both_sides());
  expect_gpu_used<float>(context);
  layer.fail("clCreateBuffer:1+=-4");
  int tried = 0;
  for (int i = 0; i < 100; ++i) tried += multiply<float>(context).recovered;
  EXPECT_GE(tried, 3);
  EXPECT_LE(tried, 12);
  EXPECT_NE(Context::last_call().reason.find("short of memory"), std::string::npos)
      << Context::last_call().reason;
  layer.reset();
  int calls = 0;
  while (multiply<float>(context).strategy == Strategy::cpu) ASSERT_LT(++calls, 200);
  for (int i = 0; i < 5; ++i) expect_gpu_used<float>(context);
}

TEST_F(RefusedLaunch, OfACommandThatFailedSetsTheDeviceAside) {
  Context context(both_sides());
  expect_gpu_used<float>(context);
  layer.fail_kernel("gemm", 1, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_TRUE(multiply<float>(context).recovered);
  const long before = launched();
  const std::string reason = multiply<float>(context).reason;
  // After a second it is tried again, which this thread may have slept for.
  const bool comes_back = std::chrono::steady_clock::now() - begun > std::chrono::seconds(1);
  EXPECT_TRUE(comes_back || reason == "the GPU failed before") << reason;
  EXPECT_TRUE(comes_back || launched() == before);
}

struct FailedPacking : PlayedDriver, testing::WithParamInterface<SharingMode> {};

// A kernel that packs B does nothing: only its event tells.
TEST_P(FailedPacking, FailsTheProduct) {
  GpuSide side(cl::list_devices().at(0), {});
  KernelParams kernel = Scenario::kernel(side);
  Scenario first{.mode = GetParam(), .beta = -0.7f, .cache_dir = ""};
  first.prepare();
  side.submit(first.problem(), kernel, GetParam()).wait();
  EXPECT_TRUE(first.is_right());

  layer.fail_kernel("pack_b", 1, CL_OUT_OF_RESOURCES);
  Scenario scenario{.mode = GetParam(), .beta = -0.7f, .cache_dir = ""};
  scenario.prepare();
  GpuJob job = side.submit(scenario.problem(), kernel, GetParam());
  EXPECT_THROW(job.wait(), DeviceError);
  EXPECT_TRUE(scenario.is_unchanged());
  ASSERT_EQ(job.unfinished().size(), 1u);
  EXPECT_EQ(job.unfinished()[0].m, Scenario::m);
}

// In blocks: through the pipeline, or in place.
TEST_P(FailedPacking, FailsTheProductInBlocks) {
  constexpr std::size_t limit = 640 << 10;
  GpuSide side(cl::list_devices().at(0), {}, false, limit);
  const KernelParams kernel = Scenario::kernel(side);
  for (const long launch : {1L, 2L, 3L})
    for (const float beta : {0.0f, 2.0f}) {
      SCOPED_TRACE(testing::Message() << "launch " << launch << ", beta " << beta);
      Ones product(400, 600, 300, beta);
      // What an earlier product left packed would hide that nothing was.
      Ones other(400, 600, 300, 0);
      for (float& value : other.b) value = 5;
      side.submit(other.problem(), kernel, GetParam()).wait();
      layer.fail_kernel("pack_b", launch, CL_OUT_OF_RESOURCES);
      GpuJob job = side.submit(product.problem(), kernel, GetParam());
      EXPECT_THROW(job.wait(), DeviceError);
      const auto rest = job.unfinished();
      EXPECT_TRUE(product.is_right_with({rest.begin(), rest.end()}));
    }
}

INSTANTIATE_TEST_SUITE_P(Modes, FailedPacking, testing::ValuesIn(both_modes),
                         [](const auto& mode) { return std::string(name(mode.param)); });

// k is split: the parts' sums are missing, and the reduction knows nothing of it.
TEST_F(RefusedLaunch, OfThePartsBeforeAReductionFailsTheProduct) {
  GpuSide side(cl::list_devices().at(0), {});
  KernelParams kernel = Scenario::kernel(side);
  kernel.k_split = 2;
  Scenario scenario{.mode = SharingMode::staged, .beta = -0.7f, .cache_dir = ""};
  scenario.prepare();
  layer.fail_kernel("gemm", 1, CL_OUT_OF_RESOURCES);
  GpuJob job = side.submit(scenario.problem(), kernel, SharingMode::staged);
  EXPECT_THROW(job.wait(), DeviceError);
  EXPECT_TRUE(scenario.is_unchanged());
}

}  // namespace
}  // namespace duoblas::test
