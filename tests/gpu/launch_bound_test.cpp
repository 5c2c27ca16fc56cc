// Launches that are cut to a bound, and what they learn of a kernel's rate.
#include "gpu/device/launch_bound.hpp"

#include <gtest/gtest.h>

namespace duoblas {
namespace {

cl::DeviceInfo gpu() {
  cl::DeviceInfo info;
  info.is_gpu = true;
  return info;
}

TEST(DefaultLaunchBound, IsShortWhereAGpuMayHaveADisplay) {
  cl::DeviceInfo other = gpu(), integrated = gpu(), nvidia = gpu(), cpu;
  integrated.unified_memory = true;
  nvidia.nvidia_capability = 90;
  cpu.is_cpu = cpu.unified_memory = true;
  EXPECT_EQ(default_launch_seconds(other), 0.1);
  EXPECT_EQ(default_launch_seconds(integrated), 0.1);
  EXPECT_EQ(default_launch_seconds(nvidia), 0);
  EXPECT_EQ(default_launch_seconds(cpu), 0);
  nvidia.has_watchdog = true;
  EXPECT_EQ(default_launch_seconds(nvidia), 0.1);
}

GemmProblem product(std::int64_t m, std::int64_t n, std::int64_t k) {
  return {.precision = Precision::s, .m = m, .n = n, .k = k, .alpha = 1};
}

TEST(LaunchShape, IsAllOfCWhereThatIsWithinTheBound) {
  const LaunchShape shape = launch_shape(product(1000, 900, 800), {64, 64, 16}, 1e12, 0.1);
  EXPECT_EQ(shape.rows, 1000);
  EXPECT_EQ(shape.columns, 900);
}

TEST(LaunchShape, IsTheMostWholeTilesOfRowsWithinTheBound) {
  const GemmProblem p = product(10000, 10000, 10000);
  const LaunchShape shape = launch_shape(p, {64, 64, 16}, 1e12, 0.1);
  EXPECT_EQ(shape.rows % 64, 0);
  EXPECT_EQ(shape.columns, 10000);
  EXPECT_LE(launch_seconds(p, shape, 1e12), 0.1);
  EXPECT_GT(launch_seconds(p, {shape.rows + 64, shape.columns}, 1e12), 0.1);
}

TEST(LaunchShape, CutsColumnsWhereOneTileOfRowsTakesTooLong) {
  const GemmProblem p = product(128, 30000, 30000);
  const LaunchShape shape = launch_shape(p, {64, 64, 16}, 1e11, 0.1);
  EXPECT_EQ(shape.rows, 64);
  EXPECT_EQ(shape.columns % 64, 0);
  EXPECT_LT(shape.columns, 30000);
  EXPECT_LE(launch_seconds(p, shape, 1e11), 0.1);
}

TEST(LaunchShape, CutsWhatMemoryTakesTooLongFor) {
  const GemmProblem p = product(60000, 60000, 1);
  const LaunchShape shape = launch_shape(p, {64, 64, 16}, 1e13, 0.1);
  EXPECT_LT(shape.rows, 60000);
  EXPECT_LE(launch_seconds(p, shape, 1e13), 0.1);
}

TEST(LaunchShape, KeepsAllComputeUnitsBusy) {
  const LaunchShape shape = launch_shape(product(10000, 10000, 1000000), {64, 64, 16}, 1e9, 1e-3);
  EXPECT_EQ(shape.rows, 64);
  EXPECT_EQ(shape.columns, 16 * 64);
  const LaunchShape narrow = launch_shape(product(10000, 100, 1000000), {64, 64, 16}, 1e9, 1e-3);
  EXPECT_EQ(narrow.rows, 8 * 64);
  EXPECT_EQ(narrow.columns, 100);
}

struct Pace : testing::Test {
  LaunchPace pace{0.1};
  KernelParams kernel;
};

TEST_F(Pace, GuessesUntilSomethingIsKnown) {
  EXPECT_FALSE(pace.rate(kernel, Precision::s));
  EXPECT_GT(pace.rate_or_guess(kernel, Precision::s), pace.rate_or_guess(kernel, Precision::d));
  pace.expect(Precision::s, 1e12);
  EXPECT_EQ(pace.rate(kernel, Precision::s), 1e12);
  EXPECT_FALSE(pace.rate(kernel, Precision::d));
}

TEST_F(Pace, BelievesWhatAKernelShowed) {
  KernelParams other = kernel;
  other.tile_rows *= 2;
  pace.expect(Precision::s, 1e12);
  pace.saw(kernel, Precision::s, 3e12, true);
  EXPECT_EQ(pace.rate(kernel, Precision::s), 3e12);
  EXPECT_EQ(pace.rate(other, Precision::s), 1e12);
  pace.saw(kernel, Precision::s, 1e12, true);
  EXPECT_EQ(pace.rate(kernel, Precision::s), 2e12);
}

TEST_F(Pace, TakesALowerBoundForWhatItIs) {
  pace.saw(kernel, Precision::s, 3e12, true);
  pace.saw(kernel, Precision::s, 1e12, false);
  EXPECT_EQ(pace.rate(kernel, Precision::s), 3e12);
  pace.saw(kernel, Precision::s, 4e12, false);
  EXPECT_EQ(pace.rate(kernel, Precision::s), 4e12);
}

// Its start takes most of a short product, and memory most of a shallow one.
TEST_F(Pace, BelievesNoLowerRateOfAProductThatIsShortOrShallow) {
  GemmProblem product{.precision = Precision::s, .m = 4096, .n = 4096, .k = 4096};
  const auto seen_after = [&](double seconds) {
    LaunchPace fresh(0.1);
    fresh.saw(kernel, Precision::s, 1e12, true);
    fresh.saw_product(kernel, product, seconds, true);
    return *fresh.rate(kernel, Precision::s);
  };
  EXPECT_LT(seen_after(1), 1e12);
  EXPECT_GT(seen_after(0.01), 1e12);
  product.k = 8;
  EXPECT_EQ(seen_after(1), 1e12);
  product.m = product.n = product.k = 128;
  EXPECT_EQ(seen_after(0.001), 1e12);
}

}  // namespace
}  // namespace duoblas
