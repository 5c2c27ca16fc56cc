// Large products in shared memory: in blocks, of which little is kept or packed at a time.
#include "gpu/product/in_place.hpp"

#include <algorithm>

#include "gpu/gpu_side.hpp"
#include "gpu/side_front.hpp"
#include "kernel_space/kernel_defaults.hpp"
#include "support/packing_kernel.hpp"
#include "support/turns.hpp"

namespace duoblas {
namespace {

using test::CaseFactors;
using test::expect_right;
using test::side_front;

GemmProblem problem(std::int64_t m, std::int64_t n, std::int64_t k, double beta) {
  GemmProblem p;
  p.m = m;
  p.n = n;
  p.k = k;
  p.beta = beta;
  return p;
}

DeviceLimits limits_of(std::size_t memory_bytes) {
  DeviceLimits limits;
  limits.is_cpu = true;
  limits.memory_bytes = memory_bytes;
  limits.max_allocation_bytes = std::size_t{1} << 32;
  return limits;
}

constexpr std::size_t plenty = std::size_t{1} << 40;

TEST(InPlaceBlocks, AreNoneWhereLittleIsKeptAndPacked) {
  KernelParams kernel;
  kernel.pack_a = kernel.pack_b = true;
  EXPECT_FALSE(in_place_blocks(problem(500, 500, 2000, 1), kernel, limits_of(plenty)));
  EXPECT_FALSE(in_place_blocks(problem(20000, 20000, 100, 0), kernel, limits_of(plenty)));
}

TEST(InPlaceBlocks, BoundWhatIsKeptOfC) {
  const KernelParams kernel;
  const auto blocks = in_place_blocks(problem(20000, 1000, 10, 1), kernel, limits_of(plenty));
  ASSERT_TRUE(blocks);
  EXPECT_LE(static_cast<std::size_t>(blocks->m * blocks->n) * 4, saved_bytes);
  EXPECT_GT(static_cast<std::size_t>(blocks->m * blocks->n) * 4, saved_bytes / 2);
  EXPECT_EQ(blocks->m % row_tile(kernel), 0);
}

TEST(InPlaceBlocks, KeepEveryComputeUnitAtWork) {
  const KernelParams kernel;
  DeviceLimits limits = limits_of(plenty);
  limits.compute_units = 64;
  const std::int64_t n = 10 * col_tile(kernel);
  const auto blocks = in_place_blocks(problem(20000, n, 10, 1), kernel, limits);
  ASSERT_TRUE(blocks);
  const std::int64_t tiles = blocks->m / row_tile(kernel) * 10;
  EXPECT_GE(static_cast<double>(tiles) / static_cast<double>((tiles + 63) / 64 * 64), 0.9);
}

// 9 lines of 50 tiles keep 240 units at work, 5 do not: 10 lines are done in 3 rounds, or in 4.
TEST(InPlaceBlocks, KeepEveryComputeUnitAtWorkThoughTheLastOneIsSmall) {
  KernelParams kernel;
  kernel.family = KernelFamily::tiled;
  kernel.tile_rows = kernel.tile_cols = 4;
  kernel.group_rows = kernel.group_cols = 8;
  DeviceLimits limits = limits_of(plenty);
  limits.compute_units = 240;
  GemmProblem p = problem(10 * row_tile(kernel), 50 * col_tile(kernel), 10, 1);
  p.precision = Precision::z;
  const auto blocks = in_place_blocks(p, kernel, limits);
  ASSERT_TRUE(blocks);
  EXPECT_EQ(blocks->m, 9 * row_tile(kernel));
}

KernelParams panel_kernel() {
  KernelParams kernel;
  kernel.family = KernelFamily::panel;
  kernel.pack_b = true;
  kernel.block_m = 128;
  return kernel;
}

// A panel of B is read for each block of rows again.
TEST(InPlaceBlocks, OfAWideCHaveRowsForAPanelOfB) {
  const KernelParams kernel = panel_kernel();
  const auto blocks = in_place_blocks(problem(1088, 20000, 256, 1), kernel, limits_of(plenty));
  ASSERT_TRUE(blocks);
  EXPECT_GE(blocks->m, 120);  // whole tiles
  EXPECT_LT(blocks->n, 20000 / 4);
  EXPECT_LE(static_cast<std::size_t>(blocks->m * blocks->n) * 4, saved_bytes);
}

TEST(InPlaceBlocks, KeepAsMuchForEachCoreOfAPanelKernel) {
  DeviceLimits limits = limits_of(plenty);
  limits.compute_units = 8;
  const auto blocks = in_place_blocks(problem(4000, 4000, 256, 1), panel_kernel(), limits);
  ASSERT_TRUE(blocks);
  const std::size_t bytes = static_cast<std::size_t>(blocks->m * blocks->n) * 4;
  EXPECT_LE(bytes, 8 * saved_bytes);
  EXPECT_GT(bytes, 4 * saved_bytes);
}

TEST(InPlaceBlocks, KeepNoMoreOfAWideCForManyUnits) {
  KernelParams kernel;
  DeviceLimits limits = limits_of(plenty);
  limits.compute_units = 128;
  const std::int64_t n = 129 * col_tile(kernel);
  const auto blocks = in_place_blocks(problem(20000, n, 10, 1), kernel, limits);
  ASSERT_TRUE(blocks);
  EXPECT_LE(static_cast<std::size_t>(blocks->m * n) * 4, in_place_bytes);
}

TEST(InPlaceBlocks, BoundWhatIsPacked) {
  KernelParams kernel;
  kernel.pack_a = kernel.pack_b = true;
  for (const std::size_t memory : {plenty, std::size_t{3} << 20}) {
    const GemmProblem p = problem(9000, 9000, 9000, 0);
    const auto blocks = in_place_blocks(p, kernel, limits_of(memory));
    ASSERT_TRUE(blocks);
    const DeviceBytes bytes = device_bytes(p, *blocks, kernel, {true, true});
    EXPECT_LE(std::max(bytes.packed_a, bytes.packed_b), in_place_bytes);
    EXPECT_LE(bytes.packed_a + bytes.packed_b, memory);
  }
}

TEST(InPlaceBlocks, AreNoneWhereNotEvenATileFits) {
  KernelParams kernel;
  kernel.pack_a = kernel.pack_b = true;
  EXPECT_FALSE(in_place_blocks(problem(9000, 9000, 90000, 0), kernel, limits_of(1 << 20)));
}

template <typename T>
struct InPlaceOf : testing::Test {};
using ElementTypes = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(InPlaceOf, ElementTypes);

// A limit makes small products take the way of large ones.
TYPED_TEST(InPlaceOf, MultipliesInBlocksOfRowsAndColumns) {
  static auto& side = *new GpuSide(test::first_device(), {}, false, std::size_t{300} << 10);
  for (const bool packs : {false, true})
    for (const Op op_a : {Op::none, Op::conj_transpose})
      for (const Op op_b : {Op::none, Op::transpose}) {
        if (!test::has_turn(precision_of<TypeParam>,
                            packs + (op_a != Op::none) + (op_b != Op::none)))
          continue;
        for (const double beta : {0.0, -0.7}) {
          CaseFactors factors;
          factors.layout = Layout::row_major;
          factors.op_a = op_a;
          factors.op_b = op_b;
          factors.m = 311;
          factors.n = 607;
          factors.k = 69;
          factors.pad = 3;
          factors.offset = 1;
          factors.alpha = 0.5;
          factors.beta = beta;
          expect_right<TypeParam>(factors, [&](const test::Call<TypeParam>& call, TypeParam* c,
                                               std::int64_t ldc) {
            const KernelParams kernel =
                test::packing_kernel(precision_of<TypeParam>, side.limits(), packs, packs);
            side.submit(test::problem_of(call, c, ldc), kernel, SharingMode::host_pointer).wait();
          });
        }
      }
}

// C has 40 MB: its old values are kept in two parts.
TEST(InPlace, KeepsOldValuesInParts) {
  constexpr std::int64_t m = 5000, n = 2000, k = 3;
  GpuSide side(test::first_device(), {});
  std::vector<float> a(m * k, 1), b(k * n, 1), c(m * n, 2);
  const GemmProblem p = {.precision = Precision::s,
                         .m = m,
                         .n = n,
                         .k = k,
                         .a = a.data(),
                         .lda = k,
                         .b = b.data(),
                         .ldb = n,
                         .beta = 3,
                         .c = c.data(),
                         .ldc = n};
  const KernelParams kernel = default_kernel(Precision::s, side.limits());
  EXPECT_EQ(in_place_blocks(p, kernel, side.limits()).has_value(), true);
  side.submit(p, kernel, SharingMode::host_pointer).wait();
  EXPECT_EQ(c, std::vector<float>(m * n, 9));
  if (side.sharing().granularity() == 1) {
    EXPECT_EQ(side.copied().saved, c.size() * sizeof(float));
    EXPECT_EQ(side.copied().staged, 0u);
  }
}

}  // namespace
}  // namespace duoblas
