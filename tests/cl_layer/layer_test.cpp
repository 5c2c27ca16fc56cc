// The layer itself, and what is proved by counting alone.
#include <gtest/gtest.h>

#include <duoblas/buffer.hpp>

#include <algorithm>
#include <vector>

#include "cl_layer/layer_control.hpp"
#include "cl_layer/scenario.hpp"
#include "support/driver_ability.hpp"
#include "support/temporary_directory.hpp"

namespace duoblas::test {
namespace {

constexpr long inputs_bytes = (Scenario::m * Scenario::k + Scenario::k * Scenario::n) * 4;
constexpr long result_bytes = Scenario::m * Scenario::n * 4;

struct LayerTest : testing::Test {
  const LayerControl& layer = LayerControl::get();
  void SetUp() override { layer.reset(); }
  void TearDown() override {
    layer.reset();
    EXPECT_EQ(layer.live_objects(), 0);
  }
};

TEST_F(LayerTest, CountsObjectsFromTheirCreationToTheirRelease) {
  const auto devices = cl::list_devices();
  ASSERT_FALSE(devices.empty());
  cl::Context context(devices.front());
  EXPECT_EQ(layer.live_objects(), 1);
  cl::Buffer buffer = context.allocate(100, cl::Access::read_write);
  EXPECT_EQ(layer.live_objects(), 2);
  EXPECT_EQ(layer.calls_of("clCreateBuffer"), 1);
  buffer.reset();
  EXPECT_EQ(layer.live_objects(), 1);
}

// In a child each, which ends.
TEST_F(LayerTest, EndsAProgramThatUsesMemoryThatIsGone) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const cl::Context context(cl::list_devices().at(0));
  cl::Queue queue(context);
  const cl::Program program =
      cl::build_from_source(context, "kernel void set(global int* x) { *x = 1; }", "");
  cl::Kernel kernel = program.kernel("set");
  const auto release_twice = [&] {
    cl::Buffer once = context.allocate(4, cl::Access::read_write), twice(once.raw());
    once.reset();
    twice.reset();
  };
  EXPECT_DEATH(release_twice(), "clReleaseMemObject of a memory object that is gone");
  // Another buffer may have its handle by then.
  const auto launch_afterwards = [&] {
    kernel.set_argument(0, context.allocate(4, cl::Access::read_write));
    const cl::Buffer other = context.allocate(4, cl::Access::read_write);
    queue.submit(kernel, {});
  };
  EXPECT_DEATH(launch_afterwards(), "clEnqueueNDRangeKernel with a memory object that is gone");
  const cl::Buffer buffer = context.allocate(4, cl::Access::read_write);
  kernel.set_argument(0, buffer);
  queue.wait(queue.submit(kernel, {}));
}

TEST_F(LayerTest, FailsTheCallThatIsNamedAndNoOther) {
  const auto devices = cl::list_devices();
  ASSERT_FALSE(devices.empty());
  const cl::Context context(devices.front());
  layer.fail("clCreateBuffer:2");
  EXPECT_NO_THROW(context.allocate(100, cl::Access::read_write));
  EXPECT_FALSE(layer.fired());
  EXPECT_THROW(context.allocate(100, cl::Access::read_write), DeviceError);
  EXPECT_TRUE(layer.fired());
  EXPECT_NO_THROW(context.allocate(100, cl::Access::read_write));
}

TEST_F(LayerTest, WhatWaitsHasWaitedWhenItFails) {
  const auto devices = cl::list_devices();
  ASSERT_FALSE(devices.empty());
  const cl::Context context(devices.front());
  cl::Queue queue(context);
  const cl::Buffer from = context.allocate(4, cl::Access::read_write);
  const cl::Buffer to = context.allocate(4, cl::Access::read_write);
  int value = 77;
  queue.write(from, &value, {1, 4, 4, 4, 0}, true);
  const cl::Event copied = queue.copy(from, to, 4);
  layer.fail("clFinish:1");
  EXPECT_THROW(queue.finish(), DeviceError);
  value = 0;
  queue.read(to, &value, {1, 4, 4, 4, 0});
  queue.check_ended(copied);
  EXPECT_EQ(value, 77);
}

TEST_F(LayerTest, SeesThatSharedMemoryIsNeverCopied) {
  Scenario scenario{.mode = SharingMode::host_pointer, .beta = -0.7f, .cache_dir = ""};
  scenario.prepare();
  GpuSide side(cl::list_devices().at(0), {});
  layer.reset();
  side.submit(scenario.problem(), Scenario::kernel(side), SharingMode::host_pointer).wait();
  // Where the driver does not share, the same call is staged.
  const bool shares = side.best_sharing() == SharingMode::host_pointer;
  EXPECT_EQ(layer.bytes_copied(), shares ? 0 : inputs_bytes + 2 * result_bytes);
  EXPECT_TRUE(scenario.is_right());
}

// In memory that is aligned to pages, and in the program's own, at 16 bytes past somewhere.
TEST_F(LayerTest, SeesThatNothingIsCopiedWhereverTheOperandsLie) {
  GpuSide side(cl::list_devices().at(0), {});
  if (!can_or_tells(side.info(), side.sharing().granularity() == 1, shares_not_all)) return;
  constexpr std::int64_t n = 200;
  constexpr std::size_t bytes = n * n * sizeof(float);
  std::vector<float> plain(3 * n * n + 8, 1);
  Buffer<float> paged(3 * 10 * 4096);
  for (const bool aligned : {true, false}) {
    float* matrices[3];
    for (std::size_t i = 0; i < 3; ++i) {
      matrices[i] = aligned ? paged.data() + i * 10 * 4096 : plain.data() + 4 + i * n * n;
      std::fill_n(matrices[i], n * n, 1.0f);
    }
    for (const float beta : {0.0f, 1.0f}) {
      const GemmProblem product = {.precision = Precision::s,
                                   .m = n,
                                   .n = n,
                                   .k = n,
                                   .a = matrices[0],
                                   .lda = n,
                                   .b = matrices[1],
                                   .ldb = n,
                                   .beta = beta,
                                   .c = matrices[2],
                                   .ldc = n};
      layer.reset();
      const CopiedBytes before = side.copied();
      side.submit(product, Scenario::kernel(side), SharingMode::host_pointer).wait();
      const CopiedBytes after = side.copied();
      EXPECT_EQ(layer.bytes_copied(), 0);
      EXPECT_EQ(after.staged, before.staged);
      EXPECT_EQ(after.saved - before.saved, beta == 0 ? 0u : bytes);
      EXPECT_GE(after.packed - before.packed, bytes) << "B is packed";
      EXPECT_EQ(matrices[2][n * n - 1], beta == 0 ? n : 2 * n);
    }
  }
}

TEST_F(LayerTest, SeesThatStagingCopiesEachOperandOnce) {
  for (const float beta : {0.0f, -0.7f}) {
    Scenario scenario{.mode = SharingMode::staged, .beta = beta, .cache_dir = ""};
    scenario.prepare();
    GpuSide side(cl::list_devices().at(0), {});
    layer.reset();
    side.submit(scenario.problem(), Scenario::kernel(side), SharingMode::staged).wait();
    EXPECT_EQ(layer.bytes_copied(), inputs_bytes + (beta == 0 ? 1 : 2) * result_bytes);
    EXPECT_TRUE(scenario.is_right());
  }
}

TEST_F(LayerTest, SeesThatASecondSideDoesNotCompile) {
  const TemporaryDirectory directory;
  long programs = 0;  // of a device's default kernel there may be several
  for (const bool is_first : {true, false}) {
    Scenario scenario{.mode = SharingMode::staged, .beta = 0, .cache_dir = directory.path()};
    scenario.prepare();
    layer.reset();
    EXPECT_EQ(scenario.run(), std::nullopt);
    EXPECT_TRUE(scenario.is_right());
    const long compiled = layer.calls_of("clCreateProgramWithSource");
    const long loaded = layer.calls_of("clCreateProgramWithBinary");
    EXPECT_EQ(compiled > 0, is_first);
    if (is_first)
      programs = compiled;
    else
      EXPECT_EQ(loaded, programs);
  }
}

TEST_F(LayerTest, SeesThatALaterCallMakesNoNewKernelsOrPackedBuffers) {
  Scenario scenario{.mode = SharingMode::host_pointer, .beta = 0, .cache_dir = ""};
  scenario.prepare();
  GpuSide side(cl::list_devices().at(0), {});
  side.submit(scenario.problem(), Scenario::kernel(side), scenario.mode).wait();
  layer.reset();
  side.submit(scenario.problem(), Scenario::kernel(side), scenario.mode).wait();
  EXPECT_EQ(layer.calls_of("clCreateKernel"), 0);
  EXPECT_EQ(layer.calls_of("clCreateBuffer"), 3);  // windows of A, B and C
}

}  // namespace
}  // namespace duoblas::test
