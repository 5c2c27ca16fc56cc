// The blocks of staged products: whole tiles, within every limit.
#include "kernel_space/device_blocks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "kernel_space/kernel_defaults.hpp"
#include "support/tuned_machine.hpp"

namespace duoblas {
namespace {

GemmProblem problem(std::int64_t m, std::int64_t n, std::int64_t k,
                    Precision precision = Precision::s) {
  GemmProblem p;
  p.precision = precision;
  p.m = m;
  p.n = n;
  p.k = k;
  return p;
}

DeviceLimits limits_of(std::size_t memory_bytes) {
  DeviceLimits limits = test::paper_device();
  limits.compute_units = 4;
  limits.memory_bytes = memory_bytes;
  return limits;
}

DeviceLimits large_gpu(std::size_t memory_bytes) {
  DeviceLimits limits = limits_of(memory_bytes);
  limits.is_cpu = false;
  limits.compute_units = 132;
  limits.local_memory_bytes = 48 << 10;
  limits.max_work_group_size = 1024;
  return limits;
}

constexpr std::size_t plenty = std::size_t{1} << 40;

TEST(DeviceBlocks, AreWholeTilesAlongTheLongerSideWhereEverythingFits) {
  const DeviceLimits limits = limits_of(plenty);
  const KernelParams kernel = default_kernel(Precision::s, limits);
  for (const auto& [m, n] : {std::pair<std::int64_t, std::int64_t>{5000, 300}, {300, 5000}}) {
    const GemmProblem p = problem(m, n, 4000);
    const auto blocks = device_blocks(p, kernel, {}, limits);
    ASSERT_TRUE(blocks);
    const bool rows = m > n;
    EXPECT_EQ(rows ? blocks->n : blocks->m, 300);
    EXPECT_EQ(blocks->k, 4000);
    const std::int64_t length = rows ? blocks->m : blocks->n;
    EXPECT_EQ(length % (rows ? row_tile(kernel) : col_tile(kernel)), 0);
    EXPECT_LT(length, 5000 / 3);
    EXPECT_EQ(blocks->c_slots, (5000 + length - 1) / length) << "none waits for another's place";
  }
}

TEST(DeviceBlocks, AreOneWhereThereIsLittleToBring) {
  const DeviceLimits limits = limits_of(plenty);
  const KernelParams kernel = default_kernel(Precision::s, limits);
  EXPECT_EQ(device_blocks(problem(500, 400, 300), kernel, {}, limits)->m, 500);
}

TEST(DeviceBlocks, KeepTheUnitsBusyToTheEndOfEachPanel) {
  DeviceLimits limits = large_gpu(plenty);
  limits.max_allocation_bytes = plenty;
  const KernelParams kernel = default_kernel(Precision::s, limits);
  for (const std::int64_t n : {4096, 5000, 8192, 9000, 12000, 16384, 18000, 59800}) {
    const auto blocks = device_blocks(problem(n, n, n), kernel, {}, limits);
    ASSERT_TRUE(blocks);
    const auto count = [](std::int64_t extent, std::int64_t tile) {
      return (extent + tile - 1) / tile;
    };
    const std::int64_t tiles = count(blocks->m, row_tile(kernel)) * count(n, col_tile(kernel));
    const std::int64_t places = count(tiles, limits.compute_units) * limits.compute_units;
    EXPECT_GE(static_cast<double>(tiles) / static_cast<double>(places), 0.88) << n;
    EXPECT_LE(blocks->m, n / 4) << "and the first one soon";
  }
}

// A tile by integers is 14 products or more.
TEST(DeviceBlocks, ByIntegersAreManyLinesAndKeepTheUnitsBusyWhereCIsNarrow) {
  DeviceLimits limits = large_gpu(plenty);
  limits.max_allocation_bytes = plenty;
  const KernelParams kernel = integers_kernel(limits);
  for (const std::int64_t n : {2048, 4096, 8192}) {
    const auto blocks = device_blocks(problem(n, n, n, Precision::d), kernel, {}, limits);
    ASSERT_TRUE(blocks);
    EXPECT_EQ(blocks->m, 512);
    EXPECT_EQ(blocks->n, n);
  }
  limits.compute_units = 1000;
  const std::int64_t tile = row_tile(kernel), columns = col_tile(kernel);
  const auto narrow =
      device_blocks(problem(100'000, columns, 4096, Precision::d), kernel, {}, limits);
  ASSERT_TRUE(narrow);
  EXPECT_EQ(narrow->m, tile * 72);
}

TEST(DeviceBlocks, LeaveTheShorterOperandWhereItIsAsLongAsItFits) {
  const DeviceLimits limits = limits_of(std::size_t{64} << 20);
  const KernelParams kernel = default_kernel(Precision::s, limits);
  const GemmProblem p = problem(100000, 2000, 2000);  // 800 MB, 16 MB, 800 MB
  const auto blocks = device_blocks(p, kernel, {}, limits);
  ASSERT_TRUE(blocks);
  EXPECT_EQ(blocks->n, 2000);
  EXPECT_EQ(blocks->k, 2000);
  EXPECT_DOUBLE_EQ(traffic_bytes(p, *blocks), 4.0 * (2e8 + 4e6 + 2e8));
}

TEST(DeviceBlocks, StayWithinAnyLimit) {
  std::vector<KernelParams> kernels;
  for (const DeviceLimits& device : {limits_of(plenty), large_gpu(plenty)})
    for (const KernelParams& kernel : kernel_candidates(Precision::d, Op::none, Op::none, device))
      if (std::ranges::find(kernels, kernel) == kernels.end()) kernels.push_back(kernel);
  int found = 0;
  for (const KernelParams& kernel : kernels)
    for (const Precision precision : {Precision::s, Precision::z})
      for (const auto& [m, n, k] : std::vector<std::array<std::int64_t, 3>>{{1, 1, 5000000},
                                                                            {77, 901, 3000},
                                                                            {4001, 4003, 4007},
                                                                            {3, 2000000, 50},
                                                                            {2000000, 3, 50},
                                                                            {1 << 20, 1 << 20, 1}})
        for (const std::size_t memory : {std::size_t{1} << 18, std::size_t{1} << 22, plenty})
          for (const std::size_t allocation : {std::size_t{1} << 17, std::size_t{1} << 30}) {
            DeviceLimits limits = limits_of(memory);
            limits.max_allocation_bytes = allocation;
            limits.max_image_pixels = std::size_t{1} << 20;
            const GemmProblem p = problem(m, n, k, precision);
            const Packing packing{kernel.pack_a, kernel.pack_b};
            const auto blocks = device_blocks(p, kernel, packing, limits);
            if (!blocks) continue;
            ++found;
            EXPECT_GE(std::min({blocks->m, blocks->n, blocks->k}), 1);
            EXPECT_LE(blocks->m, m);
            EXPECT_LE(blocks->n, n);
            EXPECT_LE(blocks->k, k);
            const DeviceBytes bytes = device_bytes(p, *blocks, kernel, packing);
            EXPECT_LE(bytes.total(), memory);
            EXPECT_LE(std::max({bytes.a, bytes.b, bytes.c, bytes.packed_a, bytes.packed_b}),
                      allocation);
            EXPECT_LE(static_cast<std::size_t>(blocks->n) * element_size(precision),
                      most_result_row_bytes);
          }
  EXPECT_GT(found, 200);
}

TEST(DeviceBlocks, AreWithinWhatKernelsCount) {
  const DeviceLimits limits = limits_of(plenty);
  DeviceLimits roomy = limits;
  roomy.max_allocation_bytes = 0;
  const KernelParams kernel = default_kernel(Precision::s, limits);
  const std::int64_t huge = std::int64_t{1} << 33;
  for (const GemmProblem& p : {problem(huge, 1, 1), problem(1, huge, 1), problem(1, 1, huge)}) {
    const auto blocks = device_blocks(p, kernel, {}, roomy);
    ASSERT_TRUE(blocks);
    EXPECT_LE(std::max({blocks->m, blocks->n, blocks->k}), std::int64_t{1} << 30);
  }
}

TEST(DeviceBlocks, AreNoneWhereNotEvenTheSmallestFit) {
  const DeviceLimits limits = limits_of(64);
  const KernelParams kernel = default_kernel(Precision::s, limits);
  EXPECT_FALSE(device_blocks(problem(50, 50, 50), kernel, {true, true}, limits));
}

// 40 GiB of operands and 2 GiB of memory on an H200 (48 TFLOPS in floats, 55 in doubles, 50 GB/s):
// the bus works beside the kernels, and the slower of the two is no more than a quarter slower than
// they.
TEST(DeviceBlocks, BringNoMoreThanABusCanCarryBesideTheSums) {
  const DeviceLimits limits = large_gpu(std::size_t{2} << 30);
  for (const auto& [precision, n, rate] :
       {std::tuple{Precision::s, 59800, 48e12}, {Precision::d, 42300, 55e12}}) {
    const KernelParams kernel = default_kernel(precision, limits);
    const GemmProblem p = problem(n, n, n, precision);
    for (const Packing packing : {Packing{}, Packing{true, true}}) {
      const auto blocks = device_blocks(p, kernel, packing, limits);
      ASSERT_TRUE(blocks);
      EXPECT_LT(traffic_bytes(p, *blocks) / 50e9, 1.25 * flops(p) / rate);
      EXPECT_GE(blocks->k, 1000);
    }
  }
}

TEST(DeviceBlocks, AreAllOfAProductOnlyWhereItsPackedOperandsFitImages) {
  DeviceLimits limits = limits_of(std::size_t{1} << 32);
  const GemmProblem p = problem(64, 1024, 1024, Precision::s);
  KernelParams kernel = default_kernel(Precision::s, limits);
  kernel.pack_b = true;
  DeviceBytes bytes;
  bytes.packed_b = std::size_t{4} << 20;
  limits.max_image_pixels = (bytes.packed_b - 16) / 16;
  EXPECT_TRUE(fits_at_once(p, bytes, kernel, limits));
  kernel.image_b = true;
  EXPECT_FALSE(fits_at_once(p, bytes, kernel, limits));
  limits.max_image_pixels += 1;
  EXPECT_TRUE(fits_at_once(p, bytes, kernel, limits));
}

}  // namespace
}  // namespace duoblas
