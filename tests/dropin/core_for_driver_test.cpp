// When calls leave a core to a driver that is being started.
#include "dropin/engine/device_start.hpp"

#include <gtest/gtest.h>

namespace duoblas {
namespace {

double cube_flops(double n) {
  return 2 * n * n * n;
}

TEST(ACoreForTheDriver, IsSparedByShortCallsThatUseEveryCore) {
  EXPECT_TRUE(is_worth_a_core(cube_flops(1200), 16, 16, 0, 0.3));
  EXPECT_TRUE(is_worth_a_core(cube_flops(1200), 32, 16, 0, 0.3)) << "two threads on each";
}

TEST(ACoreForTheDriver, IsThereWhereTheProgramLeavesOne) {
  EXPECT_FALSE(is_worth_a_core(cube_flops(1200), 15, 16, 0, 0.3));
  EXPECT_FALSE(is_worth_a_core(cube_flops(1200), 0, 16, 0, 0.3)) << "it does not say";
}

TEST(ACoreForTheDriver, IsNotSparedWhereThereAreTwo) {
  EXPECT_FALSE(is_worth_a_core(cube_flops(512), 2, 2, 0, 0.3));
}

TEST(ACoreForTheDriver, IsNotSparedByCallsThatOutlastIt) {
  EXPECT_TRUE(is_worth_a_core(cube_flops(8192), 16, 16, 0, 0.3));
  EXPECT_FALSE(is_worth_a_core(cube_flops(16384), 16, 16, 0, 0.3));
  EXPECT_FALSE(is_worth_a_core(cube_flops(8192), 4, 4, 0, 0.3));
}

// A start that compiles, or waits for something.
TEST(ACoreForTheDriver, IsNotSparedOnceThatHasCostWhatAStartDoes) {
  EXPECT_TRUE(is_worth_a_core(cube_flops(1200), 16, 16, 3.5, 0.3));
  EXPECT_FALSE(is_worth_a_core(cube_flops(1200), 16, 16, 5, 0.3));
  EXPECT_FALSE(is_worth_a_core(cube_flops(1200), 4, 4, 1, 0.3));
}

TEST(ACoreForTheDriver, IsNotSparedForDriversThatStartAtOnce) {
  EXPECT_FALSE(is_worth_a_core(cube_flops(8192), 16, 16, 0, 0.02));
}

TEST(ACoreForTheDriver, IsSparedByTheCallWithWhichItBegins) {
  duoblas_blas_call call = {};
  call.routine = DUOBLAS_GEMM;
  call.precision = 'd';
  call.m = call.n = call.k = 1200;
  call.threads = 1024;
  const Settings settings;
  const Outlays outlays(settings);
  EXPECT_FALSE(should_spare_a_core(outlays, call, false)) << "nothing is being started or built";
  EXPECT_TRUE(should_spare_a_core(outlays, call, true));
}

}  // namespace
}  // namespace duoblas
