// Each OpenCL call of a product in panels fails in turn, and what that leaves of C.
#include <gtest/gtest.h>

#include <duoblas/error.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "cl_layer/layer_control.hpp"
#include "cl_layer/ones.hpp"
#include "gpu/gpu_side.hpp"
#include "kernel_space/kernel_defaults.hpp"
#include "opencl/device.hpp"
#include "support/case_names.hpp"

namespace duoblas::test {
namespace {

// Panels of rows.
struct InPanels : Ones {
  static constexpr std::int64_t m = 900, n = 5, k = 3000;
  explicit InPanels(float beta) : Ones(m, n, k, beta) {}
};

// What is left to do.
std::vector<GemmProblem> wait_for(GpuJob& job) {
  try {
    job.wait();
  } catch (const DeviceError& error) {
    EXPECT_STRNE(error.what(), "");
  }
  const auto rest = job.unfinished();
  return {rest.begin(), rest.end()};
}

struct FailingTransfers : testing::TestWithParam<float> {
  const LayerControl& layer = LayerControl::get();
  void SetUp() override { layer.reset(); }
  void TearDown() override { layer.reset(); }
};

INSTANTIATE_TEST_SUITE_P(Betas, FailingTransfers, testing::Values(0.0f, -0.5f), named_by_beta);

TEST_P(FailingTransfers, LeaveARightAnswerOrTheOldOneAndAUsableSide) {
  std::optional<GpuSide> side(std::in_place, cl::list_devices().at(0), GpuFolders{});
  const KernelParams kernel = default_kernel(Precision::s, side->limits());
  // Several, until every block of the ring was in use.
  for (int round = 0; round < 3; ++round) {
    InPanels first{GetParam()};
    side->submit(first.problem(), kernel, SharingMode::staged).wait();
    ASSERT_TRUE(first.is_right());
  }
  const long kept = layer.live_objects();
  int failed = 0;
  for (int number = 1;; ++number) {
    ASSERT_LT(number, 300) << "no end of calls";
    SCOPED_TRACE(number);
    InPanels product{GetParam()};
    layer.fail(("*:" + std::to_string(number)).c_str());
    std::vector<GemmProblem> rest = {product.problem()};
    try {
      GpuJob job = side->submit(product.problem(), kernel, SharingMode::staged);
      rest = wait_for(job);
    } catch (const DeviceError&) {
      // Nothing was submitted.
    }
    const bool fired = layer.fired() != 0;
    layer.reset();
    failed += !rest.empty();
    EXPECT_TRUE(product.is_right_with(rest));
    EXPECT_LE(layer.live_objects(), kept);
    InPanels next{GetParam()};
    EXPECT_NO_THROW(side->submit(next.problem(), kernel, SharingMode::staged).wait());
    EXPECT_TRUE(next.is_right());
    if (!fired) break;
  }
  EXPECT_GT(failed, 15);
  side.reset();
  EXPECT_EQ(layer.live_objects(), 0);
}

// What comes back is made of it then, with no error of its own.
TEST_P(FailingTransfers, LeaveNothingThatIsMadeOfACopyThatFailed) {
  constexpr int short_of_memory = -4;
  GpuSide side(cl::list_devices().at(0), GpuFolders{});
  const KernelParams kernel = default_kernel(Precision::s, side.limits());
  const auto run = [&](long failing) {
    // Zeros are where a copy has not been.
    InPanels zeros{GetParam()};
    std::ranges::fill(zeros.a, 0.0f);
    std::ranges::fill(zeros.b, 0.0f);
    side.submit(zeros.problem(), kernel, SharingMode::staged).wait();
    InPanels product{GetParam()};
    layer.reset();
    if (failing > 0) layer.fail_command("upload", failing, short_of_memory);
    GpuJob job = side.submit(product.problem(), kernel, SharingMode::staged);
    const std::vector<GemmProblem> rest = wait_for(job);
    layer.true_driver();
    EXPECT_TRUE(product.is_right_with(rest)) << failing;
    EXPECT_EQ(rest.empty(), failing == 0) << failing;
  };
  run(0);
  const long uploads =
      layer.calls_of("clEnqueueWriteBuffer") + layer.calls_of("clEnqueueWriteBufferRect");
  ASSERT_GT(uploads, 1);
  for (long number = 1; number <= uploads; ++number) run(number);
}

TEST_P(FailingTransfers, FailWhileTheLanesAreMade) {
  for (int number = 1;; ++number) {
    ASSERT_LT(number, 500) << "no end of calls";
    SCOPED_TRACE(number);
    std::optional<GpuSide> side(std::in_place, cl::list_devices().at(0), GpuFolders{});
    const KernelParams kernel = default_kernel(Precision::s, side->limits());
    InPanels product{GetParam()};
    layer.fail(("*:" + std::to_string(number)).c_str());
    std::vector<GemmProblem> rest = {product.problem()};
    try {
      GpuJob job = side->submit(product.problem(), kernel, SharingMode::staged);
      rest = wait_for(job);
    } catch (const DeviceError&) {
      // Nothing was submitted.
    }
    const bool fired = layer.fired() != 0;
    layer.reset();
    EXPECT_TRUE(product.is_right_with(rest));
    side.reset();
    EXPECT_EQ(layer.live_objects(), 0);
    if (!fired) break;
  }
}

// 12 steps or so: blocks of C in both directions, staged in several slices.
struct InBlocks {
  static constexpr std::int64_t m = 130, n = 120, k = 150;
  static constexpr std::size_t limit = std::size_t{128} << 10;
};

struct FailingBlocks : testing::TestWithParam<std::tuple<SharingMode, float, bool>> {
  const LayerControl& layer = LayerControl::get();
  const SharingMode mode = std::get<0>(GetParam());
  const float beta = std::get<1>(GetParam());
  const bool device_is_lost = std::get<2>(GetParam());
  void SetUp() override { layer.reset(); }
  void TearDown() override { layer.reset(); }
};

INSTANTIATE_TEST_SUITE_P(Modes, FailingBlocks,
                         testing::Combine(testing::Values(SharingMode::staged,
                                                          SharingMode::host_pointer),
                                          testing::Values(0.0f, -0.5f), testing::Bool()),
                         [](const auto& info) {
                           return std::string(name(std::get<0>(info.param))) + '_' +
                                  beta_name(std::get<1>(info.param)) +
                                  (std::get<2>(info.param) ? "_lost" : "");
                         });

TEST_P(FailingBlocks, LeaveARightAnswerOrTheOldOneAndAUsableSide) {
  std::optional<GpuSide> side(std::in_place, cl::list_devices().at(0), GpuFolders{}, false,
                              InBlocks::limit);
  KernelParams kernel = default_kernel(Precision::s, side->limits());
  kernel.pack_a = kernel.pack_b = true;
  const auto submit = [&](Ones& product) { return side->submit(product.problem(), kernel, mode); };
  for (int round = 0; round < 3; ++round) {
    Ones first(InBlocks::m, InBlocks::n, InBlocks::k, beta);
    submit(first).wait();
    ASSERT_TRUE(first.is_right());
  }
  // What cannot be shared is staged, by a pipeline that stays.
  Ones staged(InBlocks::m, InBlocks::n, InBlocks::k, beta);
  side->submit(staged.problem(), kernel, SharingMode::staged).wait();
  const long kept = layer.live_objects();
  int failed = 0, in_the_middle = 0;
  for (int number = 1;; ++number) {
    ASSERT_LT(number, 2000) << "no end of calls";
    SCOPED_TRACE(number);
    Ones product(InBlocks::m, InBlocks::n, InBlocks::k, beta);
    layer.fail(("*:" + std::to_string(number) + (device_is_lost ? "+" : "")).c_str());
    std::vector<GemmProblem> rest = {product.problem()};
    try {
      GpuJob job = submit(product);
      rest = wait_for(job);
    } catch (const DeviceError&) {
      // Nothing was submitted.
    }
    const bool fired = layer.fired() != 0;
    layer.reset();
    failed += !rest.empty();
    in_the_middle += rest.size() == 1 ? rest[0].m < InBlocks::m : !rest.empty();
    EXPECT_TRUE(product.is_right_with(rest));
    EXPECT_LE(layer.live_objects(), kept);
    Ones next(InBlocks::m, InBlocks::n, InBlocks::k, beta);
    EXPECT_NO_THROW(submit(next).wait());
    EXPECT_TRUE(next.is_right());
    if (!fired) break;
  }
  EXPECT_GT(failed, 15);
  EXPECT_GT(in_the_middle, 1);
  side.reset();
  EXPECT_EQ(layer.live_objects(), 0);
}

TEST_P(FailingTransfers, CopyEachOperandOnce) {
  GpuSide side(cl::list_devices().at(0), {});
  const KernelParams kernel = default_kernel(Precision::s, side.limits());
  InPanels product{GetParam()};
  layer.reset();
  side.submit(product.problem(), kernel, SharingMode::staged).wait();
  constexpr std::int64_t pitch_b = 32, pitch_c = 32;  // five floats, to the next 16 bytes
  constexpr std::int64_t a_bytes = InPanels::m * InPanels::k * 4, b_bytes = InPanels::k * pitch_b,
                         c_bytes = InPanels::m * pitch_c;
  // Of a block's last row only the elements are copied; B and every panel of A and C end so.
  const std::int64_t most = a_bytes + b_bytes + c_bytes * (GetParam() != 0 ? 2 : 1);
  EXPECT_LE(layer.bytes_copied(), most);
  EXPECT_GE(layer.bytes_copied(), most - 200);
}

}  // namespace
}  // namespace duoblas::test
