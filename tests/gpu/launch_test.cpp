// Index ranges and packed buffers of launches.
#include "gpu/kernels/launch.hpp"

#include <gtest/gtest.h>

#include <duoblas/error.hpp>

#include <limits>

#include "kernel_space/kernel_defaults.hpp"
#include "kernel_space/tiled_points.hpp"
#include "support/wide_kernels.hpp"

namespace duoblas {
namespace {

KernelVariant panel() {
  KernelVariant v;
  v.params.tile_rows = 6;
  v.params.tile_cols = 64;
  v.params.vector_width = 16;
  v.params.block_m = 192;
  v.params.block_n = 256;
  return v;
}

KernelVariant tiled() {
  KernelVariant v;
  v.params.family = KernelFamily::tiled;
  v.params.tile_rows = v.params.tile_cols = 4;
  v.params.group_rows = 8;
  v.params.group_cols = 16;
  v.params.k_unroll = 8;
  return v;
}

using Extent = std::array<std::size_t, 2>;

TEST(PanelLaunch, HasOneGroupPerBlock) {
  const Launch l = launch(panel(), 1000, 1000, 1000);
  EXPECT_EQ(l.product.global, (Extent{6, 4}));
  EXPECT_EQ(l.product.local, (Extent{1, 1}));
}

TEST(PanelLaunch, KeepsEveryComputeUnitBusyWhereThereAreTiles) {
  EXPECT_EQ(launch(panel(), 192, 256, 64, {8}).product.global, (Extent{8, 1}));
  EXPECT_EQ(launch(panel(), 12, 64, 64, {8}).product.global, (Extent{2, 1}));
  EXPECT_EQ(launch(panel(), 1, 1, 1, {8}).product.global, (Extent{1, 1}));
}

// By one group per block there would be nine: seven units would wait for the last.
TEST(PanelLaunch, GivesAllComputeUnitsAboutAsMuch) {
  EXPECT_EQ(launch(panel(), 144, 768, 64, {8}).product.global, (Extent{8, 3}));
  EXPECT_EQ(launch(panel(), 2048, 576, 64, {8}).product.global, (Extent{16, 3})) << "9 tiles";
  EXPECT_EQ(launch(panel(), 144, 768, 64, {2}).product.global, (Extent{2, 3}));
}

// A step of k is a turn at least, so that groups of more tiles would go round too often.
TEST(PanelLaunch, SpreadsTilesOverGroupsWhereTheDeviceLeavesLongLoops) {
  constexpr std::int64_t most = 60000;
  for (const std::int64_t k : {1, 40, 1000, 4000}) {
    const auto [rows, cols] = launch(panel(), 3000, 5000, k, {1, most}).product.global;
    const auto tiles =
        static_cast<std::int64_t>(((500 + rows - 1) / rows) * ((79 + cols - 1) / cols));
    EXPECT_LE(tiles * k / panel().params.k_unroll, most) << k;
    EXPECT_GE(rows * cols, launch(panel(), 3000, 5000, k).product.global[0]) << k;
  }
  EXPECT_EQ(launch(panel(), 30, 60, 8, {1, most}).product.global, (Extent{1, 1}));
}

TEST(Launch, IsRefusedWhereOneTileTakesTooManyTurns) {
  EXPECT_THROW(launch(panel(), 6, 64, 100000, {1, 60000}), DeviceError);
  EXPECT_THROW(launch(tiled(), 32, 64, 1000000, {1, 60000}), DeviceError);
  EXPECT_NO_THROW(launch(tiled(), 32, 64, 1000, {1, 60000}));
  EXPECT_NO_THROW(launch(tiled(), 32, 64, 1000000));
}

TEST(TiledLaunch, HasOneGroupPerTileOfC) {
  const Launch l = launch(tiled(), 33, 65, 10);
  EXPECT_EQ(l.product.local, (Extent{128, 1}));
  EXPECT_EQ(l.product.global, (Extent{2 * 128, 2}));
}

TEST(Launch, AsksForPackedBuffersOfWholeTiles) {
  KernelVariant v = panel();
  EXPECT_EQ(launch(v, 7, 65, 10).packed_a_bytes, 0u);
  v.params.pack_a = v.params.pack_b = true;
  Launch l = launch(v, 7, 65, 10);
  EXPECT_TRUE(l.packs_a && l.packs_b);
  EXPECT_EQ(l.packed_a_bytes, 12u * 10 * 4);
  EXPECT_EQ(l.packed_b_bytes, 128u * 10 * 4);
  v = tiled();
  v.precision = Precision::z;
  v.params.pack_b = true;
  l = launch(v, 7, 65, 10);
  EXPECT_EQ(l.packed_a_bytes, 0u);
  EXPECT_EQ(l.packed_b_bytes, 128u * 16 * 16) << "k is rounded up to slices of 8";
}

// Tiles of 128 x 128, slices of 32 steps, a high and a low part of each number.
TEST(Launch, OfAWideProductPacksTwoPartsOfEachNumber) {
  const KernelVariant v{wide_tf32x3(), Precision::s};
  const Launch l = launch(v, 129, 65, 33);
  EXPECT_TRUE(l.packs_a && l.packs_b);
  EXPECT_EQ(l.packed_a_bytes, 256u * 64 * 8);
  EXPECT_EQ(l.packed_b_bytes, 128u * 64 * 8);
  EXPECT_EQ(l.product.local, (Extent{256, 1}));
  EXPECT_EQ(l.product.global, (Extent{256, 2}));
  EXPECT_EQ(l.pack_a.global, (Extent{256, 2 * 4}));
  EXPECT_EQ(packed_depth_a(v.params, 33), 2 * 64);
  EXPECT_EQ(packed_depth_b(v.params, 33), 2 * 64);
}

// A row of A has 66 numbers, in 3 slices of 32; 65 columns are 130 lines, in 2 tiles of 128.
TEST(Launch, OfAWideComplexProductIsOfRealNumbers) {
  const KernelVariant v{wide_tf32x3(Precision::c), Precision::c};
  const Launch l = launch(v, 129, 65, 33);
  EXPECT_EQ(l.packed_a_bytes, 256u * 96 * 8);
  EXPECT_EQ(l.packed_b_bytes, 256u * 96 * 8);
  EXPECT_EQ(l.product.global, (Extent{2 * 256, 2}));
  EXPECT_EQ(packed_depth_a(v.params, 33) * 8, 96 * 8);
  EXPECT_EQ(packed_depth_b(v.params, 33) * 8, 2 * 96 * 8) << "a column is two";
}

// n = 65 are 130 numbers, in 3 tiles of 64; k = 10 are 20, in 3 slices of 8.
TEST(Launch, OfAComplexProductAsARealOneIsTwiceAsWideAndDeep) {
  KernelVariant v = tiled();
  v.precision = Precision::z;
  v.params.pack_a = v.params.pack_b = v.params.as_real = true;
  const Launch l = launch(v, 33, 65, 10);
  EXPECT_EQ(l.product.global, (Extent{3 * 128, 2}));
  EXPECT_EQ(l.packed_a_bytes, 64u * 24 * 8);
  EXPECT_EQ(l.packed_b_bytes, 192u * 24 * 8);
  EXPECT_EQ(col_tile(v.params), 32);
  EXPECT_EQ(packed_depth_a(v.params, 10) * 16, 24 * 8);
  EXPECT_EQ(packed_depth_b(v.params, 10) * 16, 2 * 24 * 8) << "a column is two";
}

TEST(Launch, MakesGlobalRangesMultiplesOfLocalOnes) {
  for (KernelVariant v : {panel(), tiled()}) {
    v.params.pack_a = v.params.pack_b = true;
    for (const int extent : {1, 15, 16, 17, 300}) {
      const Launch l = launch(v, extent, extent + 1, extent + 2);
      for (const cl::Range& range : {l.product, l.pack_a, l.pack_b})
        for (const std::size_t d : {0, 1}) EXPECT_EQ(range.global[d] % range.local[d], 0u);
    }
  }
}

// The kernels' own constants, which the launch repeats.
TEST(Launch, AgreesWithTheKernelsOnThePackingGrid) {
  const std::string panel_text = kernel_source(panel().params, "");
  EXPECT_NE(panel_text.find("#define PACK_STEPS 64\n"), std::string::npos);
  const std::string tiled_text = kernel_source(tiled().params, "");
  EXPECT_NE(tiled_text.find("#define PACK_EDGE 32\n"), std::string::npos);
  EXPECT_NE(tiled_text.find("#define PACK_ROWS 4\n"), std::string::npos);
}

TEST(Launch, RefusesSizesWhoseTilesOverflowTheKernelsIntegers) {
  const int most = std::numeric_limits<int>::max();
  EXPECT_THROW(launch(panel(), most, 1, 1), DeviceError);
  EXPECT_THROW(launch(tiled(), 1, most, 1), DeviceError);
  EXPECT_THROW(launch(tiled(), 1, 1, most), DeviceError);
  EXPECT_NO_THROW(launch(panel(), most - 4096, 1, 1));
  // What would be 5 in 32 bits.
  constexpr std::int64_t five_more = (std::int64_t{1} << 32) + 5;
  EXPECT_THROW(launch(panel(), five_more, 1, 1), DeviceError);
  EXPECT_THROW(launch(tiled(), 1, five_more, 1), DeviceError);
  EXPECT_THROW(launch(tiled(), 1, 1, five_more), DeviceError);
}

}  // namespace
}  // namespace duoblas
