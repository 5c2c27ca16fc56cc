// The search for a kernel of gemv, on machines that exist in numbers only.
#include "tuner/gemv_search.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>

namespace duoblas {
namespace {

DeviceLimits gpu() {
  DeviceLimits limits;
  limits.max_work_group_size = 1024;
  limits.local_memory_bytes = 48 << 10;
  return limits;
}

bool always() {
  return true;
}

// The farther from this kernel on any axis, the slower.
double seconds_by_distance(const GemvKernel& kernel, const GemvKernel& best) {
  double steps = 0;
  for (const auto axis : {&GemvKernel::vector_width, &GemvKernel::across, &GemvKernel::teams,
                          &GemvKernel::lines, &GemvKernel::unroll})
    steps += std::abs(std::log2(static_cast<double>(kernel.*axis) / best.*axis));
  return 1e-3 * (1 + 0.2 * steps);
}

TEST(GemvSearch, ClimbsToTheBestAlongEveryAxisAndTimesEachKernelOnce) {
  const GemvKernel best{2, 64, 4, 4, 2};
  std::set<std::string> timed;
  const auto found = search_gemv_kernels(
      default_gemv_kernel(gpu(), Precision::s, true), gpu(), Precision::s, true,
      [&](const GemvKernel& kernel) -> std::optional<double> {
        EXPECT_TRUE(is_legal(kernel, gpu(), Precision::s, true)) << describe(kernel);
        EXPECT_TRUE(timed.insert(describe(kernel)).second) << describe(kernel);
        return seconds_by_distance(kernel, best);
      },
      always);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.front().kernel, best) << describe(found.front().kernel);
  EXPECT_EQ(found.size(), timed.size());
  EXPECT_LT(found.size(), 60u);
  for (std::size_t i = 1; i < found.size(); ++i) EXPECT_LE(found[i - 1].seconds, found[i].seconds);
}

TEST(GemvSearch, GoesOnPastKernelsThatCannotBeUsed) {
  const GemvKernel first = default_gemv_kernel(gpu(), Precision::d, false);
  const auto found = search_gemv_kernels(
      first, gpu(), Precision::d, false,
      [&](const GemvKernel& kernel) -> std::optional<double> {
        if (kernel == first || kernel.lines > 2) return std::nullopt;
        return 1e-3 / kernel.lines;
      },
      always);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.front().kernel.lines, 2);
}

TEST(GemvSearch, TurnsSwitchesOnWhereThatIsFasterAndTheDeviceCan) {
  const auto fastest = [](const DeviceLimits& limits) {
    return search_gemv_kernels(
               default_gemv_kernel(limits, Precision::s, false), limits, Precision::s, false,
               [](const GemvKernel& kernel) {
                 return std::optional(1e-3 - 1e-4 * kernel.inline_sizes - 2e-4 * kernel.image);
               },
               always)
        .front()
        .kernel;
  };
  DeviceLimits limits = gpu();
  EXPECT_EQ(fastest(limits).inline_sizes, 1);
  EXPECT_EQ(fastest(limits).image, 0) << "there are no images";
  limits.max_image_pixels = 1 << 27;
  EXPECT_EQ(fastest(limits).inline_sizes, 1);
  EXPECT_EQ(fastest(limits).image, 1);
}

TEST(GemvSearch, EndsWithItsTimeButTimesTheFirst) {
  int timed = 0;
  const auto found = search_gemv_kernels(
      default_gemv_kernel(gpu(), Precision::s, false), gpu(), Precision::s, false,
      [&](const GemvKernel&) { return std::optional(1e-3 / ++timed); }, [] { return false; });
  EXPECT_EQ(found.size(), 1u);
}

TEST(GemvSearch, LeavesWorkGroupsOfCpuDevicesAsTheyAre) {
  DeviceLimits cpu = gpu();
  cpu.is_cpu = true;
  cpu.vector_bytes = 32;
  const auto found = search_gemv_kernels(
      default_gemv_kernel(cpu, Precision::s, true), cpu, Precision::s, true,
      [](const GemvKernel& kernel) { return std::optional(1.0 / kernel.across); }, always);
  for (const TimedGemv& each : found) {
    EXPECT_EQ(each.kernel.across, 1);
    EXPECT_EQ(each.kernel.teams, 1);
  }
}

}  // namespace
}  // namespace duoblas
