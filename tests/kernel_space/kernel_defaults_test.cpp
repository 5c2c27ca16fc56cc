// The kernels of a machine that was never tuned.
#include "kernel_space/kernel_defaults.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kernel_space/canonical_kernel.hpp"
#include "kernel_space/h200_limits.hpp"
#include "kernel_space/kernel_description.hpp"
#include "kernel_space/kernel_fields.hpp"
#include "kernel_space/kernel_footprint.hpp"
#include "kernel_space/kernel_rules.hpp"
#include "kernel_space/sized_product.hpp"
#include "kernel_space/tiled_points.hpp"
#include "support/packing_kernel.hpp"
#include "support/wide_kernels.hpp"

namespace duoblas {
namespace {

constexpr Precision kPrecisions[] = {Precision::s, Precision::d, Precision::c, Precision::z};
constexpr Op kOps[] = {Op::none, Op::transpose, Op::conj_transpose};

// CPU devices with AVX-512, AVX, 128 bits, and one whose compiler prefers numbers to vectors
// (llvmpipe); a large GPU, and the least that OpenCL demands; each with and without fma.
std::vector<DeviceLimits> devices() {
  std::vector<DeviceLimits> result;
  for (const int vector_bytes : {64, 32, 16, 4}) {
    DeviceLimits& d = result.emplace_back();
    d.is_cpu = true;
    d.vector_bytes = vector_bytes;
    d.max_work_group_size = 4096;
  }
  for (const auto& [group, local] :
       {std::pair<std::size_t, std::size_t>{1024, 48 << 10}, {256, 32 << 10}}) {
    DeviceLimits& d = result.emplace_back();
    d.max_work_group_size = group;
    d.local_memory_bytes = local;
  }
  for (std::size_t i = 0, count = result.size(); i < count; ++i) {
    result.push_back(result[i]);
    result.back().fma_single = result.back().fma_double = false;
  }
  return result;
}

// The same behind a driver that takes no PTX.
DeviceLimits without_ptx() {
  DeviceLimits d = h200();
  d.static_local_bytes = 0;
  d.async_copies = d.register_shares = d.fp64_matrix = d.tf32_matrix = d.wide_matrix = false;
  d.shuffle_width = 0;
  return d;
}

DeviceLimits small_gpu() {
  DeviceLimits d;
  d.max_work_group_size = 64;
  d.local_memory_bytes = 16 << 10;
  return d;
}

std::string broken_rule(const KernelParams& p, Precision precision, const DeviceLimits& limits) {
  const KernelRule* rule = violated_rule(p, precision, limits);
  return rule == nullptr ? "" : std::string(rule->name);
}

TEST(DefaultKernel, IsLegalOnEveryKindOfDevice) {
  std::vector<DeviceLimits> all = devices();
  for (const DeviceLimits& gpu : {h200(), without_ptx(), small_gpu()}) all.push_back(gpu);
  DeviceLimits tiny;
  tiny.max_work_group_size = 16;
  tiny.local_memory_bytes = 1024;
  all.push_back(tiny);
  for (const DeviceLimits& device : all) {
    for (const Precision precision : kPrecisions) {
      const KernelParams p = default_kernel(precision, device);
      const KernelRule* rule = violated_rule(p, precision, device);
      EXPECT_EQ(rule, nullptr) << describe(p) << ": " << rule->name;
      EXPECT_EQ(p.family == KernelFamily::panel, device.is_cpu);
      EXPECT_EQ(from_fields(to_fields(p)), p);
    }
  }
}

TEST(DefaultKernel, FillsTheVectorsOfTheDevice) {
  const std::vector<DeviceLimits> all = devices();
  for (std::size_t i = 0; i < 3; ++i)
    for (const Precision precision : kPrecisions)
      EXPECT_EQ(default_kernel(precision, all[i]).vector_width *
                    static_cast<int>(element_size(precision)),
                all[i].vector_bytes);
}

// They were measured on this device: one that is not legal there was measured for nothing.
TEST(DefaultKernel, IsTheBestMeasuredOneWhereTheDeviceCanDoEverything) {
  for (const Precision precision : kPrecisions) {
    const auto points = default_tiled(precision);
    for (const KernelParams& p : points)
      EXPECT_EQ(broken_rule(p, precision, h200()), "") << letter(precision) << ' ' << describe(p);
    EXPECT_EQ(default_kernel(precision, h200()), points.front()) << letter(precision);
    EXPECT_TRUE(default_kernel(precision, h200()).async_copy) << letter(precision);
  }
  EXPECT_EQ(default_kernel(Precision::d, h200()).matrix, MatrixUnit::fp64_deep);
}

TEST(DefaultKernel, HasSmallerTilesWhereAnElementIsScarce) {
  const auto tile = [](Precision precision, std::int64_t n) {
    const KernelParams p = default_kernel(sized(precision, n, n), h200());
    EXPECT_EQ(broken_rule(p, precision, h200()), "") << describe(p);
    EXPECT_EQ(p, canonical(p));
    return row_tile(p) * col_tile(p);
  };
  EXPECT_EQ(tile(Precision::d, 512), 64 * 32);
  EXPECT_EQ(tile(Precision::d, 1024), 64 * 128);
  // 100 tiles of 128 x 128 take the 132 units one round, 200 of 64 x 128 two; 144, 288 and 576 of
  // 64 x 64 take them 2, 3 and 5; 576 and 1152 of the larger ones 5 and 9.
  EXPECT_EQ(tile(Precision::d, 1280), 128 * 128);
  EXPECT_EQ(tile(Precision::d, 1536), 64 * 64);
  EXPECT_EQ(tile(Precision::d, 2048), 128 * 128);
  EXPECT_EQ(tile(Precision::d, 3072), 64 * 128);
  EXPECT_EQ(tile(Precision::s, 512), 32 * 64);
  EXPECT_EQ(tile(Precision::s, 1024), 64 * 128);
  for (const Precision precision : {Precision::s, Precision::c, Precision::z})
    EXPECT_EQ(default_kernel(sized(precision, 2048, 2048), h200()),
              default_kernel(precision, h200()));
  for (const DeviceLimits& device : {without_ptx(), small_gpu(), devices().front()})
    for (const Precision precision : kPrecisions)
      EXPECT_EQ(default_kernel(sized(precision, 512, 512), device),
                default_kernel(precision, device));
}

TEST(DefaultKernel, OfPanelsHasNoTallerTilesThanThatOfLargeProducts) {
  const DeviceLimits& device = h200();
  for (const std::int64_t n : {512, 1024, 1280, 1536, 2048, 3072, 4096, 8192})
    for (const Precision precision : kPrecisions) {
      const KernelParams usual = default_kernel(precision, device),
                         of_calls = default_kernel(sized(precision, n, n), device);
      const KernelParams p = built_in_kernel(KernelUse::call, sized(precision, n, n), device);
      EXPECT_LE(row_tile(p), row_tile(usual)) << letter(precision) << n;
      EXPECT_EQ(p, row_tile(of_calls) > row_tile(usual) ? usual : of_calls)
          << letter(precision) << n;
    }
}

TEST(DefaultKernel, OfDoublesIsAnotherWhereRowsStartBetweenVectors) {
  const auto odd = [](Precision precision, std::int64_t n, Op op_a = Op::none, Op op_b = Op::none) {
    const KernelParams even = default_kernel(sized(precision, n, n), h200());
    const KernelParams p = tiled_for_odd_rows(even, precision, op_a, op_b);
    EXPECT_EQ(broken_rule(p, precision, h200()), "") << describe(p);
    EXPECT_EQ(p, canonical(p));
    EXPECT_EQ(std::pair(p.pack_a, p.pack_b), std::pair(even.pack_a, even.pack_b));
    return std::pair(even, p);
  };
  for (const std::int64_t n : {1024, 2048}) {
    const auto [even, kernel] = odd(Precision::d, n);
    EXPECT_NE(kernel, even) << n;
    EXPECT_EQ(tiled_for_odd_rows(kernel, Precision::d, Op::none, Op::none), kernel);
    EXPECT_EQ(kernel.matrix, MatrixUnit::fp64_deep);
    KernelParams tuned = even;
    tuned.k_unroll *= 2;
    EXPECT_EQ(tiled_for_odd_rows(tuned, Precision::d, Op::none, Op::none), tuned);
    odd(Precision::d, n, Op::none, Op::transpose);
    odd(Precision::d, n, Op::transpose, Op::none);
  }
  for (const Precision precision : {Precision::s, Precision::c, Precision::z}) {
    const auto [even, kernel] = odd(precision, 2048);
    EXPECT_EQ(kernel, even) << letter(precision);
  }
}

TEST(DefaultKernel, OfOddRowsIsPackedInLargeProductsOfDoublesOnly) {
  const auto packed = [](Precision precision, std::int64_t m, std::int64_t n,
                         std::int64_t k = 2048) {
    return packed_kernel_for_odd_rows(default_kernel(sized(precision, m, n), h200()),
                                      sized(precision, m, n, k), h200());
  };
  for (const std::int64_t n : {3072, 4096}) {
    const auto kernel = packed(Precision::d, n, n);
    ASSERT_TRUE(kernel.has_value()) << n;
    EXPECT_TRUE(kernel->pack_a && kernel->pack_b);
    EXPECT_EQ(broken_rule(*kernel, Precision::d, h200()), "");
    EXPECT_EQ(*kernel, canonical(*kernel));
    EXPECT_FALSE(packed(Precision::s, n, n));
    EXPECT_FALSE(packed(Precision::z, n, n));
    EXPECT_FALSE(packed(Precision::d, n, 128)) << "B would be read few times";
    EXPECT_FALSE(packed(Precision::d, n, n, 64)) << "launches would take longer";
  }
  EXPECT_FALSE(packed(Precision::d, 2048, 2048));
  EXPECT_FALSE(packed_kernel_for_odd_rows(default_kernel(Precision::d, without_ptx()),
                                          sized(Precision::d, 4096, 4096, 4096), without_ptx()));
}

TEST(DefaultKernel, OfOddRowsIsLegalWhereTheCompilerTakesNoLimitOfRegisters) {
  DeviceLimits device = h200();
  device.register_shares = false;
  for (const std::int64_t n : {512, 1024, 2048}) {
    const KernelParams even = default_kernel(sized(Precision::d, n, n), device);
    GemmProblem product = sized(Precision::d, n, n);
    product.op_b = Op::transpose;
    const KernelParams p = kernel_for_odd_rows(even, product, device);
    EXPECT_EQ(broken_rule(p, Precision::d, device), "") << describe(p);
  }
  const KernelParams large = default_kernel(sized(Precision::d, 2048, 2048), h200());
  EXPECT_EQ(kernel_for_odd_rows(large, sized(Precision::d, 2048, 2048), h200()),
            tiled_for_odd_rows(large, Precision::d, Op::none, Op::none));
}

TEST(DefaultKernel, NeedsNoInstructionThatTheDeviceLacks) {
  for (const Precision precision : kPrecisions) {
    int portable = 0;
    for (const KernelParams& p : default_tiled(precision)) {
      const bool special = p.async_copy || p.matrix != MatrixUnit::none || p.shuffle;
      EXPECT_EQ(broken_rule(p, precision, without_ptx()) == "", !special) << describe(p);
      if (!special) ++portable;
    }
    EXPECT_GE(portable, 2) << letter(precision);
    EXPECT_FALSE(default_kernel(precision, without_ptx()).async_copy);
  }
  // One capability at a time.
  DeviceLimits no_matrix = h200();
  no_matrix.fp64_matrix = no_matrix.tf32_matrix = false;
  EXPECT_EQ(default_kernel(Precision::d, no_matrix).matrix, MatrixUnit::none);
  EXPECT_EQ(default_kernel(Precision::s, no_matrix), default_kernel(Precision::s, h200()));
}

TEST(DefaultKernel, OfASmallDeviceIsSmallToo) {
  for (const Precision precision : kPrecisions) {
    for (const KernelParams& p : default_tiled(precision))
      if (p.group_rows * p.group_cols > 64) {
        EXPECT_NE(broken_rule(p, precision, small_gpu()), "") << describe(p);
      }
    const KernelParams chosen = default_kernel(precision, small_gpu());
    EXPECT_EQ(broken_rule(chosen, precision, small_gpu()), "") << describe(chosen);
    EXPECT_LE(chosen.group_rows * chosen.group_cols, 64);
  }
}

TEST(LeastTiled, IsLegalWhereNothingElseIs) {
  DeviceLimits least;
  least.max_work_group_size = 16;
  least.local_memory_bytes = 1;
  for (const Precision precision : kPrecisions)
    EXPECT_EQ(broken_rule(least_tiled(), precision, least), "") << letter(precision);
}

TEST(Tf32Kernel, OfFloatsIsThereWhereTheDeviceCanDoItAndForThemAlone) {
  const auto kernel = tf32x3_kernel(Precision::s, h200());
  ASSERT_TRUE(kernel.has_value());
  EXPECT_EQ(kernel->matrix, MatrixUnit::tf32x3);
  EXPECT_EQ(kernel->k_split, 1) << "the kernel that adds the parts has no guard";
  EXPECT_EQ(*kernel, canonical(*kernel));
  EXPECT_EQ(from_fields(to_fields(*kernel)), *kernel);
  EXPECT_EQ(broken_rule(*kernel, Precision::s, h200()), "");
  for (const Precision precision : {Precision::d, Precision::c, Precision::z})
    EXPECT_EQ(broken_rule(*kernel, precision, h200()), "matrix_instructions");
}

TEST(Tf32Kernel, IsNotThereWhereTheDeviceLacksAnythingThatItNeeds) {
  std::vector<DeviceLimits> all = devices();
  all.push_back(without_ptx());
  all.push_back(small_gpu());
  for (const auto take : {+[](DeviceLimits& d) { d.tf32_matrix = false; },
                          +[](DeviceLimits& d) { d.async_copies = false; },
                          +[](DeviceLimits& d) { d.max_work_group_size = 64; },
                          +[](DeviceLimits& d) { d.static_local_bytes = 0; }})
    take(all.emplace_back(h200()));
  for (const DeviceLimits& device : all)
    EXPECT_EQ(tf32x3_kernel(Precision::s, device), std::nullopt);
}

TEST(Tf32Kernel, IsTheWideOneWhereItPays) {
  const auto kernel = tf32x3_kernel(sized(Precision::s, 2048, 2048), h200());
  ASSERT_TRUE(kernel.has_value());
  EXPECT_TRUE(kernel->wide);
  EXPECT_EQ(*kernel, canonical(*kernel));
  EXPECT_EQ(from_fields(to_fields(*kernel)), *kernel);
  EXPECT_EQ(broken_rule(*kernel, Precision::s, h200()), "");
  EXPECT_EQ(tf32x3_kernel(sized(Precision::s, 4096, 1 << 20), h200()), kernel);
  EXPECT_EQ(tf32x3_kernel(sized(Precision::s, 1152, 1152), h200()), kernel);
  // 144 tiles would be one round and a rest, of half the size 288 are two and a smaller one.
  EXPECT_EQ(tf32x3_kernel(sized(Precision::s, 1536, 1536), h200()), narrow_wide_tf32x3());
  EXPECT_EQ(broken_rule(narrow_wide_tf32x3(), Precision::s, h200()), "");
  EXPECT_EQ(tf32x3_kernel(sized(Precision::s, 1024, 1024), h200()),
            tf32x3_kernel(Precision::s, h200()));
  EXPECT_EQ(tf32x3_kernel(sized(Precision::s, 1 << 20, 64), h200()),
            tf32x3_kernel(Precision::s, h200()))
      << "packing takes longer";
}

TEST(Tf32Kernel, IsTheOtherOneWhereTheDeviceLacksWhatTheWideOneNeeds) {
  for (const auto take : {+[](DeviceLimits& d) { d.wide_matrix = false; },
                          +[](DeviceLimits& d) { d.static_local_bytes = 160 << 10; }}) {
    DeviceLimits device = h200();
    take(device);
    EXPECT_EQ(tf32x3_kernel(sized(Precision::s, 4096, 4096), device),
              tf32x3_kernel(Precision::s, h200()));
  }
  EXPECT_EQ(tf32x3_kernel(sized(Precision::s, 4096, 4096), without_ptx()), std::nullopt);
}

// Opt-in means that neither a default nor tuning comes upon it.
TEST(Tf32Kernel, IsNoDefaultAndNoCandidate) {
  for (const Precision precision : kPrecisions) {
    EXPECT_NE(default_kernel(precision, h200()).matrix, MatrixUnit::tf32x3);
    for (const KernelParams& p : kernel_candidates(precision, Op::none, Op::none, h200()))
      EXPECT_NE(p.matrix, MatrixUnit::tf32x3) << describe(p);
  }
}

TEST(ExactTwin, IsLegalExactAndPacksNothing) {
  std::vector<DeviceLimits> all = {h200(), without_ptx(), small_gpu()};
  for (const DeviceLimits& device : all)
    for (const Precision precision : {Precision::s, Precision::c}) {
      const KernelParams twin = exact_twin(precision, device);
      EXPECT_EQ(broken_rule(twin, precision, device), "") << describe(twin);
      EXPECT_EQ(twin.matrix, MatrixUnit::none);
      EXPECT_FALSE(twin.pack_a || twin.pack_b);
      EXPECT_EQ(twin.k_split, 1) << "the kernel that adds the parts has no guard";
    }
}

TEST(KernelCandidates, AreAFewDozenLegalDistinctPointsWithTheDefaultFirst) {
  for (const DeviceLimits& device : devices()) {
    for (const Precision precision : kPrecisions) {
      for (const Op op_b : kOps) {
        const auto points = kernel_candidates(precision, Op::none, op_b, device);
        ASSERT_GE(points.size(), 10u);
        EXPECT_LE(points.size(), 48u);
        KernelParams first = canonical(default_kernel(precision, device));
        if (device.is_cpu && op_b != Op::none) first.pack_b = true;
        EXPECT_EQ(points.front(), first);
        std::set<std::string> seen;
        for (const KernelParams& p : points) {
          EXPECT_EQ(violated_rule(p, precision, device), nullptr) << describe(p);
          EXPECT_EQ(from_fields(to_fields(p)), p);
          EXPECT_TRUE(seen.insert(describe(p)).second) << describe(p);
        }
      }
    }
  }
}

// Tests of packing ask for such kernels, also on GPUs that they have never run on.
TEST(KernelsThatPack, AreThereOnEveryDeviceWithLargeGroups) {
  std::vector<DeviceLimits> all = devices();
  for (const DeviceLimits& gpu : {h200(), without_ptx()}) all.push_back(gpu);
  for (const DeviceLimits& device : all)
    for (const Precision precision : kPrecisions)
      for (const bool a : {false, true})
        for (const bool b : {false, true}) {
          const KernelParams p = test::packing_kernel(precision, device, a, b);
          EXPECT_EQ(p.pack_a, a);
          EXPECT_EQ(p.pack_b, b);
          EXPECT_EQ(violated_rule(p, precision, device), nullptr) << describe(p);
        }
  EXPECT_TRUE(default_kernel(Precision::z, h200()).as_real);
  EXPECT_FALSE(test::packing_kernel(Precision::z, h200(), false, false).as_real);
  EXPECT_EQ(test::packing_kernel(Precision::z, h200(), true, true),
            canonical(default_kernel(Precision::z, h200())));
}

TEST(KernelTiles, AreARegisterTileOfPanelsAndAGroupsTileOfTiledKernels) {
  KernelParams p;
  p.tile_rows = 6;
  p.tile_cols = 64;
  EXPECT_EQ(row_tile(p), 6);
  EXPECT_EQ(col_tile(p), 64);
  p.family = KernelFamily::tiled;
  p.tile_rows = 8;
  p.tile_cols = 4;
  p.group_rows = p.group_cols = 16;
  EXPECT_EQ(row_tile(p), 128);
  EXPECT_EQ(col_tile(p), 64);
}

}  // namespace
}  // namespace duoblas
