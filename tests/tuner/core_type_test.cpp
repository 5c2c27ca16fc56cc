// Core types of OpenBLAS, and how they are measured.
#include "cpu/core_type.hpp"

#include <chrono>

#include <gtest/gtest.h>

#include <duoblas/error.hpp>

#include "cpu/cpu_side.hpp"
#include "os/link_namespace.hpp"
#include "support/made_locale.hpp"
#include "tuner/core_type_probe.hpp"

namespace duoblas {
namespace {

constexpr VectorExtensions none{};
constexpr VectorExtensions avx2{true, false, false};
constexpr VectorExtensions avx512{true, true, false};

TEST(CoreType, IsReplacedWhereItLeavesTheVectorsUnused) {
  for (const char* old : {"Prescott", "Core2", "Nehalem", "Sandybridge", "prescott"}) {
    EXPECT_EQ(better_core_type(old, avx2), "Haswell") << old;
    EXPECT_EQ(better_core_type(old, avx512), "SkylakeX") << old;
    EXPECT_EQ(better_core_type(old, none), "") << old;
  }
  EXPECT_EQ(better_core_type("Haswell", avx512), "SkylakeX");
}

TEST(CoreType, StaysWhereItIsGoodOrUnknown) {
  for (const char* good : {"SkylakeX", "Cooperlake", "SapphireRapids", "Zen6", ""})
    EXPECT_EQ(better_core_type(good, avx512), "") << good;
  for (const char* good : {"Haswell", "Zen", "SkylakeX"})
    EXPECT_EQ(better_core_type(good, avx2), "") << good;
}

TEST(CoreType, IsMeasuredOnArmOnlyWhereItsInstructionsAre) {
  VectorExtensions has;
  EXPECT_TRUE(candidate_core_types(has).empty());
  has.arm.neon = true;
  EXPECT_EQ(candidate_core_types(has),
            (std::vector<std::string>{"armv8", "cortexa57", "cortexa53"}));
  has.arm.v8_2 = has.arm.sve = true;
  EXPECT_EQ(candidate_core_types(has).front(), "neoversen1");
  has.arm.v8_4 = true;
  EXPECT_EQ(candidate_core_types(has).front(), "neoversev1");
  EXPECT_EQ(better_core_type("armv8", has), "") << "nothing was measured";
}

// The small letter of I is another one than i in Turkish.
TEST(CoreType, IsTheSameInATurkishLocale) {
  const test::MadeLocale locale("tr_TR");
  EXPECT_TRUE(same_core_type("SANDYBRIDGE", "Sandybridge"));
}

TEST(CoreTypeProbe, MeasuresTheLibrarysOwnChoiceFirst) {
  const auto findings = probe_core_types("", CORE_TYPE_HELPER);
  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(findings[0].core_type, "");
  for (const CoreTypeFinding& finding : findings) {
    EXPECT_FALSE(finding.core_name.empty());
    EXPECT_GT(finding.sgemm_gflops, 0);
    EXPECT_GT(finding.dgemm_gflops, 0);
    EXPECT_TRUE(finding.core_type.empty() || finding.core_type == finding.core_name);
  }
}

TEST(CoreTypeProbe, NamesEachTypeOnce) {
  const auto findings = probe_core_types("knows one type", CORE_TYPE_HELPER);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].core_name, "Generic");
  EXPECT_EQ(findings[0].sgemm_gflops, 12.5);
  EXPECT_EQ(findings[0].dgemm_gflops, 6.25);
}

TEST(CoreTypeProbe, LeavesOutTypesThatFail) {
  EXPECT_EQ(probe_core_types("fails but for its own choice", CORE_TYPE_HELPER).size(), 1u);
}

TEST(CoreTypeProbe, IsEmptyWithoutAUsableHelperOrLibrary) {
  EXPECT_TRUE(probe_core_types("", "").empty());
  EXPECT_TRUE(probe_core_types("", "/nonexistent/helper").empty());
  EXPECT_TRUE(probe_core_types("", "/bin/false").empty());
  EXPECT_TRUE(probe_core_types("crashes", CORE_TYPE_HELPER).empty());
  EXPECT_TRUE(probe_core_types("prints nonsense", CORE_TYPE_HELPER).empty());
  EXPECT_TRUE(probe_core_types("/nonexistent/libblas.so", CORE_TYPE_HELPER).empty());
}

TEST(CoreTypeProbe, EndsAHelperThatHangs) {
  EXPECT_TRUE(probe_core_types("hangs", CORE_TYPE_HELPER, std::chrono::seconds(1)).empty());
}

TEST(CoreTypeProbe, OfAMissingLibraryThrows) {
  EXPECT_THROW(run_core_type_probe("/nonexistent/libblas.so", ""), CpuBlasError);
}

}  // namespace
}  // namespace duoblas
