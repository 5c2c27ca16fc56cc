#include "engine/build_policy.hpp"

#include <gtest/gtest.h>

namespace duoblas {
namespace {

TEST(ABuildPolicy, PaysOnceCallsMissedWhatABuildTakes) {
  BuildPolicy policy;
  int calls = 0;
  while (!policy.pays(0.0625, 0.5)) ++calls;
  EXPECT_EQ(calls, 7) << "20 ms, and eight times 62.5";
  calls = 0;
  while (!policy.pays(0.0625, 0.5)) ++calls;
  EXPECT_EQ(calls, 7) << "what a build takes is spent";
}

TEST(ABuildPolicy, PaysAtOnceWhereABuildTakesLittle) {
  BuildPolicy policy;
  EXPECT_TRUE(policy.pays(0, build_cost(false, 16)));
}

TEST(ABuildPolicy, NeverPaysWhereNothingIsMissed) {
  BuildPolicy policy;
  for (int i = 0; i < 1000; ++i) ASSERT_FALSE(policy.pays(0, build_cost(true, 2)));
}

TEST(BuildCost, IsTheTimeOfOneCoreOverTheirNumber) {
  EXPECT_DOUBLE_EQ(build_cost(true, 2), 0.35);
  EXPECT_DOUBLE_EQ(build_cost(true, 1), 0.7);
  EXPECT_DOUBLE_EQ(build_cost(true, 0), 0.7);
}

}  // namespace
}  // namespace duoblas
