// A driver that never comes back while it does a level-3 call as one job, in a process of its own.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "cl_layer/played_driver.hpp"
#include "engine/engine.hpp"
#include "level3/blocked_level3.hpp"
#include "support/level3_case.hpp"

namespace duoblas::test {
namespace {

constexpr unsigned watchdog_seconds = 100;

void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "not so: %s\n", what);
  std::_Exit(1);
}

Outcome call(Engine& engine) {
  Level3Factors f{Routine::trmm, Layout::row_major, Side::left, Uplo::lower};
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
  {
    Engine patient(settings);  // the driver has compiled everything then
    call(patient);
  }
  settings.gpu_deadline = 1;
  static Engine engine(settings);
  const Outcome before = call(engine);
  expect(before.used_gpu && before.products == 1, "the device does one job");
  layer.hang(1);
  const Outcome hung = call(engine);
  expect(hung.recovered && hung.products == 1, "the CPU computes what a hung GPU does not");
  expect(!call(engine).used_gpu, "a hung GPU is not asked again");
  if (testing::Test::HasFailure()) std::_Exit(1);
  std::exit(0);
}

TEST(HungJob, IsDoneByTheCpu) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(compute_and_hang(), testing::ExitedWithCode(0),
              "duoblas: .*hangs.*computes on the CPU from now on");
}

}  // namespace
}  // namespace duoblas::test
