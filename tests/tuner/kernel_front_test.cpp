// Which kernels survive the screening.
#include <gtest/gtest.h>

#include "tuner/kernel_screen.hpp"

namespace duoblas {
namespace {

ScreenedKernel screened(double seconds, int tile_rows, bool pack_b, int block_k = 384) {
  ScreenedKernel k;
  k.kernel.tile_rows = tile_rows;
  k.kernel.pack_b = pack_b;
  k.kernel.block_k = block_k;
  k.seconds = seconds;
  return k;
}

TEST(DiverseFront, HoldsTheFastestFirstThenOtherWaysToUseMemory) {
  const std::vector<ScreenedKernel> ranked = {screened(1.00, 6, false), screened(1.01, 8, false),
                                              screened(1.02, 4, false), screened(1.10, 6, true),
                                              screened(1.20, 6, true, 256)};
  const auto front = diverse_front(ranked, 4);
  ASSERT_EQ(front.size(), 4u);
  EXPECT_EQ(front[0].kernel, ranked[0].kernel);
  EXPECT_EQ(front[1].kernel, ranked[3].kernel);
  EXPECT_EQ(front[2].kernel, ranked[4].kernel);
  EXPECT_EQ(front[3].kernel, ranked[1].kernel);
}

TEST(DiverseFront, HoldsNothingTwiceAndNothingThatIsFarTooSlow) {
  const std::vector<ScreenedKernel> ranked = {screened(1.0, 6, false), screened(1.1, 8, false),
                                              screened(2.0, 6, true)};
  const auto front = diverse_front(ranked, 6);
  ASSERT_EQ(front.size(), 2u);
  EXPECT_FALSE(front[0].kernel == front[1].kernel);
}

TEST(DiverseFront, OfOneIsTheFastest) {
  const auto front = diverse_front({screened(1.0, 6, false), screened(1.0, 6, true)}, 1);
  ASSERT_EQ(front.size(), 1u);
  EXPECT_FALSE(front[0].kernel.pack_b);
}

}  // namespace
}  // namespace duoblas
