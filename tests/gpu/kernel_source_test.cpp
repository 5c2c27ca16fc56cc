// A kernel's source and options, as they are put together.
#include "gpu/kernels/kernel_source.hpp"

#include <gtest/gtest.h>

#include <duoblas/error.hpp>

#include <algorithm>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>

#include "gpu/kernels/embedded_kernels.hpp"
#include "kernel_space/kernel_fields.hpp"
#include "support/wider_space.hpp"

namespace duoblas {
namespace {

KernelVariant variant(KernelFamily family, Op op_a, Op op_b) {
  KernelVariant v;
  v.params.family = family;
  v.op_a = op_a;
  v.op_b = op_b;
  return v;
}

bool has(const std::string& options, const std::string& flag) {
  return (options + ' ').find(' ' + flag + ' ') != std::string::npos;
}

TEST(KernelSource, IsEmbeddedAsItStandsInTheTree) {
  for (const KernelFamily family : {KernelFamily::panel, KernelFamily::tiled}) {
    KernelParams params;
    params.family = family;
    const std::string embedded = kernel_source(params, "");
    EXPECT_EQ(embedded, kernel_source(params, DUOBLAS_TEST_KERNEL_DIR));
    EXPECT_NE(embedded.find("void gemm("), std::string::npos);
    EXPECT_NE(embedded.find("void pack_a("), std::string::npos);
    EXPECT_NE(embedded.find("void pack_b("), std::string::npos);
  }
}

// Intel's CPU runtime miscompiles them: kernels/README.md, "What compilers of drivers demand".
TEST(KernelSource, TurnsAWorkItemsNumberIntoAnIntBeforeItDivides) {
  const std::regex divided(R"(get_(local|global)_id\(\d\)\s*[/%])");
  for (const MatrixUnit matrix : {MatrixUnit::none, MatrixUnit::fp64})
    for (const KernelFamily family : {KernelFamily::panel, KernelFamily::tiled}) {
      KernelParams params;
      params.family = family;
      params.matrix = matrix;
      params.k_split = 2;
      EXPECT_FALSE(std::regex_search(kernel_source(params, ""), divided));
    }
  KernelParams tiled;
  tiled.family = KernelFamily::tiled;
  EXPECT_NE(kernel_source(tiled, "").find("#define NUMBER(id) ((int)(id))"), std::string::npos);
  EXPECT_FALSE(std::regex_search(joined_source({"suited.clh", "guard.cl"}, ""), divided));
  EXPECT_FALSE(std::regex_search(probe_source(""), divided));
}

TEST(KernelSource, NamesTheFileThatIsMissing) {
  try {
    kernel_source({}, "/nonexistent");
    FAIL() << "no error";
  } catch (const DeviceError& error) {
    const std::string what = error.what();
    EXPECT_NE(what.find("/nonexistent/types.clh"), std::string::npos) << what;
    EXPECT_NE(what.find("DUOBLAS_KERNEL_DIR"), std::string::npos) << what;
  }
}

TEST(KernelSource, EmbedsNoOtherFiles) {
  EXPECT_TRUE(embedded_kernel("README.md").empty());
}

TEST(KernelOptions, HoldAFlagForEveryField) {
  KernelVariant v;
  v.params.tile_rows = 14;
  v.params.pack_b = true;
  const std::string options = kernel_options(v);
  for (const KernelField& field : kernel_fields()) {
    if (field.macro.empty()) continue;
    EXPECT_TRUE(
        has(options, "-D" + std::string(field.macro) + "=" + std::to_string(field.get(v.params))))
        << field.name << " in " << options;
  }
}

TEST(KernelOptions, HoldTheFlagOfAnAxisThatTheTableHasMore) {
  const auto before = test::space_before(), after = test::wider_space();
  KernelVariant v = variant(KernelFamily::tiled, Op::none, Op::none);
  test::made_up(v.params) = 3;
  EXPECT_EQ(kernel_options(v, before).find("MADE_UP"), std::string::npos);
  EXPECT_TRUE(has(kernel_options(v, after), "-DMADE_UP=3"));
}

// What changes results is no axis: -cl-mad-enable and options like it are never there.
TEST(KernelOptions, TellTheCompilersLevelAndNothingThatChangesResults) {
  KernelVariant v = variant(KernelFamily::tiled, Op::none, Op::none);
  EXPECT_EQ(kernel_options(v).find("-cl-nv"), std::string::npos) << "as it was before the axis";
  v.params.compiler_level = 1;
  const std::string options = kernel_options(v);
  EXPECT_TRUE(has(options, "-cl-nv-opt-level=1")) << options;
  for (const char* unsafe : {"mad-enable", "fast-relaxed", "unsafe-math", "no-signed-zeros",
                             "denorms-are-zero", "finite-math", "opt-disable"})
    EXPECT_EQ(options.find(unsafe), std::string::npos) << unsafe;
}

TEST(KernelOptions, AreTheSameForKernelsThatDifferInTheirLaunchAlone) {
  KernelVariant v, other;
  other.params.block_m = 2 * v.params.block_m;
  other.params.block_n = 2 * v.params.block_n;
  EXPECT_EQ(kernel_options(v), kernel_options(other));
}

TEST(KernelOptions, TellTheElementTypeAndTheOps) {
  KernelVariant v = variant(KernelFamily::tiled, Op::transpose, Op::conj_transpose);
  v.precision = Precision::z;
  v.params.vector_width = 2;
  const std::string options = kernel_options(v);
  for (const char* flag : {"-DPART=double", "-DPARTS=2", "-DLANES=4", "-DOP_A=1", "-DOP_B=2"})
    EXPECT_TRUE(has(options, flag)) << flag << " in " << options;
}

// Kernels of one width are what they were before there were two: what depends on it is there once.
TEST(KernelSource, HoldsVectorsOfEachOperandWhereTheirWidthsDiffer) {
  KernelVariant v = variant(KernelFamily::tiled, Op::none, Op::none);
  v.params.vector_width = 4;
  const auto times = [&] {
    const auto files = kernel_files(v.params, "");
    return std::ranges::count(files, "tiled_vectors.clh", &KernelFile::name);
  };
  EXPECT_EQ(times(), 1);
  EXPECT_TRUE(has(kernel_options(v), "-DLANES_A=4"));
  v.params.vector_width_m = 2;
  EXPECT_EQ(times(), 2);
  v.precision = Precision::c;
  EXPECT_TRUE(has(kernel_options(v), "-DLANES_A=4"));
  EXPECT_TRUE(has(kernel_options(v), "-DLANES=8"));
}

TEST(NormalisedKernels, ReadImagesOfOperandsInPlaceWhereRowsAreWholePixels) {
  KernelVariant v = variant(KernelFamily::tiled, Op::none, Op::none);
  v.params.image_a = v.params.image_b = true;
  v.params.pack_a = v.params.pack_b = false;
  v.params.local_a = v.params.local_b = true;
  for (const Rows rows : {Rows::whole, Rows::aligned, Rows::anyhow}) {
    v.rows = rows;
    EXPECT_EQ(normalised(v).params.image_a, rows == Rows::whole);
    EXPECT_EQ(normalised(v).params.image_b, rows == Rows::whole);
  }
  v.params.pack_a = true;
  EXPECT_TRUE(normalised(v).params.image_a) << "what is packed is whole pixels";
  EXPECT_FALSE(normalised(v).params.image_b);
}

TEST(KernelContract, NamesEveryMacroAndEveryParameterOfTheLaunch) {
  std::ifstream file(DUOBLAS_TEST_KERNEL_DIR "/README.md");
  std::ostringstream text;
  text << file.rdbuf();
  for (const KernelField& field : kernel_fields()) {
    const std::string_view named = field.macro.empty() ? field.name : field.macro;
    EXPECT_NE(text.str().find('`' + std::string(named) + '`'), std::string::npos) << named;
  }
}

TEST(KernelPacking, FollowsTheParametersInTiledKernels) {
  for (const Op op : {Op::none, Op::transpose, Op::conj_transpose}) {
    KernelVariant v = variant(KernelFamily::tiled, op, op);
    EXPECT_FALSE(packs_a(v) || packs_b(v));
    v.params.pack_a = true;
    EXPECT_TRUE(packs_a(v) && !packs_b(v));
    EXPECT_TRUE(has(kernel_options(v), "-DPACKS_A=1"));
    EXPECT_TRUE(has(kernel_options(v), "-DPACKS_B=0"));
  }
}

TEST(KernelPacking, IsForcedWhereAPanelKernelCannotReadInPlace) {
  EXPECT_FALSE(packs_a(variant(KernelFamily::panel, Op::none, Op::transpose)));
  EXPECT_TRUE(packs_b(variant(KernelFamily::panel, Op::none, Op::transpose)));
  EXPECT_TRUE(packs_a(variant(KernelFamily::panel, Op::conj_transpose, Op::none)));
  EXPECT_FALSE(packs_b(variant(KernelFamily::panel, Op::conj_transpose, Op::none)));
}

}  // namespace
}  // namespace duoblas
