// Products of operands in registered memory: what is copied, what fails, what is left behind.
#include <gtest/gtest.h>

#include <duoblas/error.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cl_layer/layer_control.hpp"
#include "gpu/gpu_side.hpp"
#include "kernel_space/kernel_defaults.hpp"
#include "memory/registered_memory.hpp"
#include "opencl/device.hpp"
#include "support/case_names.hpp"

namespace duoblas::test {
namespace {

constexpr std::int64_t m = 900, n = 8, k = 3000;

struct RegisteredOperands : testing::Test {
  const LayerControl& layer = LayerControl::get();
  std::optional<GpuSide> side{std::in_place, cl::list_devices().at(0), GpuFolders{}};
  KernelParams kernel = default_kernel(Precision::s, side->limits());
  std::vector<float> a = std::vector<float>(m * k, 1), b = std::vector<float>(k * n, 1),
                     c = std::vector<float>(m * n, 2);
  std::vector<std::vector<float>*> registered;

  void enter(std::vector<float>& matrix) {
    ASSERT_TRUE(enter_block(matrix.data(), matrix.size() * 4, BlockOwner::program));
    registered.push_back(&matrix);
  }
  void leave_all() {
    for (auto* matrix : registered) EXPECT_TRUE(leave_block(matrix->data(), BlockOwner::program));
    registered.clear();
  }
  GemmProblem problem(float beta) {
    c.assign(c.size(), 2);
    return {.precision = Precision::s,
            .m = m,
            .n = n,
            .k = k,
            .alpha = 1,
            .a = a.data(),
            .lda = k,
            .b = b.data(),
            .ldb = n,
            .beta = beta,
            .c = c.data(),
            .ldc = n};
  }
  void multiply(float beta) { side->submit(problem(beta), kernel, SharingMode::pinned).wait(); }
  /// Multiplies where that fails, and then as the CPU would what was left to do.
  std::optional<std::string> multiply_and_recover(float beta) {
    std::optional<std::string> error;
    std::vector<GemmProblem> rest = {problem(beta)};
    try {
      GpuJob job = side->submit(rest.front(), kernel, SharingMode::pinned);
      rest.clear();
      try {
        job.wait();
      } catch (const DeviceError& thrown) {
        error = thrown.what();
        rest.assign(job.unfinished().begin(), job.unfinished().end());
      }
    } catch (const DeviceError& thrown) {
      error = thrown.what();  // nothing was submitted
    }
    for (const GemmProblem& part : rest) {
      auto* row = static_cast<float*>(part.c);
      for (std::int64_t i = 0; i < part.m; ++i, row += part.ldc)
        for (std::int64_t j = 0; j < part.n; ++j)
          row[j] = static_cast<float>(k) + (beta != 0 ? beta * row[j] : 0);
    }
    return error;
  }
  bool is_right(float beta) const {
    return c == std::vector<float>(m * n, static_cast<float>(k) + 2 * beta);
  }
  void SetUp() override { layer.reset(); }
  void TearDown() override {
    layer.reset();
    leave_all();
    side.reset();
    EXPECT_EQ(layer.live_objects(), 0);
  }
};

TEST_F(RegisteredOperands, NeedNoPageLockedMemoryOfOurs) {
  enter(a);
  enter(b);
  enter(c);
  multiply(0);
  EXPECT_TRUE(is_right(0));
  EXPECT_EQ(layer.calls_of("clEnqueueMapBuffer"), 0);
  layer.reset();
  multiply(0);
  EXPECT_TRUE(is_right(0));
  EXPECT_EQ(layer.calls_of("clCreateBuffer"), 0) << "pages stay locked";
  EXPECT_EQ(layer.bytes_copied(), (m * k + k * n + m * n) * 4);
}

TEST_F(RegisteredOperands, AreMixedWithOthers) {
  for (auto* matrix : {&a, &b, &c}) {
    enter(*matrix);
    for (const float beta : {0.0f, -0.5f}) {
      multiply(beta);
      EXPECT_TRUE(is_right(beta));
    }
    leave_all();
  }
}

// NVIDIA's driver refuses to copy rows that begin in page-locked memory and end behind it.
TEST_F(RegisteredOperands, OfWhichAPartIsRegisteredAreCopiedByWayOfOurOwnMemory) {
  layer.memory_model("locking");
  constexpr std::int64_t half = m / 2, rows = 20, depth = 200;
  ASSERT_TRUE(enter_block(a.data(), half * k * sizeof(float), BlockOwner::program));
  registered.push_back(&a);
  GemmProblem locks = problem(0);
  locks.m = half;
  side->submit(locks, kernel, SharingMode::pinned).wait();
  for (const float beta : {0.0f, -0.5f}) {
    GemmProblem across = problem(beta);
    across.a = a.data() + (half - rows / 2) * k;
    across.m = rows;
    across.k = depth;
    side->submit(across, kernel, SharingMode::staged).wait();
    std::vector<float> expected(c.size(), 2);
    std::fill_n(expected.begin(), rows * n, static_cast<float>(depth) + 2 * beta);
    EXPECT_EQ(c, expected) << beta;
  }
  layer.memory_model("");
}

TEST_F(RegisteredOperands, AreOrdinaryOnesWhereTheDriverRefusesToLockThem) {
  multiply(0);  // device buffers and the ring are there
  enter(a);
  for (int round = 0; round < 2; ++round) {
    layer.fail("clCreateBuffer:1");
    multiply(0);
    EXPECT_EQ(layer.fired(), round == 0) << "asked once";
    EXPECT_TRUE(is_right(0));
  }
}

TEST_F(RegisteredOperands, AreLetGoOfWhenTheyAreLeft) {
  multiply(0);
  const long before = layer.live_objects();
  enter(a);
  enter(b);
  multiply(0);
  EXPECT_EQ(layer.live_objects(), before + 2);
  leave_all();
  EXPECT_EQ(layer.live_objects(), before);
}

TEST_F(RegisteredOperands, MayBeLeftAtOnceAfterTheSubmit) {
  for (int round = 0; round < 3; ++round) {
    enter(a);
    enter(c);
    GpuJob job = side->submit(problem(0), kernel, SharingMode::pinned);
    leave_all();  // waits
    EXPECT_TRUE(is_right(0));
    job.wait();
  }
}

TEST_F(RegisteredOperands, OutliveTheDevice) {
  enter(a);
  enter(c);
  multiply(0);
  side.reset();
  EXPECT_EQ(layer.live_objects(), 0);
  side.emplace(cl::list_devices().at(0), GpuFolders{});
  multiply(0);
  EXPECT_TRUE(is_right(0));
}

struct FailingRegisteredOperands : RegisteredOperands, testing::WithParamInterface<float> {};
INSTANTIATE_TEST_SUITE_P(Betas, FailingRegisteredOperands, testing::Values(0.0f, -0.5f),
                         named_by_beta);

TEST_P(FailingRegisteredOperands, LeaveWhatCanBeCompleted) {
  const float beta = GetParam();
  for (auto* matrix : {&a, &b, &c}) enter(*matrix);
  multiply(beta);
  int failed = 0;
  for (int number = 1;; ++number) {
    ASSERT_LT(number, 300) << "no end of calls";
    SCOPED_TRACE(number);
    layer.fail(("*:" + std::to_string(number)).c_str());
    const std::optional<std::string> error = multiply_and_recover(beta);
    const bool fired = layer.fired() != 0;
    layer.reset();
    EXPECT_TRUE(is_right(beta)) << error.value_or("");
    failed += error.has_value();
    multiply(beta);
    EXPECT_TRUE(is_right(beta));
    if (!fired) break;
  }
  EXPECT_GT(failed, 10);
}

}  // namespace
}  // namespace duoblas::test
