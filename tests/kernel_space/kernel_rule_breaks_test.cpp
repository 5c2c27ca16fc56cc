// Every rule, broken alone.
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string_view>
#include <vector>

#include "kernel_space/kernel_fields.hpp"
#include "kernel_space/kernel_rules.hpp"

namespace duoblas {
namespace {

// A GPU that can do everything.
DeviceLimits able_gpu() {
  DeviceLimits limits;
  limits.max_work_group_size = 1024;
  limits.local_memory_bytes = 48 << 10;
  limits.max_image_pixels = 1 << 27;
  limits.shuffle_width = 32;
  limits.async_copies = limits.register_shares = limits.fp64_matrix = limits.tf32_matrix = true;
  limits.wide_matrix = true;
  return limits;
}

DeviceLimits avx512() {
  DeviceLimits limits;
  limits.is_cpu = true;
  limits.vector_bytes = 64;
  limits.max_work_group_size = 4096;
  return limits;
}

struct Break {
  KernelFamily family;
  std::map<std::string_view, int> fields;  // what differs from a kernel that is legal
  Precision precision = Precision::s;
  std::function<void(DeviceLimits&)> device = [](DeviceLimits&) {};
};

KernelParams with(KernelParams p, const std::map<std::string_view, int>& fields) {
  std::size_t set = 0;
  for (const KernelField& field : kernel_fields()) {
    const auto found = fields.find(field.name);
    if (found == fields.end()) continue;
    field.set(p, found->second);
    ++set;
  }
  EXPECT_EQ(set, fields.size()) << "a field is unknown";
  return p;
}

KernelParams legal(KernelFamily family) {
  KernelParams p;
  p.family = family;
  if (family == KernelFamily::panel)
    return with(p, {{"tile_rows", 6}, {"tile_cols", 64}, {"vector_width", 16}});
  return with(p, {{"tile_rows", 8},
                  {"tile_cols", 8},
                  {"vector_width", 4},
                  {"group_rows", 16},
                  {"group_cols", 16},
                  {"k_unroll", 8},
                  {"local_a", 1},
                  {"local_b", 1}});
}

const std::map<std::string_view, Break>& breaks() {
  constexpr KernelFamily panel = KernelFamily::panel, tiled = KernelFamily::tiled;
  static const std::map<std::string_view, Break> once = {
      {"whole_vectors", {panel, {{"tile_cols", 24}}}},
      {"whole_row_vectors", {tiled, {{"tile_rows", 6}, {"local_a", 0}}}},
      {"lone_work_item", {panel, {{"group_cols", 2}}}},
      {"short_unroll", {panel, {{"k_unroll", 8}}}},
      {"even_slices", {tiled, {{"k_unroll", 2}}}},
      {"complex_as_real", {tiled, {{"as_real", 1}, {"pack_a", 1}, {"pack_b", 1}}}},
      {"packed_as_real", {tiled, {{"as_real", 1}, {"pack_a", 1}}, Precision::c}},
      {"image_to_local", {tiled, {{"image_a", 1}, {"local_a", 0}}}},
      {"image_or_copy", {tiled, {{"image_a", 1}, {"pack_a", 1}, {"async_copy", 1}}}},
      {"copy_to_local", {tiled, {{"async_copy", 1}, {"local_a", 0}, {"local_b", 0}}}},
      {"one_slice_in_registers", {tiled, {{"prefetch", 2}}}},
      {"fragments_ahead", {tiled, {{"fragments", 1}, {"prefetch", 0}}}},
      {"lane_patches",
       {tiled,
        {{"lane_order", 1}, {"group_rows", 2}, {"group_cols", 8}, {"local_a", 0}, {"local_b", 0}}}},
      {"shuffled_rows", {tiled, {{"shuffle", 1}}}},
      {"matrix_operands", {tiled, {{"matrix", 2}, {"k_unroll", 16}}}},
      {"guarded_whole",
       {tiled, {{"matrix", 2}, {"async_copy", 1}, {"k_unroll", 16}, {"k_split", 2}}}},
      {"wide_operands",
       {tiled,
        {{"wide", 1},
         {"tile_rows", 2},
         {"vector_width", 2},
         {"group_rows", 32},
         {"group_cols", 4},
         {"tile_cols", 32}}}},
      {"wide_shape",
       {tiled,
        {{"wide", 1},
         {"matrix", 2},
         {"async_copy", 1},
         {"pack_a", 1},
         {"pack_b", 1},
         {"group_rows", 8},
         {"group_cols", 8},
         {"k_unroll", 16}}}},
      {"whole_last_tiles", {tiled, {{"split_last", 1}, {"k_split", 2}}}},
      {"matrix_shape", {tiled, {{"matrix", 2}, {"async_copy", 1}}}},
      {"matrix_instructions", {tiled, {{"matrix", 1}, {"async_copy", 1}, {"k_unroll", 16}}}},
      {"whole_copies",
       {tiled, {{"async_copy", 1}, {"tile_rows", 3}, {"vector_width", 1}, {"pack_a", 1}}}},
      {"device_extensions",
       {tiled, {{"async_copy", 1}}, Precision::s, [](auto& l) { l.async_copies = false; }}},
      {"whole_pixels", {tiled, {{"image_a", 1}, {"pack_a", 1}, {"vector_width", 2}}}},
      {"hardware_fma", {tiled, {}, Precision::s, [](auto& l) { l.fma_single = false; }}},
      {"vector_exists", {panel, {{"tile_rows", 1}, {"tile_cols", 16}}, Precision::c}},
      {"registers",
       {tiled, {{"tile_rows", 16}, {"tile_cols", 16}, {"group_rows", 8}, {"group_cols", 8}}}},
      {"bytes_shape",
       {tiled,
        {{"matrix", 4}, {"k_unroll", 4}, {"tile_rows", 4}, {"group_rows", 8}},
        Precision::d,
        [](auto& l) { l.doubles_by_integers = true; }}},
      {"register_share", {tiled, {{"resident_groups", 4}}}},
      {"told_level",
       {tiled, {{"compiler_level", 1}}, Precision::s, [](auto& l) { l.register_shares = false; }}},
      {"group_size", {tiled, {}, Precision::s, [](auto& l) { l.max_work_group_size = 128; }}},
      {"stack_of_group",
       {tiled,
        {{"group_rows", 32},
         {"group_cols", 32},
         {"group_depth", 4},
         {"k_unroll", 4},
         {"vector_width", 1}},
        Precision::s,
        [](auto& l) {
          l.is_cpu = true;
          l.local_memory_bytes = 0;
          l.max_work_group_size = 4096;
        }}},
      {"local_memory", {tiled, {}, Precision::s, [](auto& l) { l.local_memory_bytes = 16 << 10; }}},
      {"short_code",
       {tiled,
        {{"k_unroll", 32}},
        Precision::s,
        [](auto& l) {
          l.is_cpu = true;
          l.local_memory_bytes = 0;
        }}},
  };
  return once;
}

DeviceLimits limits_of(const Break& broken) {
  DeviceLimits limits = broken.family == KernelFamily::panel ? avx512() : able_gpu();
  broken.device(limits);
  return limits;
}

TEST(KernelRules, HoldAllForTheKernelsThatTheirTestsStartFrom) {
  EXPECT_EQ(violated_rule(legal(KernelFamily::panel), Precision::s, avx512()), nullptr);
  EXPECT_EQ(violated_rule(legal(KernelFamily::tiled), Precision::s, able_gpu()), nullptr);
}

TEST(KernelRules, AreEachTheOnlyOneThatSomeKernelBreaks) {
  for (const KernelRule& rule : kernel_rules()) {
    SCOPED_TRACE(rule.name);
    const auto found = breaks().find(rule.name);
    ASSERT_NE(found, breaks().end()) << "no test breaks this rule";
    const Break& broken = found->second;
    const KernelParams params = with(legal(broken.family), broken.fields);
    std::vector<std::string_view> names;
    for (const KernelRule& other : kernel_rules())
      if (!other.holds(params, broken.precision, limits_of(broken))) names.push_back(other.name);
    EXPECT_EQ(names, std::vector<std::string_view>{rule.name});
    const KernelRule* first = violated_static_rule(params);
    EXPECT_EQ(first != nullptr, rule.is_static);
  }
}

TEST(KernelRules, RefuseMatrixInstructionsForOtherElementTypes) {
  const KernelParams p =
      with(legal(KernelFamily::tiled), breaks().at("matrix_instructions").fields);
  DeviceLimits roomy = able_gpu();
  roomy.static_local_bytes = 200 << 10;
  EXPECT_EQ(violated_rule(p, Precision::d, roomy), nullptr);
  for (const Precision other : {Precision::s, Precision::c, Precision::z})
    EXPECT_NE(violated_rule(p, other, roomy), nullptr);
}

TEST(KernelRules, LimitTheLengthOfCodeOnCpuDevicesAlone) {
  const Break& broken = breaks().at("short_code");
  const KernelParams p = with(legal(KernelFamily::tiled), broken.fields);
  DeviceLimits gpu = limits_of(broken);
  gpu.is_cpu = false;
  EXPECT_EQ(violated_rule(p, Precision::s, gpu), nullptr);
}

}  // namespace
}  // namespace duoblas
