// A kernel as one line, in both directions.
#include "kernel_space/kernel_description.hpp"

#include <gtest/gtest.h>

#include <random>

#include <duoblas/error.hpp>

#include "kernel_space/canonical_kernel.hpp"
#include "kernel_space/tiled_points.hpp"
#include "support/wide_kernels.hpp"
#include "tests/kernel_space/changed_kernel.hpp"

namespace duoblas {
namespace {

using test::all_changed;

TEST(KernelDescription, TellsKernelsApartThatDifferInOneField) {
  for (const KernelFamily family : {KernelFamily::panel, KernelFamily::tiled}) {
    KernelParams base;
    base.family = family;
    for (const KernelField& field : kernel_fields()) {
      KernelParams other = base;
      field.set(other, field.get(all_changed()));
      if (canonical(other) == canonical(base)) continue;
      EXPECT_NE(describe(other), describe(base)) << field.name;
    }
  }
}

// What is in tables and logs of earlier libraries.
TEST(KernelDescription, ReadsAsItAlwaysDid) {
  EXPECT_EQ(describe({}), "panel 6x16 v4 192x256x384");
  KernelParams panel;
  panel.k_unroll = 4;
  panel.pack_b = true;
  EXPECT_EQ(describe(panel), "panel 6x16 v4 192x256x384 u4 packB");
  KernelParams tiled;
  tiled.family = KernelFamily::tiled;
  EXPECT_EQ(describe(tiled), "tiled 6x16 v4 wg1x1 k1 as10");
  tiled.local_a = true;
  tiled.prefetch = 0;
  EXPECT_EQ(describe(tiled), "tiled 6x16 v4 wg1x1 k1 localA pre0 as10");
  // Every field that there was.
  KernelParams all = from_fields(
      {{"assignment", 0},   {"async_copy", 1},   {"block_k", 24},        {"block_m", 32},
       {"block_n", 48},     {"family", 1},       {"fragments", 1},       {"group_cols", 4},
       {"group_depth", 2},  {"group_rows", 8},   {"image_a", 1},         {"image_b", 1},
       {"inline_sizes", 1}, {"k_split", 2},      {"k_unroll", 16},       {"lane_order", 4},
       {"local_a", 1},      {"local_b", 1},      {"loop_order", 1},      {"madd_order", 2},
       {"matrix", 1},       {"multiply_add", 1}, {"pack_a", 1},          {"pack_b", 1},
       {"prefetch", 3},     {"raster", 8},       {"resident_groups", 5}, {"shuffle", 1},
       {"tile_cols", 12},   {"tile_rows", 10},   {"vector_width", 2}});
  EXPECT_EQ(describe(all),
            "tiled 10x12 v2 wg8x4x2 k16 fp64-matrix localA localB imageA imageB shuffle async3 "
            "frag order2 raster8 fit5 packA packB alongM split2 inline plain");
  all.matrix = MatrixUnit::none;
  EXPECT_EQ(describe(all),
            "tiled 10x12 v2 wg8x4x2 k16 localA localB imageA imageB shuffle async3 frag as04 "
            "order2 raster8 fit5 packA packB alongM split2 inline plain");
  all.compiler_level = 2;
  EXPECT_TRUE(describe(all).ends_with(" plain level2")) << describe(all);
  KernelParams one_sided = all;
  one_sided.vector_width_m = 1;
  EXPECT_TRUE(describe(one_sided).starts_with("tiled 10x12 v2m1 wg8")) << describe(one_sided);
  EXPECT_EQ(describe(wide_tf32x3()),
            "tiled 2x32 v2 wg64x4 k32 tf32x3 wide localA localB async2 raster8 packA packB");
  all.family = KernelFamily::panel;
  EXPECT_EQ(describe(all), "panel 10x12 v2 32x48x24 u16 packA packB alongM split2 inline plain");
}

TEST(KernelDescription, IsReadBackAsTheKernelThatItIsOf) {
  std::mt19937 random(51);
  for (int i = 0; i < 2000; ++i) {
    KernelParams drawn;
    for (const KernelField& field : kernel_fields())
      field.set(drawn, field.values[random() % field.values.size()]);
    const KernelParams kernel = canonical(drawn);
    EXPECT_EQ(to_fields(kernel_from(describe(kernel))), to_fields(kernel)) << describe(kernel);
  }
}

TEST(KernelDescription, IsRefusedWithWhatIsNoKernel) {
  for (const char* text : {"", "tiled", "tiled 8x8 v4", "tiled 7q", "panel 6x16 v4 192x256x384 ",
                           "tiled 8x8 v4 wg16x16 k16 packB packA"})
    EXPECT_THROW(kernel_from(text), SettingError) << text;
}

}  // namespace
}  // namespace duoblas
