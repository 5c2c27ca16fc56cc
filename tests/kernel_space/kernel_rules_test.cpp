// The rules that make a kernel legal: each refuses what it names.
#include "kernel_space/kernel_rules.hpp"

#include "kernel_space/kernel_footprint.hpp"
#include "kernel_space/tiled_points.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace duoblas {
namespace {

DeviceLimits cpu(int vector_bytes) {
  DeviceLimits limits;
  limits.is_cpu = true;
  limits.vector_bytes = vector_bytes;
  limits.max_work_group_size = 4096;
  return limits;
}

DeviceLimits gpu(std::size_t local_memory_bytes) {
  DeviceLimits limits;
  limits.max_work_group_size = 256;
  limits.local_memory_bytes = local_memory_bytes;
  return limits;
}

KernelParams panel() {
  KernelParams p;
  p.tile_rows = 6;
  p.vector_width = 16;
  p.tile_cols = 64;
  return p;
}

KernelParams tiled() {
  KernelParams p;
  p.family = KernelFamily::tiled;
  p.tile_rows = p.tile_cols = 8;
  p.vector_width = 4;
  p.group_rows = p.group_cols = 16;
  p.k_unroll = 8;
  p.local_a = p.local_b = true;
  return p;
}

std::string broken(const KernelParams& p, Precision precision, const DeviceLimits& limits) {
  const KernelRule* rule = violated_rule(p, precision, limits);
  return rule == nullptr ? "" : std::string(rule->name);
}

TEST(KernelRules, HaveDistinctNamesAndReasons) {
  std::set<std::string_view> names;
  for (const KernelRule& rule : kernel_rules()) {
    names.insert(rule.name);
    EXPECT_FALSE(rule.reason.empty()) << rule.name;
  }
  EXPECT_EQ(names.size(), kernel_rules().size());
}

TEST(KernelRules, AcceptTheKernelsThatTheyWereWrittenAround) {
  EXPECT_EQ(broken(panel(), Precision::s, cpu(64)), "");
  EXPECT_EQ(broken(tiled(), Precision::s, gpu(48 << 10)), "");
}

TEST(KernelRules, NameTheStaticConditionThatIsBroken) {
  const auto broken_static = [](KernelParams p, auto change) {
    change(p);
    const KernelRule* rule = violated_static_rule(p);
    return rule == nullptr ? std::string() : std::string(rule->name);
  };
  EXPECT_EQ(broken_static(panel(), [](auto& p) { p.tile_cols = 24; }), "whole_vectors");
  EXPECT_EQ(broken_static(panel(), [](auto& p) { p.group_cols = 2; }), "lone_work_item");
  EXPECT_EQ(broken_static(panel(), [](auto& p) { p.local_b = true; }), "lone_work_item");
  EXPECT_EQ(broken_static(panel(), [](auto& p) { p.k_unroll = 8; }), "short_unroll");
  EXPECT_EQ(broken_static(tiled(), [](auto& p) { p.tile_rows = 6; }), "whole_row_vectors");
  EXPECT_EQ(broken_static(tiled(), [](auto& p) { p.k_unroll = 2; }), "even_slices");
}

TEST(KernelRules, NameTheConditionOfTypeOrDeviceThatIsBroken) {
  EXPECT_EQ(broken(panel(), Precision::c, cpu(64)), "vector_exists");
  KernelParams scalar = panel();
  scalar.vector_width = 1;
  scalar.tile_rows = 2;
  scalar.tile_cols = 4;
  EXPECT_EQ(broken(scalar, Precision::s, cpu(64)), "");
  EXPECT_EQ(broken(scalar, Precision::z, cpu(16)), "");
  KernelParams tall = panel();
  tall.tile_rows = 8;
  EXPECT_EQ(broken(tall, Precision::s, cpu(64)), "registers");
  KernelParams large = tiled();
  large.tile_rows = large.tile_cols = 16;
  EXPECT_EQ(broken(large, Precision::s, gpu(48 << 10)), "registers");
  DeviceLimits small_groups = gpu(48 << 10);
  small_groups.max_work_group_size = 128;
  EXPECT_EQ(broken(tiled(), Precision::s, small_groups), "group_size");
  KernelParams packing = tiled();
  packing.group_rows = packing.group_cols = 8;
  packing.pack_a = packing.pack_b = false;
  small_groups.max_work_group_size = 64;
  EXPECT_EQ(broken(packing, Precision::s, small_groups), "");
  packing.pack_b = true;  // in groups of 128
  EXPECT_EQ(broken(packing, Precision::s, small_groups), "group_size");
  EXPECT_EQ(broken(tiled(), Precision::s, gpu(16 << 10)), "local_memory");
}

TEST(KernelRules, AskEachSideOfATileForItsOwnWidth) {
  const DeviceLimits roomy = gpu(48 << 10);
  KernelParams p = tiled();
  p.local_a = false;
  p.tile_rows = 6;
  EXPECT_EQ(broken(p, Precision::s, roomy), "whole_row_vectors");
  p.vector_width_m = 2;
  EXPECT_EQ(broken(p, Precision::s, roomy), "");
  p.tile_cols = 6;
  EXPECT_EQ(broken(p, Precision::s, roomy), "whole_vectors");
  p = tiled();
  p.k_unroll = 4;  // 2 elements of A a work-item
  p.tile_rows = 4;
  EXPECT_EQ(broken(p, Precision::s, roomy), "even_slices");
  p.vector_width_m = 1;
  EXPECT_EQ(broken(p, Precision::s, roomy), "even_slices") << "B has 2 as well";
  p.tile_cols = 16;
  EXPECT_EQ(broken(p, Precision::s, roomy), "");
  p.vector_width_m = 16;
  p.tile_rows = 16;
  p.tile_cols = 4;
  p.k_unroll = 16;
  EXPECT_EQ(broken(p, Precision::c, roomy), "vector_exists");
  DeviceLimits images = roomy;
  images.max_image_pixels = 1 << 27;
  p = tiled();
  p.pack_a = p.image_a = true;
  p.vector_width_m = 2;
  EXPECT_EQ(broken(p, Precision::s, images), "whole_pixels");
  p.image_a = p.pack_a = false;
  p.image_b = p.pack_b = true;
  EXPECT_EQ(broken(p, Precision::s, images), "");
}

TEST(KernelRules, TakeTf32ForComplexNumbersAsRealOnesThatArePacked) {
  DeviceLimits able;
  able.max_work_group_size = 1024;
  able.local_memory_bytes = 200 << 10;
  able.async_copies = able.register_shares = able.tf32_matrix = true;
  KernelParams p = default_tf32x3();
  ASSERT_EQ(broken(p, Precision::s, able), "");
  EXPECT_EQ(broken(p, Precision::c, able), "matrix_instructions");
  p.as_real = true;
  EXPECT_EQ(broken(p, Precision::c, able), "packed_as_real");
  p.pack_a = p.pack_b = true;
  EXPECT_EQ(broken(p, Precision::c, able), "");
  EXPECT_EQ(broken(p, Precision::z, able), "matrix_instructions");
}

TEST(KernelRules, CountRegistersByTheDevicesVectors) {
  KernelParams p = panel();  // 6 x 4 vectors of 64 bytes: 29 registers with AVX-512, 58 with AVX
  EXPECT_EQ(live_vectors(p, Precision::s), 29);
  EXPECT_EQ(broken(p, Precision::s, cpu(32)), "registers");
  p.vector_width = 8;
  p.tile_cols = 16;  // 6 x 2 vectors of 32 bytes: 15 registers
  EXPECT_EQ(live_vectors(p, Precision::s), 15);
  EXPECT_EQ(broken(p, Precision::s, cpu(32)), "");
}

TEST(KernelRules, CountTwoAccumulatorsPerComplexVector) {
  KernelParams p = panel();
  p.tile_rows = 3;
  p.vector_width = 8;
  p.tile_cols = 32;
  EXPECT_EQ(live_vectors(p, Precision::c), 29);
}

TEST(KernelRules, CountBothStagesOfLocalMemory) {
  EXPECT_EQ(local_bytes(tiled(), Precision::s), 2 * 8 * (132 + 132) * 4);
  KernelParams only_a = tiled();
  only_a.local_b = false;
  EXPECT_EQ(local_bytes(only_a, Precision::d), 2 * 8 * 132 * 8);
  EXPECT_EQ(local_bytes(panel(), Precision::s), 0);
}

TEST(KernelRules, LetLocalMemoryGrowWhereItIsEmulated) {
  KernelParams p = tiled();
  p.k_unroll = 32;
  EXPECT_EQ(broken(p, Precision::s, gpu(48 << 10)), "local_memory");
  EXPECT_EQ(broken(p, Precision::s, gpu(0)), "");
}

}  // namespace
}  // namespace duoblas
