// A driver that never comes back while it does a level-3 call as one job, in a process of its own.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include <duoblas/error.hpp>

#include "cl_layer/impatience.hpp"
#include "cl_layer/played_driver.hpp"
#include "engine/engine.hpp"
#include "level3/blocked_level3.hpp"
#include "support/level3_case.hpp"

namespace duoblas::test {
namespace {

constexpr unsigned watchdog_seconds = 100;
constexpr int shares_not = 3;  // the driver has no memory in place

void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "not so: %s\n", what);
  std::_Exit(1);
}

// From the left C is staged where both sides have columns of it, from the right it is in place.
Outcome call(Engine& engine, Side side = Side::left) {
  Level3Factors f{Routine::trmm, Layout::row_major, side, Uplo::lower};
  f.order = 90;
  f.free = 31;
  Outcome did;
  expect_right<double>(f,
                       [&](const CallerLevel3& of) { did = run_level3(engine, to_row_major(of)); });
  return did;
}

// Results land apart, so that the CPU can finish.
[[noreturn]] void compute_and_hang() {
  ::alarm(watchdog_seconds);
  const LayerControl& layer = LayerControl::get();
  Settings settings;
  settings.strategy = Strategy::hybrid;
  settings.split = Share{12, 16};
  settings.check = CheckMode::always;
  static Engine engine(settings);
  const Outcome before = call(engine);
  expect(before.used_gpu && before.products == 1, "the device does one job");
  lose_patience(engine);
  layer.hang(1);
  const Outcome hung = call(engine);
  expect(hung.recovered && hung.products == 1, "the CPU computes what a hung GPU does not");
  expect(!call(engine).used_gpu, "a hung GPU is not asked again");
  if (testing::Test::HasFailure()) std::_Exit(1);
  std::exit(0);
}

// The device may go on to write C, which the caller has to know.
[[noreturn]] void hang_with_c_in_place() {
  ::alarm(watchdog_seconds);
  const LayerControl& layer = LayerControl::get();
  Settings settings;
  settings.strategy = Strategy::hybrid;
  settings.split = Share{12, 16};
  settings.check = CheckMode::off;
  static Engine engine(settings);
  call(engine, Side::right);
  if (engine.gpu()->sharing().granularity() != 1) std::_Exit(shares_not);
  lose_patience(engine);
  layer.hang(1);
  Level3Factors f{Routine::trmm, Layout::row_major, Side::right, Uplo::lower};
  f.order = 90;
  f.free = 31;
  Level3Matrices<double> matrices(f);
  bool is_told = false;
  try {
    run_level3(engine, to_row_major(matrices.call(f)));
  } catch (const DeviceError& error) {
    is_told = std::string(error.what()).find("may still write to C") != std::string::npos;
  }
  expect(is_told, "the caller hears that C is out of reach");
  const Outcome after = call(engine, Side::right);
  expect(!after.used_gpu, "a hung GPU is not asked again");
  std::exit(0);
}

TEST(HungJob, OfACInPlaceIsAnErrorThatSaysSo) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      hang_with_c_in_place(),
      [](int status) {
        return WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == shares_not);
      },
      "");
}

TEST(HungJob, IsDoneByTheCpu) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(compute_and_hang(), testing::ExitedWithCode(0),
              "duoblas: .*hangs.*computes on the CPU from now on");
}

}  // namespace
}  // namespace duoblas::test
