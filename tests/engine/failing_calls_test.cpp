// Each OpenCL call fails in turn, under the public interfaces: C is right all the same.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>

#include <duoblas/duoblas.h>

#include "cl_layer/layer_control.hpp"
#include "conformance/forced_context.hpp"
#include "support/temporary_directory.hpp"
#include "support/turns.hpp"

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

/// Whether shares follow the times of calls.
class FailingCallsOfAContext : public ::testing::TestWithParam<bool> {
 protected:
  const LayerControl& layer = LayerControl::get();
  void TearDown() override { layer.reset(); }
};

TEST_P(FailingCallsOfAContext, LeaveTheAnswerRightAndNothingBehind) {
  const TemporaryDirectory directory;
  Settings settings = forced_settings();
  settings.cache_dir = directory / "cache";
  settings.adapt = GetParam();
  if (settings.adapt) settings.split.reset();
  // Every call fails of a product for which kernels are made, with one beta, and of a later one,
  // with the other. What takes time is to open the device and to build kernels: so both are in one
  // round.
  const std::array<double, 2> betas =
      settings.adapt ? std::array{-0.7, 0.0} : std::array{0.0, -0.7};
  const long live_before = layer.live_objects();
  int rounds_on_cpu = 0;
  // In a usual run each call fails in one of the two tests.
  const int step = all_is_wanted() ? 1 : 2;
  for (int number = step == 2 && settings.adapt ? 2 : 1;; number += step) {
    ASSERT_LT(number, 2000) << "no end of calls";
    const std::string spec = "*:" + std::to_string(number);
    SCOPED_TRACE(spec);
    layer.fail(spec.c_str());
    {
      Context context(settings);
      bool is_on_cpu = false;
      for (const double beta : betas) {
        expect_right<float>(product(beta), through<float>(context));
        is_on_cpu |=
            Context::last_call().recovered || Context::last_call().strategy == Strategy::cpu;
      }
      rounds_on_cpu += is_on_cpu;
      // Whatever happened, the next calls are right too.
      for (const double beta : betas) expect_right<double>(product(beta), through<double>(context));
    }
    const bool fired = layer.fired() != 0;
    layer.reset();
    EXPECT_EQ(layer.live_objects(), live_before);
    if (!fired) break;
  }
  EXPECT_GT(rounds_on_cpu, 10) << "the failures did reach the products";
}

INSTANTIATE_TEST_SUITE_P(Shares, FailingCallsOfAContext, ::testing::Bool(), [](const auto& adapts) {
  return std::string(adapts.param ? "of_times" : "given");
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
