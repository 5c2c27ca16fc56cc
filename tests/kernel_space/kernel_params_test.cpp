#include "kernel_space/kernel_params.hpp"

#include <gtest/gtest.h>

#include <duoblas/error.hpp>

#include <algorithm>
#include <set>
#include <variant>

#include "kernel_space/kernel_fields.hpp"

namespace duoblas {
namespace {

// In every field the first legal value that is not the default.
KernelParams all_changed() {
  KernelParams params;
  for (const KernelField& field : kernel_fields()) {
    const int old = field.get(params);
    field.set(params, *std::ranges::find_if(field.values, [&](int v) { return v != old; }));
  }
  return params;
}

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
  for (const KernelField& field : kernel_fields())
    bytes +=
        std::holds_alternative<bool KernelParams::*>(field.member) ? sizeof(bool) : sizeof(int);
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

TEST(KernelFields, AreNamedWhenMissing) {
  for (const KernelField& field : kernel_fields()) {
    auto fields = to_fields(KernelParams{});
    fields.erase(std::string(field.name));
    EXPECT_NE(message_of(fields).find(field.name), std::string::npos) << message_of(fields);
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

TEST(CanonicalKernel, KeepsWhatItsFamilyUsesAndNothingElse) {
  KernelParams panel = all_changed();
  panel.family = KernelFamily::panel;
  EXPECT_EQ(canonical(panel).block_k, panel.block_k);
  EXPECT_EQ(canonical(panel).group_rows, KernelParams{}.group_rows);
  KernelParams tiled = all_changed();
  EXPECT_EQ(canonical(tiled).block_k, KernelParams{}.block_k);
  EXPECT_EQ(canonical(tiled).group_rows, tiled.group_rows);
}

TEST(KernelDescription, TellsKernelsApartThatDifferInOneField) {
  for (const KernelFamily family : {KernelFamily::panel, KernelFamily::tiled}) {
    KernelParams base;
    base.family = family;
    for (const KernelField& field : kernel_fields()) {
      KernelParams other = base;
      field.set(other, field.get(all_changed()));
      if (canonical(other) == canonical(base)) continue;
      EXPECT_NE(describe(other), describe(base)) << field.name;
    }
  }
}

}  // namespace
}  // namespace duoblas
