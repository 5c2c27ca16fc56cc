// The rows of facts/kernels.txt: readable, legal somewhere, with their source.
#include "kernel_space/built_in_rows.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include <duoblas/error.hpp>

#include "kernel_space/built_in_kernels.hpp"
#include "kernel_space/gemv_kernel.hpp"
#include "kernel_space/h200_limits.hpp"
#include "kernel_space/kernel_description.hpp"
#include "kernel_space/kernel_replacement.hpp"
#include "kernel_space/kernel_rules.hpp"
#include "kernel_space/product_rows.hpp"
#include "kernel_space/sized_product.hpp"
#include "kernel_space/tiled_points.hpp"

namespace duoblas {
namespace {

TEST(BuiltInRows, AreReadWithConditionsAndTheSourceAboveThem) {
  const auto rows = built_in_rows_of(
      "# a comment\n"
      "from here, today\n"
      "batch | gpu | sd | size <= 16, rate = 0.5 | tiled\n"
      "\n"
      "from there\n"
      "gemv n | cpu | z | | v1\n");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].use, "batch");
  EXPECT_FALSE(rows[0].of_cpu);
  EXPECT_TRUE(rows[0].is_for(Precision::d));
  EXPECT_FALSE(rows[0].is_for(Precision::c));
  EXPECT_TRUE(rows[0].suits("size", 16));
  EXPECT_FALSE(rows[0].suits("size", 17));
  EXPECT_TRUE(rows[0].suits("of no condition", 17));
  const auto size_of_17 = [](std::string_view name) {
    return name == "size" ? std::optional(17.0) : std::nullopt;
  };
  ASSERT_NE(rows[0].unmet(size_of_17), nullptr);
  EXPECT_EQ(rows[0].unmet(size_of_17)->name, "size");
  EXPECT_EQ(rows[1].unmet(size_of_17), nullptr) << "there is no condition";
  EXPECT_EQ(rows[0].number("rate", 1), 0.5);
  EXPECT_EQ(rows[0].from, "here, today");
  EXPECT_EQ(rows[1].kernel, "v1");
  EXPECT_TRUE(rows[1].of_cpu);
  EXPECT_EQ(rows[1].number("rate", 1), 1);
  EXPECT_EQ(rows[1].from, "there");
}

TEST(BuiltInRows, ThatAreDamagedAreRefused) {
  for (const char* text :
       {"batch | gpu | s | tiled", "batch | gpu | s | | ", "batch | fpga | s | | tiled",
        "batch | gpu | q | | tiled", "batch | gpu | | | tiled", "batch | gpu | s | size | tiled",
        "batch | gpu | s | size <= many | tiled", "batch | gpu | s | <= 4 | tiled",
        "batch | gpu | s | | tiled | more"})
    EXPECT_THROW(built_in_rows_of(text), SettingError) << text;
}

// A use that nothing asks for, and a kernel that no device can have, are mistakes of who wrote
// them.
TEST(BuiltInRows, OfProductsAreOfAKnownUseWrittenAsTheyAreShownAndLegalSomewhere) {
  std::set<const BuiltInRow*> of_products;
  for (int use = 0; use <= static_cast<int>(KernelUse::refused); ++use)
    for (const Precision precision : all_precisions)
      for (const auto& [row, kernel, _] :
           built_in_kernels(static_cast<KernelUse>(use), precision)) {
        of_products.insert(row);
        if (row->kernel == "built in" || row->kernel == "splitLast") continue;
        EXPECT_EQ(describe(kernel), row->kernel);
        EXPECT_EQ(violated_static_rule(kernel), nullptr) << row->kernel;
      }
  for (const BuiltInRow& row : built_in_rows())
    if (row.kernel.starts_with("tiled") || row.kernel == "built in" || row.kernel == "splitLast") {
      EXPECT_TRUE(of_products.contains(&row)) << row.use << ", " << row.kernel;
    }
}

// A condition that nothing knows would be met by every call.
TEST(BuiltInRows, HaveConditionsOfKnownNamesOnly) {
  const std::set<std::string_view> told = {"rate", "per_row", "per_column"};
  const KernelReplacement replacement{KernelUse::resident, least_tiled(), true, least_tiled()};
  const GemmProblem product = sized(Precision::s, 64, 64);
  for (const BuiltInRow& row : built_in_rows())
    for (const auto& [name, comparison, value] : row.when) {
      const bool is_rule = row.kernel == "built in", is_told = told.contains(name);
      const auto known = is_rule ? number_for(name, replacement, product, h200())
                                 : number_for(name, product, h200());
      EXPECT_TRUE(known || is_told || (row.use == "last tiles" && name == "async_copy")) << name;
      EXPECT_EQ(is_told && comparison != "=", false) << name << " is a number of the row";
    }
}

TEST(BuiltInRows, SayWhereTheyComeFrom) {
  for (const BuiltInRow& row : built_in_rows()) EXPECT_FALSE(row.from.empty()) << row.kernel;
}

TEST(BuiltInRows, OfGemvAreWrittenAsTheyAreShown) {
  for (const BuiltInRow& row : built_in_rows()) {
    const std::string text(row.kernel);
    std::string shown = text;
    if (row.use.starts_with("gemv")) shown = describe(gemv_kernel_from(text));
    EXPECT_EQ(shown, text);
  }
}

}  // namespace
}  // namespace duoblas
