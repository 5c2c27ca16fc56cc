#include "kernel_space/built_in_rows.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include <duoblas/error.hpp>

#include "kernel_space/built_in_kernels.hpp"
#include "kernel_space/copy_kernel.hpp"
#include "kernel_space/gemv_kernel.hpp"
#include "kernel_space/kernel_description.hpp"
#include "kernel_space/kernel_rules.hpp"
#include "kernel_space/update_kernel.hpp"

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
        EXPECT_EQ(describe(kernel), row->kernel);
        EXPECT_EQ(violated_static_rule(kernel), nullptr) << row->kernel;
      }
  for (const BuiltInRow& row : built_in_rows())
    EXPECT_EQ(of_products.contains(&row), row.kernel.starts_with("tiled")) << row.kernel;
}

TEST(BuiltInRows, SayWhereTheyComeFrom) {
  for (const BuiltInRow& row : built_in_rows()) EXPECT_FALSE(row.from.empty()) << row.kernel;
}

TEST(BuiltInRows, OfRoutinesThatMemoryLimitsAreWrittenAsTheyAreShown) {
  for (const BuiltInRow& row : built_in_rows()) {
    const std::string text(row.kernel);
    std::string shown = text;
    if (row.use.starts_with("gemv")) shown = describe(gemv_kernel_from(text));
    if (row.use.starts_with("copy")) shown = describe(copy_kernel_from(text));
    if (row.use == "ger" || row.use == "axpy") shown = describe(update_kernel_from(text));
    EXPECT_EQ(shown, text);
  }
}

}  // namespace
}  // namespace duoblas
