// The math mode through both interfaces: whatever this machine can do, results are right.
#include <gtest/gtest.h>

#include <string>

#include <duoblas/duoblas.h>
#include <duoblas/duoblas.hpp>

#include "engine/engine.hpp"
#include "kernel_space/kernel_defaults.hpp"
#include "support/gemm_case.hpp"

namespace duoblas::test {
namespace {

template <typename T>
Front<T> through(Context& context) {
  return [&context](const Call<T>& g, T* c, std::int64_t ldc) {
    context.gemm(g.layout, g.op_a, g.op_b, g.m, g.n, g.k, g.alpha, g.a, g.lda, g.b, g.ldb, g.beta,
                 c, ldc);
  };
}

CaseFactors medium(Op op_a) {
  CaseFactors factors;
  factors.op_a = op_a;
  factors.m = 150;
  factors.n = 160;
  factors.k = 170;
  factors.pad = 1;
  factors.alpha = 0.5;
  factors.beta = -0.25;
  return factors;
}

Settings on(Strategy strategy, MathMode math) {
  Settings settings = Settings::from_environment();
  settings.strategy = strategy;
  settings.math = math;
  settings.profile_dir.clear();
  if (strategy == Strategy::hybrid) settings.split = Share{8, 16};
  return settings;
}

constexpr Strategy strategies[] = {Strategy::cpu, Strategy::gpu, Strategy::hybrid};

template <typename T>
class MathModeOf : public testing::Test {};
using Types = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(MathModeOf, Types);

TYPED_TEST(MathModeOf, KeepsResultsRightAndWhereTheyAreComputed) {
  for (const Strategy strategy : strategies) {
    Context context(on(strategy, MathMode::exact));
    for (const MathMode math : {MathMode::exact, MathMode::tf32x3, MathMode::exact}) {
      context.set_math(math);
      for (const Op op_a : {Op::none, Op::transpose})
        expect_right<TypeParam>(medium(op_a), through<TypeParam>(context));
      EXPECT_EQ(Context::last_call().strategy, strategy);
      EXPECT_FALSE(Context::last_call().recovered);
    }
  }
}

TEST(MathMode, IsThatOfTheSettingsUntilItIsSet) {
  GemmProblem problem;
  problem.precision = Precision::s;
  problem.m = problem.n = problem.k = 256;
  problem.lda = problem.ldb = problem.ldc = 256;
  const auto kernel_for = [&](Engine& engine) { return engine.plans().of(problem).kernel; };
  Engine engine(on(Strategy::gpu, MathMode::tf32x3));
  const DeviceLimits& device = engine.machine().device;
  Engine exact_engine(on(Strategy::gpu, MathMode::exact));
  const KernelParams exact = kernel_for(exact_engine);
  EXPECT_NE(exact.matrix, MatrixUnit::tf32x3);
  const KernelParams fast = tf32x3_kernel(problem, device).value_or(exact);
  EXPECT_EQ(kernel_for(engine), fast);
  engine.plans().set_math(MathMode::exact);
  EXPECT_EQ(kernel_for(engine), exact);
  engine.plans().set_math(MathMode::tf32x3);
  EXPECT_EQ(kernel_for(engine), fast);
}

std::size_t times_said(const std::string& said, const std::string& words) {
  std::size_t count = 0;
  for (auto at = said.find(words); at != std::string::npos; at = said.find(words, at + 1)) ++count;
  return count;
}

std::string said_by_products(Settings settings, bool set_later) {
  settings.verbose = 1;
  if (set_later) settings.math = MathMode::exact;
  testing::internal::CaptureStderr();
  {
    Context context(settings);
    expect_right<float>(medium(Op::none), through<float>(context));
    if (set_later) context.set_math(MathMode::tf32x3);
    expect_right<float>(medium(Op::none), through<float>(context));
    expect_right<float>(medium(Op::none), through<float>(context));
  }
  return testing::internal::GetCapturedStderr();
}

TEST(MathMode, SaysOnceThatTheDeviceCannotDoIt) {
  const bool can =
      tf32x3_kernel(Precision::s, Engine(on(Strategy::gpu, MathMode::exact)).machine().device)
          .has_value();
  for (const Strategy strategy : {Strategy::gpu, Strategy::hybrid})
    for (const bool set_later : {false, true}) {
      const std::string said = said_by_products(on(strategy, MathMode::tf32x3), set_later);
      EXPECT_EQ(times_said(said, "no TF32 matrix instructions"), can ? 0u : 1u) << said;
      EXPECT_EQ(times_said(said, "products are exact"), can ? 0u : 1u) << said;
    }
  EXPECT_EQ(times_said(said_by_products(on(Strategy::gpu, MathMode::exact), false), "tf32x3"), 0u);
}

TEST(MathMode, OfTheCInterfaceKeepsResultsRight) {
  ASSERT_EQ(duoblas_set_split(8, 16), DUOBLAS_OK);
  for (const duoblas_math mode : {DUOBLAS_MATH_TF32X3, DUOBLAS_MATH_EXACT}) {
    ASSERT_EQ(duoblas_set_math(mode), DUOBLAS_OK) << duoblas_last_error();
    expect_right<float>(medium(Op::none), [](const Call<float>& g, float* c, std::int64_t ldc) {
      EXPECT_EQ(duoblas_sgemm(DUOBLAS_ROW_MAJOR, DUOBLAS_NO_TRANS, DUOBLAS_NO_TRANS, g.m, g.n, g.k,
                              g.alpha, g.a, g.lda, g.b, g.ldb, g.beta, c, ldc),
                DUOBLAS_OK)
          << duoblas_last_error();
    });
  }
  ASSERT_EQ(duoblas_clear_split(), DUOBLAS_OK);
}

TEST(MathMode, OfTheCInterfaceRefusesOthersByNamingWhatToGive) {
  for (const int value : {-1, 2, 77}) {
    EXPECT_EQ(duoblas_set_math(static_cast<duoblas_math>(value)), DUOBLAS_INVALID_ARGUMENT);
    const std::string error = duoblas_last_error();
    EXPECT_EQ(error, "argument 1 (mode) must be DUOBLAS_MATH_EXACT or DUOBLAS_MATH_TF32X3");
  }
  EXPECT_EQ(duoblas_set_math(DUOBLAS_MATH_EXACT), DUOBLAS_OK);
}

}  // namespace
}  // namespace duoblas::test
