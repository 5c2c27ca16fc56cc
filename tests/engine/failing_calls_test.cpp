// Each OpenCL call fails in turn, under the public interfaces: C is right all the same.
#include <gtest/gtest.h>

#include <cstdlib>
#include <tuple>

#include <duoblas/duoblas.h>

#include "cl_layer/layer_control.hpp"
#include "conformance/forced_context.hpp"
#include "support/case_names.hpp"
#include "support/temporary_directory.hpp"

namespace duoblas::test {
namespace {

CaseFactors product(double beta) {
  CaseFactors factors;
  factors.m = 50;
  factors.n = 44;
  factors.k = 31;
  factors.pad = 1;
  factors.alpha = 1.5;
  factors.beta = beta;
  return factors;
}

class FailingCallsOfAContext : public ::testing::TestWithParam<std::tuple<double, bool>> {
 protected:
  const LayerControl& layer = LayerControl::get();
  void TearDown() override { layer.reset(); }
};

TEST_P(FailingCallsOfAContext, LeaveTheAnswerRightAndNothingBehind) {
  const TemporaryDirectory directory;
  Settings settings = forced_settings();
  settings.cache_dir = directory / "cache";
  const auto [beta, adapt] = GetParam();
  settings.adapt = adapt;
  if (adapt) settings.split.reset();
  const long live_before = layer.live_objects();
  int rounds_on_cpu = 0;
  for (int number = 1;; ++number) {
    ASSERT_LT(number, 2000) << "no end of calls";
    const std::string spec = "*:" + std::to_string(number);
    SCOPED_TRACE(spec);
    layer.fail(spec.c_str());
    {
      Context context(settings);
      expect_right<float>(product(beta), through<float>(context));
      rounds_on_cpu +=
          Context::last_call().recovered || Context::last_call().strategy == Strategy::cpu;
      // Whatever happened, the next call is right too.
      expect_right<double>(product(beta), through<double>(context));
    }
    const bool fired = layer.fired() != 0;
    layer.reset();
    EXPECT_EQ(layer.live_objects(), live_before);
    if (!fired) break;
  }
  EXPECT_GT(rounds_on_cpu, 10) << "the failures did reach the products";
}

INSTANTIATE_TEST_SUITE_P(Betas, FailingCallsOfAContext,
                         ::testing::Combine(::testing::Values(0.0, -0.7), ::testing::Bool()),
                         [](const auto& info) {
                           return beta_name(std::get<0>(info.param)) +
                                  (std::get<1>(info.param) ? "_adapting" : "");
                         });

// Computes through the C interface with the named function failing; exits with the verdict.
[[noreturn]] void compute_with_failing(const char* function) {
  const LayerControl& layer = LayerControl::get();
  EXPECT_EQ(duoblas_set_split(8, 16), DUOBLAS_OK);
  layer.fail((std::string(function) + ":1").c_str());
  for (const double beta : {-0.7, 0.0}) {
    expect_right<float>(product(beta), [](const Call<float>& g, float* c, std::int64_t ldc) {
      EXPECT_EQ(duoblas_sgemm(DUOBLAS_ROW_MAJOR, DUOBLAS_NO_TRANS, DUOBLAS_NO_TRANS, g.m, g.n, g.k,
                              g.alpha, g.a, g.lda, g.b, g.ldb, g.beta, c, ldc),
                DUOBLAS_OK)
          << duoblas_last_error();
    });
  }
  EXPECT_NE(layer.fired(), 0);
  std::exit(::testing::Test::HasFailure() ? 1 : 0);
}

// The C interface has one context for the process, which sets the device aside after a failure: so
// each function fails in a process of its own, started afresh because OpenCL does not survive fork.
class FailingCallOfTheCInterface : public ::testing::TestWithParam<const char*> {};

TEST_P(FailingCallOfTheCInterface, LeavesTheAnswerRight) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(compute_with_failing(GetParam()), ::testing::ExitedWithCode(0), "");
}

INSTANTIATE_TEST_SUITE_P(Functions, FailingCallOfTheCInterface,
                         ::testing::Values("clGetDeviceIDs", "clCreateContext",
                                           "clCreateCommandQueue", "clCreateKernel",
                                           "clSetKernelArg", "clCreateBuffer",
                                           "clEnqueueNDRangeKernel", "clFlush", "clWaitForEvents"),
                         [](const auto& function) { return std::string(function.param); });

}  // namespace
}  // namespace duoblas::test
