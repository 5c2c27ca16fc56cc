// A new axis is a row of the table: nothing that is made from the table knows the axes by name. The
// compiler's options are tests/gpu/kernel_source_test.cpp's business, the explanation
// tests/cli/kernel_explained_test.cpp's.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>

#include <duoblas/error.hpp>

#include "kernel_space/canonical_kernel.hpp"
#include "kernel_space/kernel_description.hpp"
#include "support/wider_space.hpp"

namespace duoblas {
namespace {

using Json = nlohmann::json;
using Rows = std::vector<KernelField>;

class OpenSpace : public testing::Test {
 protected:
  static KernelParams tiled(int made_up) {
    KernelParams p;
    p.family = KernelFamily::tiled;
    p.tile_rows = p.tile_cols = 8;
    p.group_rows = p.group_cols = 16;
    p.local_a = p.local_b = p.pack_a = true;
    p.resident_groups = 2;
    test::made_up(p) = made_up;
    return p;
  }
  static std::string written(const KernelParams& params, const Rows& rows) {
    return Json(to_fields(params, rows)).dump();
  }
  static KernelParams read(const std::string& text, const Rows& rows) {
    return from_fields(Json::parse(text).get<std::map<std::string, int>>(), rows);
  }
  static std::string complaint(const std::string& text, const Rows& rows) {
    try {
      read(text, rows);
    } catch (const SettingError& error) {
      return error.what();
    }
    return "";
  }

  const Rows before_ = test::space_before();
  const Rows after_ = test::wider_space();
};

TEST_F(OpenSpace, ReadsAKernelOfBeforeAsOneWithTheAxisAtItsDefault) {
  const std::string old = written(tiled(1), before_);
  EXPECT_EQ(old.find("made_up"), std::string::npos);
  EXPECT_EQ(read(old, after_), tiled(1));
}

TEST_F(OpenSpace, WritesTheAxisAndReadsItBack) {
  for (const int made_up : test::made_up_values) {
    const std::string text = written(tiled(made_up), after_);
    EXPECT_NE(text.find("\"made_up\":" + std::to_string(made_up)), std::string::npos) << text;
    EXPECT_EQ(read(text, after_), tiled(made_up));
  }
}

TEST_F(OpenSpace, NamesTheAxisWhereALibraryDoesNotKnowItOrItsValue) {
  const std::string unknown = complaint(written(tiled(3), after_), before_);
  EXPECT_NE(unknown.find("\"made_up\" is unknown"), std::string::npos) << unknown;
  const std::string illegal = complaint(R"({"made_up": 2})", after_);
  EXPECT_NE(illegal.find("\"made_up\" is 2; legal are 1, 3, 9"), std::string::npos) << illegal;
}

TEST_F(OpenSpace, LeavesTheAxisToTheFamilyThatUsesIt) {
  EXPECT_EQ(canonical(tiled(9), after_), tiled(9));
  KernelParams panel;
  test::made_up(panel) = 9;
  EXPECT_EQ(canonical(panel, after_), KernelParams{});
  EXPECT_TRUE(matters(after_.back(), tiled(1), after_));
  EXPECT_FALSE(matters(after_.back(), panel, after_));
}

TEST_F(OpenSpace, TellsTheAxisInTheKernelsLineUnlessItIsAtItsDefault) {
  const std::string old = "tiled 8x8 v4 wg16x16 k1 localA localB pre1 as10 fit2 packA";
  EXPECT_EQ(describe(tiled(1), before_), old);
  EXPECT_EQ(describe(tiled(1), after_), old);
  EXPECT_EQ(describe(tiled(3), after_),
            "tiled 8x8 v4 wg16x16 k1 localA localB pre1 as10 fit2 made_up3 packA");
}

TEST_F(OpenSpace, TellsTheAxisLastWhereItsRowNamesNoPlace) {
  Rows rows = after_;
  rows.back().token = {" made_up#"};
  KernelParams params = tiled(3);
  params.multiply_add = MultiplyAdd::mad;
  EXPECT_EQ(describe(params, rows),
            "tiled 8x8 v4 wg16x16 k1 localA localB pre1 as10 fit2 packA mad made_up3");
}

TEST_F(OpenSpace, SearchesTheAxisWhereItsImportanceSays) {
  const auto place_of = [&](std::string_view name) {
    const auto order = fields_by_importance(KernelFamily::tiled, after_);
    return std::ranges::find(order, name,
                             [&](int i) { return after_[static_cast<std::size_t>(i)].name; }) -
           order.begin();
  };
  EXPECT_LT(place_of("group_rows"), place_of("made_up"));
  EXPECT_LT(place_of("made_up"), place_of("group_cols"));
  const auto panel = fields_by_importance(KernelFamily::panel, after_);
  EXPECT_EQ(after_[static_cast<std::size_t>(panel.back())].name, "made_up");
}

TEST_F(OpenSpace, ExplainsTheAxisInItsGroup) {
  const auto groups = grouped_fields(after_);
  EXPECT_EQ(groups.size(), grouped_fields(before_).size());
  const auto group = std::ranges::find(groups, "In what order", &FieldGroup::title);
  ASSERT_NE(group, groups.end());
  EXPECT_EQ(group->fields.back()->name, "made_up");
}

TEST_F(OpenSpace, HasAGroupMoreWhereTheAxisBringsOne) {
  Rows rows = after_;
  rows.back().group = "What nobody thought of";
  EXPECT_EQ(grouped_fields(rows).back().title, "What nobody thought of");
}

}  // namespace
}  // namespace duoblas
