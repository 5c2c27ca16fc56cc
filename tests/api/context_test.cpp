// A Context as a program uses it: strategies, splits, devices, folders.
#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <duoblas/duoblas.hpp>

#include "engine/engine.hpp"
#include "os/host_environment.hpp"
#include "support/gemm_case.hpp"
#include "support/temporary_directory.hpp"

namespace duoblas::test {
namespace {

Front<double> through(Context& context) {
  return [&context](const Call<double>& g, double* c, std::int64_t ldc) {
    context.gemm(g.layout, g.op_a, g.op_b, g.m, g.n, g.k, g.alpha, g.a, g.lda, g.b, g.ldb, g.beta,
                 c, ldc);
  };
}

CaseFactors medium() {
  CaseFactors factors;
  factors.m = 150;
  factors.n = 160;
  factors.k = 170;
  factors.beta = 0.5;
  return factors;
}

Settings with(Strategy strategy) {
  Settings settings = Settings::from_environment();
  settings.strategy = strategy;
  settings.profile_dir.clear();
  return settings;
}

TEST(Context, ComputesOnTheCpuWhereNoDeviceIsWanted) {
  Settings settings = with(Strategy::hybrid);
  settings.device = "none";
  Context context(settings);
  expect_right<double>(medium(), through(context));
  EXPECT_EQ(Context::last_call().strategy, Strategy::cpu);
  EXPECT_NE(context.describe().find("GPU: none"), std::string::npos) << context.describe();
}

TEST(Context, ComputesOnTheCpuWhereTheNamedDeviceDoesNotExist) {
  Settings settings = with(Strategy::hybrid);
  settings.device = "no such device";
  Context context(settings);
  expect_right<double>(medium(), through(context));
  EXPECT_EQ(Context::last_call().strategy, Strategy::cpu);
  EXPECT_NE(context.describe().find("no such device"), std::string::npos) << context.describe();
}

TEST(Context, UsesTheGpuAloneWhenAskedTo) {
  Context context(with(Strategy::gpu));
  expect_right<double>(medium(), through(context));
  EXPECT_EQ(Context::last_call().strategy, Strategy::gpu);
  EXPECT_EQ(Context::last_call().gpu_rows, 150);
}

TEST(Context, TakesASplitAndGivesItBack) {
  Context context(with(Strategy::cpu));
  context.set_split(Share{4, 16});
  expect_right<double>(medium(), through(context));
  EXPECT_EQ(Context::last_call().strategy, Strategy::hybrid);
  EXPECT_EQ(Context::last_call().share, (Share{4, 16}));
  context.set_split(std::nullopt);
  expect_right<double>(medium(), through(context));
  EXPECT_EQ(Context::last_call().strategy, Strategy::cpu);
  EXPECT_THROW(context.set_split(Share{5, 4}), SettingError);
}

TEST(Context, CopesWithACacheDirectoryThatCannotBeWrittenAndSaysSoOnce) {
  // PoCL, which keeps no programs by itself then.
  const ScopedVariable keeps_none("POCL_KERNEL_CACHE", "0");
  Settings settings = with(Strategy::hybrid);
  settings.split = Share{8, 16};
  settings.cache_dir = "/proc/nowhere";
  settings.verbose = 1;
  Context context(settings);
  ::testing::internal::CaptureStderr();
  expect_right<double>(medium(), through(context));
  expect_right<double>(medium(), through(context));
  const std::string said = ::testing::internal::GetCapturedStderr();
  const auto first = said.find("/proc/nowhere");
  EXPECT_NE(first, std::string::npos) << said;
  EXPECT_EQ(said.find("not kept on disk", said.find("not kept on disk") + 1), std::string::npos)
      << said;
  EXPECT_EQ(Context::last_call().strategy, Strategy::hybrid);
  EXPECT_FALSE(Context::last_call().recovered);
}

TEST(Context, LeavesKeepingProgramsToADriverThatDoesItItself) {
  const TemporaryDirectory directory;
  Settings settings = with(Strategy::hybrid);
  settings.split = Share{8, 16};
  settings.cache_dir = directory / "cache";
  {
    Context context(settings);
    expect_right<double>(medium(), through(context));
  }
  const auto files = [&] {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(settings.cache_dir))
      count += entry.is_regular_file() ? 1 : 0;
    return count;
  };
  EXPECT_EQ(files(), 0u) << "only what is known of kernels is kept, in a folder";
  const ScopedVariable keeps_none("POCL_KERNEL_CACHE", "0");
  Context context(settings);
  expect_right<double>(medium(), through(context));
  EXPECT_GT(files(), 0u);
}

TEST(Context, FallsBackToTheCpuWhereTheKernelsAreMissing) {
  Settings settings = with(Strategy::hybrid);
  settings.split = Share{8, 16};
  settings.kernel_dir = "/nonexistent-kernels";
  Context context(settings);
  expect_right<double>(medium(), through(context));
  EXPECT_TRUE(Context::last_call().recovered);
}

TEST(Context, SaysWhatIsWrongWithACpuBlasThatCannotBeLoaded) {
  Settings settings = with(Strategy::cpu);
  settings.cpu_blas = "/nonexistent/libblas.so";
  Context context(settings);
  double a = 1, b = 2, c = 3;
  try {
    context.gemm(Layout::row_major, Op::none, Op::none, 1, 1, 1, 1.0, &a, 1, &b, 1, 0.0, &c, 1);
    ADD_FAILURE() << "a missing CPU BLAS went unnoticed";
  } catch (const CpuBlasError& error) {
    EXPECT_NE(std::string(error.what()).find("/nonexistent/libblas.so"), std::string::npos);
  }
}

// The types' names are legal, and their instructions are not there on any processor but their own.
TEST(Context, IgnoresACoreTypeOfAProfileThatThisProcessorCannotRun) {
  const TemporaryDirectory directory;
  Settings settings = with(Strategy::hybrid);
  settings.profile_dir = directory.path();
  for (const char* type : {"Bulldozer", "Piledriver", "POWER9"}) {
    Profile profile;
    profile.key = Engine(settings).facts().profile_key();
    profile.cpu = profile.cpu_all = every_precision({"", type, 0, {}, false});
    profile.created = "2026-01-01T00:00:00Z";
    store_profile(directory.path(), profile);
    Context context(settings);
    expect_right<double>(medium(), through(context));
  }
}

struct MultipliesInItsDestructor {
  ~MultipliesInItsDestructor() {
    const double a = 2, b = 3;
    double c = 0;
    gemm<double>(Layout::row_major, Op::none, Op::none, 1, 1, 1, 1, &a, 1, &b, 1, 0, &c, 1);
    if (c != 6 || Context::last_call().seconds <= 0) ::_exit(1);
  }
};

[[noreturn]] void exit_with_a_static_that_multiplies() {
  static const MultipliesInItsDestructor at_exit;
  std::exit(0);
}

TEST(Context, MultipliesInStaticDestructorsAfterTheThreadsVariablesAreGone) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(exit_with_a_static_that_multiplies(), ::testing::ExitedWithCode(0), "");
}

TEST(Context, IgnoresADamagedProfileAndSaysSo) {
  const TemporaryDirectory directory;
  Settings settings = with(Strategy::hybrid);
  settings.profile_dir = directory.path();
  const std::string file =
      directory / profile_file_name(Engine(settings).facts().profile_key()).c_str();
  for (const char* text : {"{", "{\"version\": 99}", "\x7f\x02", "[[[[[[[["}) {
    std::ofstream(file) << text;
    Context context(settings);
    expect_right<double>(medium(), through(context));
    EXPECT_NE(context.describe().find("duoblas tune"), std::string::npos) << context.describe();
  }
}

}  // namespace
}  // namespace duoblas::test
