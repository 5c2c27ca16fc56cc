// Which fields of a kernel matter, and the form in which others are left out.
#include "kernel_space/canonical_kernel.hpp"

#include <gtest/gtest.h>

#include "tests/kernel_space/changed_kernel.hpp"

namespace duoblas {
namespace {

using test::all_changed;

TEST(CanonicalKernel, KeepsWhatItsFamilyUsesAndNothingElse) {
  KernelParams panel = all_changed();
  panel.family = KernelFamily::panel;
  EXPECT_EQ(canonical(panel).block_k, panel.block_k);
  EXPECT_EQ(canonical(panel).group_rows, KernelParams{}.group_rows);
  KernelParams tiled = all_changed();
  EXPECT_EQ(canonical(tiled).block_k, KernelParams{}.block_k);
  EXPECT_EQ(canonical(tiled).group_rows, tiled.group_rows);
}

TEST(CanonicalKernel, KeepsNothingThatOtherFieldsMakeMeaningless) {
  KernelParams direct;
  direct.family = KernelFamily::tiled;
  direct.prefetch = 4;
  direct.async_copy = true;
  EXPECT_EQ(canonical(direct).prefetch, KernelParams{}.prefetch);
  EXPECT_FALSE(canonical(direct).async_copy);
  direct.local_b = true;
  EXPECT_EQ(canonical(direct), direct);

  KernelParams by_matrix = direct;
  by_matrix.matrix = MatrixUnit::fp64;
  by_matrix.assignment = Assignment::patch_offset;
  by_matrix.lane_order = LaneOrder::patch_4x8;
  by_matrix.multiply_add = MultiplyAdd::mad;
  KernelParams expected = direct;
  expected.matrix = MatrixUnit::fp64;
  expected.vector_width = 2;
  EXPECT_EQ(canonical(by_matrix), expected);
  by_matrix.vector_width_m = 4;
  EXPECT_EQ(canonical(by_matrix), expected);
}

// Two ways to say the same, of which one is a kernel of before there was the field.
TEST(CanonicalKernel, SaysAWidthAlongMOnlyWhereItIsAnotherThanAlongN) {
  KernelParams p;
  p.family = KernelFamily::tiled;
  const KernelParams before = canonical(p);
  p.vector_width_m = p.vector_width;
  EXPECT_EQ(canonical(p), before);
  p.vector_width_m = 2;
  EXPECT_EQ(canonical(p).vector_width_m, 2);
  p.family = KernelFamily::panel;
  EXPECT_EQ(canonical(p).vector_width_m, 0) << "a panel kernel reads single numbers of A";
}

}  // namespace
}  // namespace duoblas
