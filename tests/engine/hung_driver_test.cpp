// A driver that never comes back from a wait, in processes of their own: from then on nothing of
// OpenCL can be trusted to return.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <duoblas/error.hpp>
#include <duoblas/opencl.hpp>

#include "cl_layer/impatience.hpp"
#include "cl_layer/layer_control.hpp"
#include "cl_layer/ones.hpp"
#include "conformance/forced_context.hpp"
#include "engine/engine.hpp"
#include "opencl/device.hpp"
#include "opencl/handles.hpp"
#include "support/case_names.hpp"
#include "support/staged_profile.hpp"

namespace duoblas::test {
namespace {

// For a hang of the test itself.
constexpr unsigned watchdog_seconds = 200;

struct Sizes {
  std::int64_t m, n, k;
};
constexpr Sizes small{64, 64, 16};        // as it is
constexpr Sizes streamed{700, 600, 600};  // through the pipeline

void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "not so: %s\n", what);
  std::_Exit(1);
}

// Ends with 0 where everything held; exit() runs destructors and handlers.
[[noreturn]] void compute_on_copies(const Sizes& sizes, float beta) {
  ::alarm(watchdog_seconds);
  const LayerControl& layer = LayerControl::get();
  Ones before(sizes.m, sizes.n, sizes.k, beta), hung(before), after(before);
  static Engine engine(forced_settings());
  engine.facts().adopt(staged_profile(engine));
  expect(engine.run(before.problem()).used_gpu, "the GPU computes");
  lose_patience(engine);
  layer.hang(1);
  const Outcome outcome = engine.run(hung.problem());
  expect(outcome.recovered && hung.is_right(), "the CPU computes what a hung GPU does not");
  const Outcome later = engine.run(after.problem());
  expect(!later.used_gpu && after.is_right(), "a hung GPU is not asked again");
  {
    Engine other(forced_settings());
    Ones third(sizes.m, sizes.n, sizes.k, beta);
    expect(!other.run(third.problem()).used_gpu && third.is_right(), "nor by another engine");
  }
  std::exit(0);
}

// What it is asked after it hung, it may never answer.
[[noreturn]] void leave_a_hung_driver_alone() {
  ::alarm(watchdog_seconds);
  const LayerControl& layer = LayerControl::get();
  const cl::Context context(cl::list_devices().at(0));
  const cl::Queue queue(context);
  Settings automatic = forced_settings();
  automatic.strategy = Strategy::automatic;
  automatic.split.reset();
  static Engine asked_later(automatic);
  asked_later.gpu();  // a CPU device does not count, so far
  Ones before(64, 64, 16, 0), hung(before), product(before), again(before);
  static Engine engine(forced_settings());
  engine.facts().adopt(staged_profile(engine));
  engine.run(before.problem());
  lose_patience(engine);
  layer.hang(1);
  expect(engine.run(hung.problem()).recovered, "it hangs");

  const long called = layer.calls(), polled = layer.calls_of("clGetEventInfo");
  static Engine other(forced_settings());
  expect(!other.run(product.problem()).used_gpu && product.is_right(), "the CPU computes");
  expect(other.facts().gpu_problem().find("hangs") != std::string::npos, "the reason is told");
  asked_later.plans().set_split(Share{8, 16});
  expect(!asked_later.run(again.problem()).used_gpu && again.is_right(), "and again");
  try {
    const DeviceBlas blas(static_cast<_cl_command_queue*>(queue.raw()), forced_settings());
    expect(false, "there is no DeviceBlas on a driver that hangs");
  } catch (const DeviceError& error) {
    expect(std::string(error.what()).find("hangs") != std::string::npos, "the error says so");
  }
  expect(layer.calls() == called && layer.calls_of("clGetEventInfo") == polled,
         "the driver is not called");
  std::exit(0);
}

// `failing`: a call that fails as well, before anybody waits.
[[noreturn]] void compute_in_place(const Sizes& sizes, float beta, const char* failing = nullptr) {
  ::alarm(watchdog_seconds);
  const LayerControl& layer = LayerControl::get();
  Ones before(sizes.m, sizes.n, sizes.k, beta), hung(before), after(before);
  static Engine engine(forced_settings());
  expect(engine.run(before.problem()).used_gpu, "the GPU computes");
  lose_patience(engine);
  layer.hang(1);
  if (failing != nullptr) layer.fail(failing);
  try {
    engine.run(hung.problem());
    expect(false, "a C that the GPU may still write is an error");
  } catch (const DeviceError& error) {
    expect(std::string(error.what()).find("may still write to C") != std::string::npos,
           "the error says so");
  }
  const Outcome later = engine.run(after.problem());
  expect(!later.used_gpu && after.is_right(), "the next call is the CPU's");
  std::exit(0);
}

[[noreturn]] void multiply_a_vector() {
  ::alarm(watchdog_seconds);
  const LayerControl& layer = LayerControl::get();
  constexpr std::int64_t n = 300;
  const std::vector<double> a(n * n, 1.0), x(n, 2.0);
  std::vector<double> y(n, 1.0);
  GemvProblem problem;
  problem.precision = Precision::d;
  problem.rows = problem.columns = problem.lda = n;
  problem.a = a.data();
  problem.x = {const_cast<double*>(x.data()), 1};
  problem.beta = 1.0;
  problem.y = {y.data(), 1};
  const auto holds = [&](double calls) { return y == std::vector<double>(n, 1 + 2 * n * calls); };
  static Engine engine(forced_settings());
  expect(engine.run(problem).used_gpu && holds(1), "the GPU computes");
  lose_patience(engine);
  layer.hang(1);
  expect(engine.run(problem).recovered && holds(2), "the CPU computes what a hung GPU does not");
  expect(!engine.run(problem).used_gpu && holds(3), "a hung GPU is not asked again");
  std::exit(0);
}

struct HungDriver : testing::TestWithParam<float> {
  HungDriver() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
  static constexpr const char* diagnosis = "duoblas: .*hangs.*computes on the CPU from now on";
};

INSTANTIATE_TEST_SUITE_P(Betas, HungDriver, testing::Values(0.0f, -0.5f), named_by_beta);

TEST_P(HungDriver, LeavesCopiesToTheCpu) {
  EXPECT_EXIT(compute_on_copies(small, GetParam()), testing::ExitedWithCode(0), diagnosis);
}

TEST_P(HungDriver, LeavesStreamedCopiesToTheCpu) {
  EXPECT_EXIT(compute_on_copies(streamed, GetParam()), testing::ExitedWithCode(0), diagnosis);
}

TEST_P(HungDriver, IsAnErrorWhereItMayStillWriteToC) {
  EXPECT_EXIT(compute_in_place(small, GetParam()), testing::ExitedWithCode(0), diagnosis);
}

TEST(HungDriverOfVectors, LeavesWhatLandsApartToTheCpu) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(multiply_a_vector(), testing::ExitedWithCode(0), HungDriver::diagnosis);
}

TEST(HungDriverLater, IsNotCalledByOthers) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(leave_a_hung_driver_alone(), testing::ExitedWithCode(0), HungDriver::diagnosis);
}

// The kernel was sent: it may run when the CPU has computed C.
TEST_P(HungDriver, IsAnErrorTooWhereThatIsFoundBehindAnotherFailure) {
  EXPECT_EXIT(compute_in_place(small, GetParam(), "clFlush:1"), testing::ExitedWithCode(0),
              diagnosis);
}

// What hangs while it is opened is no device.
[[noreturn]] void open_hung() {
  ::alarm(watchdog_seconds);
  LayerControl::get().hang(1);
  Settings impatient = forced_settings();
  impatient.gpu_deadline = 1;
  static Engine engine(impatient);
  Ones product(64, 64, 16, 0);
  expect(!engine.run(product.problem()).used_gpu && product.is_right(), "the CPU computes");
  expect(engine.facts().gpu_problem().find("hangs") != std::string::npos, "the reason is told");
  std::exit(0);
}

TEST(HungDriverAtOpening, IsNoDevice) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(open_hung(), testing::ExitedWithCode(0),
              "duoblas: CPU only: 0: .*: the device hangs");
}

}  // namespace
}  // namespace duoblas::test
