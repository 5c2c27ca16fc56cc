// What the device's copies of prepared operands save, counted by the layer, and what fails there.
#include <gtest/gtest.h>

#include <duoblas/error.hpp>

#include <optional>
#include <string>
#include <vector>

#include "cl_layer/layer_control.hpp"
#include "gpu/gpu_side.hpp"
#include "kernel_space/kernel_defaults.hpp"
#include "opencl/device.hpp"

namespace duoblas::test {
namespace {

struct PreparedOperands : testing::Test {
  const LayerControl& layer = LayerControl::get();
  std::optional<GpuSide> side{std::in_place, cl::list_devices().at(0), GpuFolders{}};
  KernelParams kernel = default_kernel(Precision::s, side->limits());
  static constexpr std::int64_t n = 520;  // in the pipeline; rows of whole 16 bytes
  static constexpr std::int64_t matrix_bytes = n * n * 4;
  std::vector<float> a = std::vector<float>(n * n, 1), b = std::vector<float>(n * n, 2),
                     c = std::vector<float>(n * n);

  std::shared_ptr<const ResidentMatrix> make_resident(std::vector<float>& matrix) {
    return side->make_resident({matrix.data(), n, n * 4, n * 4, 4});
  }
  void multiply(std::int64_t size, const ResidentOperands& resident) {
    c.assign(c.size(), -1);
    const GemmProblem problem{.precision = Precision::s,
                              .m = size,
                              .n = size,
                              .k = size,
                              .alpha = 1,
                              .a = a.data(),
                              .lda = n,
                              .b = b.data(),
                              .ldb = n,
                              .beta = 0,
                              .c = c.data(),
                              .ldc = n};
    side->submit(problem, kernel, {SharingMode::staged, SharingMode::staged, resident}).wait();
    EXPECT_EQ(c.front(), 2 * static_cast<float>(size));
    EXPECT_EQ(c.at(static_cast<std::size_t>((size - 1) * n + size - 1)),
              2 * static_cast<float>(size));
  }
  void SetUp() override { layer.reset(); }
  void TearDown() override {
    layer.reset();
    side.reset();
    EXPECT_EQ(layer.live_objects(), 0);
  }
};

TEST_F(PreparedOperands, MoveToTheDeviceOnce) {
  const auto resident_a = make_resident(a), resident_b = make_resident(b);
  EXPECT_EQ(layer.bytes_copied(), 2 * matrix_bytes);
  const auto bytes_of = [&](const ResidentOperands& resident) {
    layer.reset();
    multiply(n, resident);
    return layer.bytes_copied();
  };
  EXPECT_EQ(bytes_of({}), 3 * matrix_bytes);
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(bytes_of({resident_a.get(), nullptr}), 2 * matrix_bytes);
    EXPECT_EQ(bytes_of({nullptr, resident_b.get()}), 2 * matrix_bytes);
    EXPECT_EQ(bytes_of({resident_a.get(), resident_b.get()}), matrix_bytes) << "only C moves";
  }
}

TEST_F(PreparedOperands, MoveOnceForSmallProductsToo) {
  const auto resident = make_resident(a);
  layer.reset();
  multiply(100, {resident.get(), nullptr});
  EXPECT_EQ(layer.bytes_copied(), 2 * 100 * 100 * 4);
}

TEST_F(PreparedOperands, ArePackedOnce) {
  kernel.pack_a = kernel.pack_b = true;
  const auto launches_of = [&](const ResidentOperands& resident) {
    layer.reset();
    multiply(n, resident);
    return layer.calls_of("clEnqueueNDRangeKernel");
  };
  const long plain = launches_of({});
  {
    const auto resident_a = make_resident(a), resident_b = make_resident(b);
    const ResidentOperands both{resident_a.get(), resident_b.get()};
    EXPECT_EQ(launches_of(both), plain);
    const long packed_before = launches_of(both);
    EXPECT_LE(packed_before, plain - 2) << "neither A nor B is packed";
    EXPECT_EQ(launches_of(both), packed_before);
    EXPECT_EQ(layer.bytes_copied(), matrix_bytes);
    EXPECT_GT(launches_of({resident_a.get(), nullptr}), packed_before);
    multiply(n - 64, both);  // another shape is packed otherwise
    EXPECT_EQ(launches_of(both), packed_before);
  }
  EXPECT_EQ(launches_of({}), plain);
}

TEST_F(PreparedOperands, ArePackedAnewAfterAFailure) {
  kernel.pack_a = true;
  const auto resident = make_resident(a);
  const ResidentOperands operands{resident.get(), nullptr};
  multiply(n, operands);
  for (int number = 1;; ++number) {
    ASSERT_LT(number, 300) << "no end of calls";
    layer.fail(("*:" + std::to_string(number)).c_str());
    try {
      const GemmProblem problem{.precision = Precision::s,
                                .m = n,
                                .n = n,
                                .k = n,
                                .alpha = 1,
                                .a = a.data(),
                                .lda = n,
                                .b = b.data(),
                                .ldb = n,
                                .beta = 0,
                                .c = c.data(),
                                .ldc = n};
      side->submit(problem, kernel, {SharingMode::staged, SharingMode::staged, operands}).wait();
    } catch (const DeviceError&) {
    }
    const bool fired = layer.fired() != 0;
    layer.reset();
    multiply(n, operands);
    if (!fired) break;
  }
}

TEST_F(PreparedOperands, FailWithoutALeak) {
  for (int round = 0; round < 3; ++round) {  // until every block of the ring was in use
    make_resident(a);
    multiply(n, {});
  }
  const long kept = layer.live_objects();
  int failed = 0;
  for (int number = 1;; ++number) {
    ASSERT_LT(number, 100) << "no end of calls";
    layer.fail(("*:" + std::to_string(number)).c_str());
    try {
      make_resident(a);
    } catch (const DeviceError&) {
      ++failed;
    }
    const bool fired = layer.fired() != 0;
    layer.reset();
    EXPECT_LE(layer.live_objects(), kept);
    multiply(n, {});
    if (!fired) break;
  }
  EXPECT_GT(failed, 2);
}

}  // namespace
}  // namespace duoblas::test
