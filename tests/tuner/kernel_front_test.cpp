// Which kernels are worth a look together with the CPU side.
#include "tuner/kernel_front.hpp"

#include <gtest/gtest.h>

namespace duoblas {
namespace {

KernelParams kernel(int tile_rows, bool pack_b, int block_k = 384) {
  KernelParams k;
  k.tile_rows = tile_rows;
  k.pack_b = pack_b;
  k.block_k = block_k;
  return k;
}

TEST(DiverseFront, HoldsTheFastestFirstThenOtherWaysToUseMemory) {
  const KernelParams kernels[] = {kernel(6, false), kernel(8, false), kernel(4, false),
                                  kernel(6, true), kernel(6, true, 256)};
  const std::vector<RankedKernel> ranked = {{&kernels[0], 1.00},
                                            {&kernels[1], 1.01},
                                            {&kernels[2], 1.02},
                                            {&kernels[3], 1.10},
                                            {&kernels[4], 1.20}};
  EXPECT_EQ(diverse_places(ranked, 4), (std::vector<std::size_t>{0, 3, 4, 1}));
}

TEST(DiverseFront, HoldsNothingTwiceAndNothingThatIsFarTooSlow) {
  const KernelParams kernels[] = {kernel(6, false), kernel(8, false), kernel(6, true)};
  const std::vector<RankedKernel> ranked = {
      {&kernels[0], 1.0}, {&kernels[1], 1.1}, {&kernels[2], 2.0}};
  EXPECT_EQ(diverse_places(ranked, 6), (std::vector<std::size_t>{0, 1}));
}

TEST(DiverseFront, OfOneIsTheFastest) {
  const KernelParams kernels[] = {kernel(6, false), kernel(6, true)};
  EXPECT_EQ(diverse_places({{&kernels[0], 1.0}, {&kernels[1], 1.0}}, 1),
            std::vector<std::size_t>{0});
}

}  // namespace
}  // namespace duoblas
