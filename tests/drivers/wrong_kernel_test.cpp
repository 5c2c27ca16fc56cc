// A kernel that this driver's compiler makes something else of, offered by hand: by a folder of
// kernels and by a profile.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <duoblas/context.hpp>

#include "api/context_state.hpp"
#include "kernel_space/canonical_kernel.hpp"
#include "kernel_space/tiled_points.hpp"
#include "support/gemm_case.hpp"
#include "support/staged_profile.hpp"
#include "support/temporary_directory.hpp"

namespace duoblas::test {
namespace {

namespace files = std::filesystem;

// Without local memory: what Intel's vectoriser was found to misread.
KernelParams plain_tiled() {
  KernelParams p = least_tiled();
  p.tile_rows = p.tile_cols = 4;
  p.group_rows = p.group_cols = 8;
  p.k_unroll = p.vector_width = 4;
  p.multiply_add = MultiplyAdd::plain;
  return canonical(p);
}

// Our kernels, but for what they do to be right on Intel's runtime (docs/drivers.md).
void make_kernels(const files::path& folder) {
  files::copy(DUOBLAS_TEST_KERNEL_DIR, folder);
  const files::path file = folder / "tiled_geometry.clh";
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  std::string source = text.str();
  const std::string right = "#define NUMBER(id) ((int)(id))";
  const std::size_t at = source.find(right);
  ASSERT_NE(at, std::string::npos);
  std::ofstream(file) << source.replace(at, right.size(), "#define NUMBER(id) (id)");
}

Profile profile_with(Engine& engine, const KernelParams& kernel) {
  Profile profile = staged_profile(engine);
  for (TunedPoint& point : profile.points)
    point.gpu.kernel = point.simple.kernel = point.hybrid.kernel = kernel;
  return profile;
}

TEST(WrongKernel, IsFoundBeforeItComputesAnything) {
  const TemporaryDirectory directory;
  const files::path folder = files::path(directory.path()) / "kernels";
  make_kernels(folder);
  Settings settings = Settings::from_environment();
  settings.strategy = Strategy::gpu;
  settings.kernel_dir = folder.string();
  settings.profile_dir.clear();
  settings.cache_dir = directory / "cache";
  for (const CheckMode check : {CheckMode::off, CheckMode::sampled}) {
    settings.check = check;
    Context context(settings);
    Engine& engine = ContextEngine::of(context);
    ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
    engine.facts().adopt(profile_with(engine, plain_tiled()));
    std::vector<float> a(96 * 96), b = a, c = a;
    for (std::size_t i = 0; i < a.size(); ++i) {
      a[i] = static_cast<float>(i % 7);
      b[i] = static_cast<float>(i % 5);
    }
    const auto compute = [&] {
      context.gemm<float>(Layout::row_major, Op::none, Op::none, 96, 96, 96, 1, a.data(), 96,
                          b.data(), 96, 0, c.data(), 96);
    };
    testing::internal::CaptureStderr();
    compute();
    const std::string said = testing::internal::GetCapturedStderr();
    // Small integers: every sum is exact.
    bool is_right = true;
    for (std::size_t i = 0; i < 96; ++i)
      for (std::size_t j = 0; j < 96; ++j) {
        float sum = 0;
        for (std::size_t p = 0; p < 96; ++p) sum += a[i * 96 + p] * b[p * 96 + j];
        is_right = is_right && c[i * 96 + j] == sum;
      }
    const bool misread = engine.gpu()->info().platform == "Intel(R) OpenCL" &&
                         std::getenv("CL_CONFIG_CPU_VECTORIZER_MODE") == nullptr;
    if (check == CheckMode::off) {
      EXPECT_EQ(is_right, !misread) << "else this test shows nothing";
      continue;
    }
    EXPECT_TRUE(is_right);
    EXPECT_EQ(said.find("This kernel is not used") != std::string::npos, misread) << said;
    EXPECT_EQ(Context::last_call().recovered, misread);
    EXPECT_EQ(engine.checks().counts().wrong, 0u) << "nothing wrong was computed for the program";
    compute();
    EXPECT_FALSE(Context::last_call().recovered) << "another kernel takes its place";
  }
}

}  // namespace
}  // namespace duoblas::test
