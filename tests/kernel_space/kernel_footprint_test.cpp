// Estimates of a kernel's registers, local memory and code.
#include "kernel_space/kernel_footprint.hpp"

#include <gtest/gtest.h>

#include "kernel_space/tiled_points.hpp"
#include "support/wide_kernels.hpp"

namespace duoblas {
namespace {

// 128 x 128 elements per group of 256, slices of 16 steps.
KernelParams tiled() {
  KernelParams p;
  p.family = KernelFamily::tiled;
  p.tile_rows = p.tile_cols = 8;
  p.vector_width = 4;
  p.group_rows = p.group_cols = 16;
  p.k_unroll = 16;
  p.local_a = p.local_b = true;
  return p;
}

KernelParams packed_copies() {
  KernelParams p = tiled();
  p.pack_a = p.pack_b = p.async_copy = true;
  return p;
}

KernelParams matrix(MatrixUnit unit) {
  KernelParams p = packed_copies();
  p.matrix = unit;
  return p;
}

TEST(LocalBytes, HoldOneSliceMoreThanAreOnTheirWay) {
  KernelParams p = packed_copies();
  for (const int prefetch : {0, 1, 2, 6}) {
    p.prefetch = prefetch;
    EXPECT_EQ(local_bytes(p, Precision::s), (prefetch + 1) * 16 * (128 + 128) * 4);
  }
}

TEST(LocalBytes, HoldAGroupsNumberWhereLastTilesAreSplit) {
  KernelParams p = packed_copies();
  const std::int64_t whole = local_bytes(p, Precision::d);
  p.split_last = true;
  EXPECT_EQ(local_bytes(p, Precision::d), whole + 4);
}

TEST(LocalBytes, PadOnlyLinesThatMayBeTransposed) {
  KernelParams p = tiled();
  p.prefetch = 0;
  EXPECT_EQ(local_bytes(p, Precision::s), 16 * (132 + 132) * 4);
  p.pack_a = true;
  EXPECT_EQ(local_bytes(p, Precision::s), 16 * (128 + 132) * 4);
}

// So that vectors of both widths start at multiples of themselves.
TEST(LocalBytes, PadByTheWiderOfBothVectorsAndHoldWholeOnes) {
  KernelParams p = tiled();
  p.prefetch = 0;
  p.vector_width_m = 8;
  EXPECT_EQ(local_bytes(p, Precision::s), 16 * (136 + 136) * 4);
  p.vector_width_m = 1;
  EXPECT_EQ(local_bytes(p, Precision::s), 16 * (132 + 132) * 4);
  p.tile_rows = p.group_rows = 1;  // a line of A is one element: 3 steps take a vector of 4
  p.k_unroll = 3;
  p.pack_a = p.pack_b = true;
  EXPECT_EQ(local_bytes(p, Precision::s), (4 + 3 * 128) * 4);
}

TEST(LocalBytes, PadTurnedSlabsOfMatrixInstructionsBy32Bytes) {
  KernelParams p = matrix(MatrixUnit::fp64);
  EXPECT_EQ(local_bytes(p, Precision::d), 2 * 16 * (128 + 128) * 8);
  p.pack_b = false;
  EXPECT_EQ(local_bytes(p, Precision::d), 2 * 16 * (128 + 128 + 4) * 8);
}

TEST(LiveWords, CountSumsFragmentsAndWhatWaitsInRegisters) {
  KernelParams p = tiled();  // 8 elements of each slice per work-item
  EXPECT_EQ(live_words(p, Precision::s), 64 + 16 + 8 + 8);
  EXPECT_EQ(live_words(p, Precision::d), 2 * (64 + 16 + 8 + 8));
  p.fragments = true;
  EXPECT_EQ(live_words(p, Precision::s), 64 + 2 * 16 + 8 + 8);
}

TEST(LiveWords, CountNothingThatAsynchronousCopiesBring) {
  KernelParams p = packed_copies();
  EXPECT_EQ(live_words(p, Precision::s), 64 + 16);
  p.pack_b = false;  // goes through registers with some ops
  EXPECT_EQ(live_words(p, Precision::s), 64 + 16 + 8);
}

TEST(LiveWords, Count16BytesOfEachLineForMatrixInstructions) {
  // 8 rows and, of 8 columns, 4 blocks.
  EXPECT_EQ(live_words(matrix(MatrixUnit::tf32x3), Precision::s), 64 + (8 + 4) * 4);
  EXPECT_EQ(live_words(matrix(MatrixUnit::fp64), Precision::d), 2 * (64 + (8 + 4) * 2));
}

// 128 x 128 by 256 work-items, 32 steps of high and low parts in each of 3 slots.
TEST(WideKernels, HoldSumsOfOneSliceBesideTheOthersAndPartsOfBothOperands) {
  const KernelParams p = wide_tf32x3();
  EXPECT_EQ(live_words(p, Precision::s), 64 + 64);
  EXPECT_EQ(local_bytes(p, Precision::s), 3 * (2 * 128 * 32 * 8 + 16));
}

TEST(LiveWords, CountTheSharedRowsOfAShuffle) {
  KernelParams p = tiled();
  p.local_a = false;
  const int before = live_words(p, Precision::s);
  p.shuffle = true;
  EXPECT_EQ(live_words(p, Precision::s), before + 8);
}

TEST(StepsPerTurn, AreASlabOf64BytesForMatrixInstructions) {
  EXPECT_EQ(steps_per_turn(tiled(), Precision::s), 1);
  EXPECT_EQ(steps_per_turn(matrix(MatrixUnit::fp64), Precision::d), 8);
  EXPECT_EQ(steps_per_turn(matrix(MatrixUnit::tf32x3), Precision::s), 16);
}

TEST(CodeLength, GrowsWithSumsStepsAndOperandsThatAreNotInLocalMemory) {
  KernelParams p = tiled();
  EXPECT_EQ(unrolled_madds(p, Precision::s), 64 * 16);
  EXPECT_EQ(code_length(p, Precision::s), 64 * 16 / 4 + 2 * 64);
  EXPECT_EQ(code_length(p, Precision::c), 4 * 64 * 16 / 4 + 2 * 2 * 64);
  p.local_a = false;
  EXPECT_EQ(code_length(p, Precision::s), 64 * 16 / 4 + 2 * 64 + 8 * 16);
}

}  // namespace
}  // namespace duoblas
