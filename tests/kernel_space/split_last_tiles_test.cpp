// Which tiles of a product are split along k, and which kernels do so by default.
#include <gtest/gtest.h>

#include "kernel_space/h200_limits.hpp"
#include "kernel_space/kernel_defaults.hpp"
#include "kernel_space/kernel_description.hpp"
#include "kernel_space/kernel_rules.hpp"
#include "kernel_space/last_tiles.hpp"
#include "kernel_space/sized_product.hpp"
#include "kernel_space/tiled_points.hpp"

namespace duoblas {
namespace {

// Of 144, 400 and 576 tiles of 128 x 128 12, 4 and 48 are left; of 256 and 1024 124 and 100, which
// occupy nearly all of 132 units.
TEST(LastTiles, OfDefaultKernelsOnTheDeviceAreSplitWhereThatPays) {
  const auto split = [](std::int64_t n) {
    const KernelParams p =
        built_in_kernel(KernelUse::resident, sized(Precision::d, n, n, n), h200());
    EXPECT_EQ(violated_rule(p, Precision::d, h200()), nullptr) << describe(p);
    const std::int64_t side = 128;
    if (row_tile(p) != side || col_tile(p) != side) return std::int64_t{-1};
    const LastTiles last = last_tiles(p, (n / side) * (n / side), n, h200().compute_units);
    EXPECT_EQ(last.parts > 1, last.tiles > 0);
    return last.tiles;
  };
  EXPECT_EQ(split(1024), -1);
  EXPECT_EQ(split(1536), 12);
  EXPECT_EQ(split(2048), 0);
  EXPECT_EQ(split(2560), 4);
  EXPECT_EQ(split(3072), 48);
  EXPECT_EQ(split(4096), 0);
  for (const Precision precision : all_precisions) {
    const KernelParams p =
        built_in_kernel(KernelUse::resident, sized(precision, 3072, 3072, 3072), h200());
    EXPECT_EQ(p.split_last, !is_complex(precision));
    EXPECT_EQ(built_in_kernel(KernelUse::resident, sized(precision, 2048, 2048, 2048), h200()),
              default_kernel(sized(precision, 2048, 2048), h200()));
    DeviceLimits without_copies = h200();
    without_copies.async_copies = without_copies.fp64_matrix = false;
    EXPECT_FALSE(
        built_in_kernel(KernelUse::resident, sized(precision, 1536, 1536, 1536), without_copies)
            .split_last);
    EXPECT_FALSE(built_in_kernel(KernelUse::call, sized(precision, 1536, 1536), h200()).split_last);
  }
  const KernelParams even =
      built_in_kernel(KernelUse::resident, sized(Precision::d, 1536, 1536, 1536), h200());
  EXPECT_TRUE(kernel_for_odd_rows(even, sized(Precision::d, 1536, 1536), h200()).split_last);
}

TEST(LastTiles, AreWholeWhereThereIsNoRoomForParts) {
  const GemmProblem p = sized(Precision::d, 1536, 1536, 1536);
  const KernelParams even = built_in_kernel(KernelUse::resident, p, h200());
  ASSERT_TRUE(even.split_last);
  for (const bool are_aligned : {true, false})
    for (const bool has_room : {true, false}) {
      const KernelParams kernel = kernel_for_rows(even, p, are_aligned, h200(),
                                                  [&](const KernelParams&) { return has_room; });
      EXPECT_EQ(kernel.split_last, has_room) << describe(kernel);
    }
  EXPECT_EQ(kernel_for_rows(even, p, true, h200(), [](const KernelParams&) { return false; }),
            with_whole_tiles(even));
}

// Their tiles are of another size: those of 64 x 128 of 2112 x 2048 elements fill four rounds.
TEST(LastTiles, OfKernelsForOddRowsAreSplitWhereThatPays) {
  GemmProblem p = sized(Precision::d, 2112, 2048);
  KernelParams even =
      built_in_kernel(KernelUse::resident, sized(Precision::d, 1536, 1536, 1536), h200());
  ASSERT_TRUE(even.split_last);
  const auto no_packing = [](const KernelParams& kernel) { return !kernel.pack_a; };
  const auto odd = [&] { return kernel_for_rows(even, p, false, h200(), no_packing); };
  ASSERT_EQ(row_tile(odd()), 64);
  EXPECT_FALSE(odd().split_last);
  p.m = 2200;
  EXPECT_TRUE(odd().split_last);
}

// 64 work-items add the parts of as many elements.
TEST(LastTiles, AreOfWholeGroupsThatAddTheirParts) {
  KernelParams kernel = least_tiled();
  kernel.split_last = true;
  for (const int side : {4, 8}) {
    kernel.group_rows = kernel.group_cols = side;
    for (const int columns : {1, 2, 3, 4}) {
      kernel.tile_cols = columns;
      EXPECT_EQ(violated_static_rule(kernel) == nullptr, side * side * columns % 64 == 0)
          << describe(kernel);
    }
  }
}

// Parts are of whole slices, and no more than int counts; kernels without the switch split none.
TEST(LastTiles, AreFewerThanUnits) {
  KernelParams kernel =
      built_in_kernel(KernelUse::resident, sized(Precision::d, 1536, 1536, 1536), h200());
  ASSERT_TRUE(kernel.split_last);
  for (const std::int64_t tiles : {1, 5, 131, 132, 133, 264, 300, 1000})
    for (const std::int64_t k : {1, 100, 1000, 100000}) {
      const LastTiles last = last_tiles(kernel, tiles, k, 132);
      EXPECT_TRUE(last.tiles == 0 || last.tiles == tiles % 132) << tiles << ", " << k;
      EXPECT_LE(last.parts * kernel.k_unroll, k);
      EXPECT_LE(rounds_of(kernel, tiles, k, 132), static_cast<double>((tiles + 131) / 132));
      EXPECT_EQ(last_tiles(with_whole_tiles(kernel), tiles, k, 132).tiles, 0);
    }
  EXPECT_GT(last_tiles(kernel, 133, 4096, 132).parts, 30);
}

}  // namespace
}  // namespace duoblas
