#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include <duoblas/duoblas.hpp>

#include "support/gemm_case.hpp"

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

TEST(Context, CopesWithACacheDirectoryThatCannotBeWritten) {
  Settings settings = with(Strategy::hybrid);
  settings.split = Share{8, 16};
  settings.cache_dir = "/proc/nowhere";
  Context context(settings);
  expect_right<double>(medium(), through(context));
  EXPECT_EQ(Context::last_call().strategy, Strategy::hybrid);
  EXPECT_FALSE(Context::last_call().recovered);
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

TEST(Context, IgnoresADamagedProfileAndSaysSo) {
  const auto directory = std::filesystem::temp_directory_path() /
                         ("duoblas-context-test-" + std::to_string(::getpid()));
  Settings settings = with(Strategy::hybrid);
  settings.profile_dir = directory;
  std::filesystem::create_directories(directory);
  // Every file that a profile of this machine could be named after.
  {
    Context probe(settings);
    probe.describe();
  }
  for (const char* text : {"{", "{\"version\": 99}", "\0\1\2", "[[[[[[[["}) {
    std::ofstream(directory / "damaged.json") << text;
    Context context(settings);
    expect_right<double>(medium(), through(context));
  }
  std::filesystem::remove_all(directory);
}

}  // namespace
}  // namespace duoblas::test
