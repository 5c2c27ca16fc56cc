// Whether trials of kernels find what is wrong, and nothing else.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <duoblas/context.hpp>

#include "gpu/gpu_side.hpp"
#include "gpu/kernels/kernel_source.hpp"
#include "kernel_space/canonical_kernel.hpp"
#include "kernel_space/kernel_defaults.hpp"
#include "kernel_space/tiled_points.hpp"
#include "support/first_device.hpp"
#include "support/gemm_case.hpp"
#include "support/temporary_directory.hpp"
#include "support/turns.hpp"

namespace duoblas {
namespace {

namespace files = std::filesystem;

// Small, so that PoCL compiles it in a second.
KernelParams small_tiled() {
  KernelParams p = least_tiled();
  p.tile_rows = p.tile_cols = 4;
  p.group_rows = p.group_cols = 4;
  p.k_unroll = 4;
  p.vector_width = 2;
  p.local_a = p.local_b = true;
  return canonical(p);
}

KernelParams kernel_of(KernelFamily family, Precision precision, const DeviceLimits& limits) {
  if (family == KernelFamily::tiled) return small_tiled();
  DeviceLimits of_cpu = limits;
  of_cpu.is_cpu = true;
  // A GPU that prefers single elements has no ends of vectors, where some faults are.
  of_cpu.vector_bytes = std::max(of_cpu.vector_bytes, 16);
  return default_kernel(precision, of_cpu);
}

bool computes(const GpuSide& side, Precision precision) {
  return side.info().has_fp64 || !is_double(precision);
}

// Of the pairs of ops each type has one with either family, and has the other one with the other.
TEST(KernelTrials, FindNothingWrongWithRightKernels) {
  GpuSide side(test::first_device(), {});
  for (const KernelFamily family : {KernelFamily::panel, KernelFamily::tiled})
    for (const Precision precision : all_precisions)
      for (const auto& [op_a, op_b] :
           {std::pair(Op::none, Op::none), std::pair(Op::transpose, Op::conj_transpose)}) {
        const int number = static_cast<int>(family) + static_cast<int>(op_a);
        if (!computes(side, precision) || !test::has_turn(precision, number)) continue;
        KernelVariant variant{kernel_of(family, precision, side.limits()), precision, op_a, op_b};
        for (const Rows rows : {Rows::whole, Rows::anyhow}) {
          variant.rows = rows;
          EXPECT_EQ(side.try_kernel(variant), "");
          if (normalised(variant).rows == Rows::whole) break;
        }
      }
}

TEST(KernelTrials, FindNothingWrongWithImagesOfOperandsInPlace) {
  GpuSide side(test::first_device(), {});
  if (side.limits().max_image_pixels == 0) return;
  for (const Precision precision : all_precisions)
    for (const Op op : {Op::none, Op::transpose}) {
      if (!computes(side, precision) || !test::has_turn(precision, static_cast<int>(op))) continue;
      KernelVariant variant{small_tiled(), precision, op, op};
      variant.params.vector_width = 16 / static_cast<int>(element_size(precision));
      variant.params.image_a = variant.params.image_b = true;
      ASSERT_TRUE(normalised(variant).params.image_a);
      EXPECT_EQ(side.try_kernel(variant), "");
    }
}

TEST(KernelTrials, FindNothingWrongWithSizesThatAreCompiledIn) {
  GpuSide side(test::first_device(), {});
  for (const int n : {37, 1500}) {  // element by element, and by a random vector
    KernelVariant variant;
    variant.params = kernel_of(KernelFamily::panel, Precision::s, side.limits());
    variant.params.inline_sizes = true;
    variant.n = variant.k = n;
    EXPECT_EQ(side.try_kernel(variant), "");
  }
}

struct Fault {
  const char* name;
  KernelFamily family;
  const char* file;
  const char* right;
  const char* wrong;
};

// A folder of kernels of which one line is another.
void make_faulty_kernels(const files::path& folder, const Fault& fault) {
  files::copy(DUOBLAS_TEST_KERNEL_DIR, folder);
  std::stringstream text;
  text << std::ifstream(folder / fault.file).rdbuf();
  std::string source = text.str();
  const std::size_t at = source.find(fault.right);
  ASSERT_NE(at, std::string::npos) << fault.right;
  source.replace(at, std::string(fault.right).size(), fault.wrong);
  std::ofstream(folder / fault.file) << source;
}

constexpr KernelFamily panel = KernelFamily::panel, tiled = KernelFamily::tiled;
const Fault faults[] = {
    {"beta is taken for 1", panel, "types.clh", "#define IS_ONE(v) ((v) == 1)",
     "#define IS_ONE(v) ((v) != 0)"},
    {"the last column stays", panel, "panel_store.clh", "i < to; ++i) p[i]",
     "i < to - 1; ++i) p[i]"},
    {"the last row of odd ones stays", panel, "panel.cl", "min(TILE_ROWS, call->m - row);",
     "min(TILE_ROWS, call->m - row - call->m % 2);"},
    {"slices after the first one count beta again", panel, "panel.cl", "i == 0 ? beta : ONE",
     "beta"},
    {"a column too many is written", panel, "panel_store.clh", "for (int i = from; i < to; ++i) p",
     "for (int i = from; i < to + 1; ++i) p"},
    {"sums are inexact", panel, "types.clh", "#define MADD(x, y, z) fma(x, y, z)",
     "#define MADD(x, y, z) (fma(x, y, z) * (PART)1.00003)"},
    {"the last row of odd ones stays", tiled, "tiled_store.clh", "if (r >= c->m ||",
     "if (r >= c->m - c->m % 2 ||"},
    {"an odd last step is left out", tiled, "tiled.cl", "const int depth = min(k,",
     "const int depth = min(k - k % 2,"},
    {"tiles beyond the fourth are the fourth", tiled, "tiled_order.clh", "col * TILE_N, 0}",
     "min(col, 3) * TILE_N, 0}"},
};

TEST(KernelTrials, FindEachFault) {
  for (const Fault& fault : faults) {
    SCOPED_TRACE(fault.name);
    const test::TemporaryDirectory directory;
    const files::path folder = files::path(directory.path()) / "kernels";
    make_faulty_kernels(folder, fault);
    GpuSide side(test::first_device(), {"", folder.string()});
    KernelVariant variant{kernel_of(fault.family, Precision::s, side.limits())};
    variant.rows = Rows::anyhow;
    EXPECT_NE(side.try_kernel(variant), "");
  }
}

// What a user offers is tried before it computes anything for him.
TEST(KernelTrials, KeepAWrongKernelFromProducts) {
  const test::TemporaryDirectory directory;
  const files::path folder = files::path(directory.path()) / "kernels";
  // The last row of odd ones stays, in the family that is the device's usual one.
  const bool is_cpu = GpuSide(test::first_device(), {}).limits().is_cpu;
  make_faulty_kernels(folder, faults[is_cpu ? 2 : 6]);
  Settings settings;
  settings.strategy = Strategy::hybrid;
  settings.split = Share{8, 16};
  settings.kernel_dir = folder.string();
  settings.cache_dir = directory / "cache";
  const auto compute = [&](const char* expected) {
    Context context(settings);
    testing::internal::CaptureStderr();
    test::CaseFactors factors;
    factors.m = 34;  // its half is an odd number of rows
    factors.n = 44;
    factors.k = 31;
    factors.beta = -0.7;
    test::expect_right<float>(
        factors, [&](const test::Call<float>& call, float* c, std::int64_t ldc) {
          context.gemm(call.layout, call.op_a, call.op_b, call.m, call.n, call.k, call.alpha,
                       call.a, call.lda, call.b, call.ldb, call.beta, c, ldc);
        });
    const std::string said = testing::internal::GetCapturedStderr();
    if (*expected == '\0')
      EXPECT_EQ(said, "");
    else
      EXPECT_NE(said.find(expected), std::string::npos) << said;
  };
  compute("This kernel is not used");
  compute("");  // a second process knows, and does not say so again
}

// Every call asks, for kernels too that it does not launch, and that are not built therefore.
TEST(KernelTrials, AreLookedForOnDiskOnce) {
  const test::TemporaryDirectory directory;
  Verification verification;
  verification.wanted = true;
  verification.folder = directory / "verdicts";
  GemmProblem product;
  product.m = product.n = product.k = product.lda = product.ldb = product.ldc = 48;
  float place = 0;
  product.a = product.b = product.c = &place;
  const auto opened = [&] {
    return std::make_unique<GpuSide>(test::first_device(), GpuFolders{}, false, 0, GpuBounds{},
                                     verification);
  };
  const auto earlier = opened(), side = opened();
  const KernelParams kernel = small_tiled();
  EXPECT_TRUE(side->need_trials(side->variants(product, kernel, SharingMode::staged)));
  earlier->build_kernels(earlier->variants(product, kernel, SharingMode::staged));
  EXPECT_FALSE(side->need_trials(side->variants(product, kernel, SharingMode::staged)));
  EXPECT_FALSE(side->has_kernels(side->variants(product, kernel, SharingMode::staged)));
  files::remove_all(directory / "verdicts");
  EXPECT_FALSE(side->need_trials(side->variants(product, kernel, SharingMode::staged)));
}

}  // namespace
}  // namespace duoblas
