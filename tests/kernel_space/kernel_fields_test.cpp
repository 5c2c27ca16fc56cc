// The table of kernel parameters, and what is made from it.
#include "kernel_space/kernel_fields.hpp"

#include <gtest/gtest.h>

#include <duoblas/error.hpp>

#include <algorithm>
#include <set>
#include <vector>

#include "tests/kernel_space/changed_kernel.hpp"

namespace duoblas {
namespace {

using test::all_changed;

std::string message_of(const std::map<std::string, int>& fields) {
  try {
    from_fields(fields);
  } catch (const SettingError& error) {
    return error.what();
  }
  return "";
}

TEST(KernelFields, HaveDistinctNamesAndMacros) {
  std::set<std::string_view> names, macros;
  for (const KernelField& field : kernel_fields()) {
    names.insert(field.name);
    EXPECT_FALSE(field.meaning.empty()) << field.name;
    if (field.macro.empty()) continue;
    EXPECT_TRUE(macros.insert(field.macro).second) << field.macro;
  }
  EXPECT_EQ(names.size(), kernel_fields().size());
}

TEST(KernelFields, ReachEveryMember) {
  const KernelParams changed = all_changed();
  KernelParams copy;
  for (const KernelField& field : kernel_fields()) {
    EXPECT_NE(copy, changed) << "before " << field.name;
    field.set(copy, field.get(changed));
  }
  EXPECT_EQ(copy, changed);
  // A member that no field reaches would make this larger than the table says.
  std::size_t bytes = 0;
  for (const KernelField& field : kernel_fields()) bytes += field.member.bytes;
  EXPECT_LT(sizeof(KernelParams), bytes + 3 * alignof(KernelParams));
}

TEST(KernelFields, HoldTheDefaultsAmongAscendingLegalValues) {
  for (const KernelField& field : kernel_fields()) {
    EXPECT_TRUE(std::ranges::is_sorted(field.values)) << field.name;
    EXPECT_TRUE(field.is_legal(field.get(KernelParams{}))) << field.name;
  }
}

TEST(KernelFields, SurviveTheRoundTripThroughNumbers) {
  for (const KernelParams& params : {KernelParams{}, all_changed()})
    EXPECT_EQ(from_fields(to_fields(params)), params);
}

TEST(KernelFields, HaveTheirDefaultsWhereTheyAreMissing) {
  EXPECT_EQ(from_fields({}), KernelParams{});
  for (const KernelField& field : kernel_fields()) {
    auto fields = to_fields(all_changed());
    fields.erase(std::string(field.name));
    KernelParams expected = all_changed();
    field.set(expected, field.default_value());
    EXPECT_EQ(from_fields(fields), expected) << field.name;
  }
}

TEST(KernelFields, AreNamedWithTheLegalValuesWhenIllegal) {
  for (const KernelField& field : kernel_fields()) {
    auto fields = to_fields(KernelParams{});
    fields[std::string(field.name)] = -3;
    const std::string message = message_of(fields);
    EXPECT_NE(message.find(field.name), std::string::npos) << message;
    EXPECT_NE(message.find(std::to_string(field.values.back())), std::string::npos) << message;
  }
}

TEST(KernelFields, AreNamedWhenUnknown) {
  auto fields = to_fields(KernelParams{});
  fields["tile_depth"] = 1;
  EXPECT_NE(message_of(fields).find("tile_depth"), std::string::npos);
}

TEST(KernelFields, AreEachInAGroupAndToldInTheKernelsLine) {
  for (const KernelField& field : kernel_fields()) {
    EXPECT_FALSE(field.group.empty()) << field.name;
    EXPECT_FALSE(field.token.text.empty()) << field.name;
    // A text for all values, or one for each.
    const auto texts = 1 + std::ranges::count(field.token.text, '|');
    EXPECT_TRUE(texts == 1 || texts == std::ssize(field.values)) << field.name;
  }
}

// The names in this order; others may be between them.
void expect_order(KernelFamily family, const std::vector<std::string_view>& names) {
  std::vector<std::string_view> order;
  for (const int i : fields_by_importance(family)) {
    const std::string_view name = kernel_fields()[static_cast<std::size_t>(i)].name;
    if (std::ranges::find(names, name) != names.end()) order.push_back(name);
  }
  EXPECT_EQ(order, names);
}

// Recorded searches took them so.
TEST(FieldsByImportance, KeepTheOrderThatSearchesTook) {
  expect_order(KernelFamily::panel,
               {"tile_rows", "tile_cols", "pack_a", "block_k", "block_m", "block_n", "k_unroll",
                "pack_b", "loop_order", "vector_width", "multiply_add", "k_split", "inline_sizes"});
  expect_order(
      KernelFamily::tiled,
      {"prefetch",   "tile_rows",  "tile_cols",    "k_unroll",        "fragments",   "pack_a",
       "pack_b",     "group_rows", "group_cols",   "resident_groups", "group_depth", "raster",
       "lane_order", "assignment", "vector_width", "madd_order",      "local_a",     "local_b",
       "async_copy", "matrix",     "wide",         "loop_order",      "k_split",     "shuffle",
       "image_a",    "image_b",    "multiply_add", "inline_sizes"});
}

TEST(FieldsByImportance, HoldEveryFieldOnce) {
  for (const KernelFamily family : {KernelFamily::panel, KernelFamily::tiled}) {
    std::vector<int> order = fields_by_importance(family);
    std::ranges::sort(order);
    ASSERT_EQ(order.size(), kernel_fields().size());
    for (int i = 0; i < std::ssize(order); ++i) EXPECT_EQ(order[static_cast<std::size_t>(i)], i);
  }
}

}  // namespace
}  // namespace duoblas
