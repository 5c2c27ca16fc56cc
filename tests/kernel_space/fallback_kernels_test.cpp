// Kernels that follow a refused one.
#include "kernel_space/fallback_kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "kernel_space/kernel_defaults.hpp"
#include "kernel_space/kernel_rules.hpp"
#include "kernel_space/tiled_points.hpp"
#include "support/wide_kernels.hpp"

namespace duoblas {
namespace {

constexpr Precision all_types[] = {Precision::s, Precision::d, Precision::c, Precision::z};

DeviceLimits small_gpu() {
  DeviceLimits limits;
  limits.max_work_group_size = 256;
  limits.local_memory_bytes = 32 << 10;
  return limits;
}

int work_items(const KernelParams& p) {
  return p.group_rows * p.group_cols * p.group_depth;
}

TEST(FallbackKernels, AreLegalAndEndWithWhatSuitsEveryDriver) {
  DeviceLimits cpu = small_gpu();
  cpu.is_cpu = true;
  cpu.vector_bytes = 32;
  for (const DeviceLimits& limits : {small_gpu(), cpu})
    for (const Precision type : all_types) {
      const KernelParams refused = default_kernel(type, limits);
      const auto kernels = fallback_kernels(refused, type, limits);
      ASSERT_FALSE(kernels.empty());
      EXPECT_LE(kernels.size(), 6u) << "each one that is refused costs a call";
      for (const KernelParams& p : kernels) EXPECT_EQ(violated_rule(p, type, limits), nullptr);
      const bool panels = std::ranges::all_of(
          kernels, [](const KernelParams& p) { return p.family == KernelFamily::panel; });
      EXPECT_EQ(panels, limits.is_cpu) << "CPU drivers miscompile tiled kernels";
      EXPECT_TRUE(limits.is_cpu || kernels.back() == least_tiled());
    }
}

TEST(FallbackKernels, HaveEverSmallerWorkGroupsOnAGpu) {
  for (const Precision type : all_types) {
    const auto kernels = fallback_kernels(default_kernel(type, small_gpu()), type, small_gpu());
    EXPECT_TRUE(std::ranges::is_sorted(kernels, std::ranges::greater(), work_items));
    EXPECT_TRUE(std::ranges::any_of(
        kernels, [](const KernelParams& p) { return work_items(p) == 64 && p.local_a; }));
  }
}

TEST(FallbackKernels, AreThereWithoutAnFmaInstructionToo) {
  DeviceLimits limits = small_gpu();
  limits.fma_single = limits.fma_double = false;
  for (const Precision type : all_types) {
    const auto kernels = fallback_kernels(least_tiled(), type, limits);
    EXPECT_GT(kernels.size(), 2u);
    for (const KernelParams& p : kernels) EXPECT_EQ(violated_rule(p, type, limits), nullptr);
  }
}

// A driver that takes no edited PTX loses the wide kernel, not the arithmetic that was asked for.
TEST(FallbackKernels, OfAWideKernelBeginWithTheOtherOneOfItsArithmetic) {
  DeviceLimits able;
  able.max_work_group_size = 1024;
  able.local_memory_bytes = 200 << 10;
  able.async_copies = able.register_shares = able.tf32_matrix = able.wide_matrix = true;
  for (const Precision type : {Precision::s, Precision::c}) {
    const auto kernels = fallback_kernels(wide_tf32x3(type), type, able);
    ASSERT_FALSE(kernels.empty());
    EXPECT_EQ(kernels.front(), default_tf32x3(type));
    for (const KernelParams& kernel : kernels) EXPECT_FALSE(kernel.wide);
  }
}

// zgemm's default on a GPU with matrix instructions packs both operands, whatever happens.
TEST(FallbackKernels, HaveComplexNumbersWhereARealProductIsRefused) {
  DeviceLimits able = small_gpu();
  able.max_work_group_size = 1024;
  able.local_memory_bytes = 48 << 10;
  able.static_local_bytes = 200 << 10;
  able.async_copies = able.register_shares = able.fp64_matrix = true;
  const KernelParams refused = default_kernel(Precision::z, able);
  ASSERT_TRUE(refused.as_real);
  const auto kernels = fallback_kernels(refused, Precision::z, able);
  ASSERT_GE(kernels.size(), 2u);
  EXPECT_EQ(kernels[0], refused) << "the usual one";
  EXPECT_FALSE(kernels[1].as_real || kernels[1].pack_a || kernels[1].pack_b);
  EXPECT_TRUE(kernels[1].async_copy);
}

TEST(FallbackKernels, FirstDoWithoutPacking) {
  KernelParams packed = default_kernel(Precision::s, small_gpu());
  packed.pack_a = packed.pack_b = true;
  const KernelParams first = fallback_kernels(packed, Precision::s, small_gpu()).front();
  EXPECT_FALSE(first.pack_a || first.pack_b);
  EXPECT_EQ(first.tile_rows, packed.tile_rows);
}

}  // namespace
}  // namespace duoblas
