#include "plan/kernel_defaults.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "plan/kernel_rules.hpp"

namespace duoblas {
namespace {

constexpr Precision kPrecisions[] = {Precision::s, Precision::d, Precision::c, Precision::z};
constexpr Op kOps[] = {Op::none, Op::transpose, Op::conj_transpose};

// CPU devices with AVX-512, AVX and 128 bits; a large GPU, and the least that OpenCL demands.
std::vector<DeviceLimits> devices() {
  std::vector<DeviceLimits> result;
  for (const int vector_bytes : {64, 32, 16}) {
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
  return result;
}

TEST(DefaultKernel, IsLegalOnEveryKindOfDevice) {
  std::vector<DeviceLimits> all = devices();
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
