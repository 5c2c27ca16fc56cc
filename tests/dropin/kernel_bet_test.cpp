#include "dropin/engine/kernel_bet.hpp"

#include <gtest/gtest.h>

namespace duoblas {
namespace {

TEST(AKernelBet, PaysOnceCallsMissedWhatABuildTakes) {
  KernelBet bet;
  int calls = 0;
  while (!bet.pays(0.0625, 0.5)) ++calls;
  EXPECT_EQ(calls, 7) << "20 ms, and eight times 62.5";
  calls = 0;
  while (!bet.pays(0.0625, 0.5)) ++calls;
  EXPECT_EQ(calls, 7) << "what a build takes is spent";
}

TEST(AKernelBet, PaysAtOnceWhereABuildTakesLittle) {
  KernelBet bet;
  EXPECT_TRUE(bet.pays(0, build_cost(false, 16)));
}

TEST(AKernelBet, NeverPaysWhereNothingIsMissed) {
  KernelBet bet;
  for (int i = 0; i < 1000; ++i) ASSERT_FALSE(bet.pays(0, build_cost(true, 2)));
}

TEST(BuildCost, IsThatOfOneCore) {
  EXPECT_DOUBLE_EQ(build_cost(true, 2), 0.35);
  EXPECT_DOUBLE_EQ(build_cost(true, 1), 0.7);
  EXPECT_DOUBLE_EQ(build_cost(true, 0), 0.7);
}

}  // namespace
}  // namespace duoblas
