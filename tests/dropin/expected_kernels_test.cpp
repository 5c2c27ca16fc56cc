// A program's calls before the device is open find their kernels once it is.
#include "dropin/engine/calls_before_start.hpp"
#include "dropin/engine/program_call.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <memory>

#include "engine/background_work.hpp"
#include "level3/blocked_level3.hpp"
#include "problem/problem_of_call.hpp"
#include "support/comes_true.hpp"
#include "support/learning_settings.hpp"
#include "support/staged_profile.hpp"
#include "support/temporary_directory.hpp"

namespace duoblas::test {
namespace {

Settings choosing_settings() {
  Settings settings = learning_settings();
  settings.adapt = false;
  return settings;
}

/// ssyrk of matrices that are gone by now.
duoblas_blas_call own_transpose(std::int64_t n) {
  static float nowhere, one = 1;
  duoblas_blas_call call = {};
  call.routine = DUOBLAS_SYRK;
  call.precision = 's';
  call.layout = 101;
  call.uplo = 121;
  call.op_a = 111;
  call.n = call.k = call.lda = call.ldc = n;
  call.alpha = call.beta = &one;
  call.a = call.c = &nowhere;
  return call;
}
Level3Problem problem_of(const duoblas_blas_call& call) {
  return to_row_major(caller_level3(call));
}

std::vector<CallStep> steps_either_way(Engine& engine, const Level3Problem& problem) {
  std::vector<CallStep> steps;
  for (const Level3Mode way : {Level3Mode::halves, Level3Mode::job}) {
    const Decision decision = decide(engine, problem, cpu_blas_limits, way);
    EXPECT_EQ(first_of<DeviceCall>(decision.steps) != nullptr, way == Level3Mode::job);
    EXPECT_TRUE(decision.uses_gpu());
    std::ranges::copy(decision.steps, std::back_inserter(steps));
  }
  return steps;
}

std::int64_t steps_that_lack(const Engine& engine, const std::vector<CallStep>& steps) {
  return std::ranges::count_if(
      steps, [&](const CallStep& step) { return !engine.readiness().has(Launches({step})); });
}

TEST(KernelsOfCallsBeforeAStart, AreThereWhicheverWayACallGoes) {
  Engine engine(choosing_settings());
  ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
  engine.facts().adopt(flattering_profile(engine));
  const duoblas_blas_call largest = own_transpose(600);
  const std::vector<CallStep> steps = steps_either_way(engine, problem_of(largest));
  EXPECT_GT(steps_that_lack(engine, steps), 0);
  const auto calls = std::make_unique<CallsBeforeStart>();
  calls->note(own_transpose(40));
  calls->note(largest);
  let_exit_here_wait();
  calls->expect(engine);
  EXPECT_TRUE(comes_true([&] { return steps_that_lack(engine, steps) == 0; }));
}

// Each by what its own class is known to have gained.
TEST(KernelsOfAnEarlierRunsCalls, AreBuiltAheadIfTheyPay) {
  const duoblas_blas_call call = own_transpose(600);
  const std::uint32_t of_class = account_class(product_of(call));
  for (const double gain : {0.0, 90.0}) {
    SCOPED_TRACE(gain);
    const TemporaryDirectory cache;
    const Settings settings = learning_settings(cache.path());
    ProgramWork work{100, 90, 0.9};
    work.classes = {{of_class, 50, gain}, {of_class + 1, 50, 90 - gain}};
    ProgramHistory(settings).remember(work, {{of_class, call_numbers(call)}});
    Engine engine(settings);
    ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
    engine.facts().adopt(flattering_profile(engine));
    engine.outlays().begin_program();
    const std::vector<CallStep> steps = steps_either_way(engine, problem_of(call));
    const std::int64_t lacked = steps_that_lack(engine, steps);
    ASSERT_GT(lacked, 0);
    let_exit_here_wait();
    const auto calls = std::make_unique<CallsBeforeStart>();
    calls->expect(engine);
    ASSERT_EQ(calls->known().size(), 1u);
    EXPECT_EQ(calls->known().front().of_class, of_class);
    if (gain > 0) {
      EXPECT_TRUE(comes_true([&] { return steps_that_lack(engine, steps) == 0; }));
    } else {
      EXPECT_TRUE(comes_true([] { return !background_work_is_running(); }));
      EXPECT_EQ(steps_that_lack(engine, steps), lacked);
    }
  }
}

// The next run's builds begin as early as this one's would have.
TEST(CallsOfAnEarlierRun, AreKeptByOneThatEndsBeforeTheDeviceOpens) {
  const duoblas_blas_call call = own_transpose(600);
  const GemmProblem product = product_of(call);
  const TemporaryDirectory cache;
  const Settings settings = learning_settings(cache.path());
  ProgramWork work{100, 90, 0.9};
  work.classes = {{account_class(product), 100, 90}};
  ProgramHistory(settings).remember(work, {{account_class(product), call_numbers(call)}});
  static double now = 0;
  Outlays outlays(settings, [] { return now; });
  outlays.begin_program([](const std::vector<CallNumbers>& earlier) {
    return std::make_unique<CallsBeforeStart>()->known(earlier);
  });
  ASSERT_TRUE(outlays.start_pays_at_begin());
  now = 50;
  outlays.add(product, 50);
  outlays.note_end({}, [](const GemmProblem&) { return 0.9; });
  EXPECT_EQ(ProgramHistory(settings).calls(), std::vector{call_numbers(call)});
}

TEST(KernelsOfAnEarlierRunsCalls, AreNotLookedForWhereADamagedFileHasEndlessSizes) {
  const auto calls = std::make_unique<CallsBeforeStart>();
  duoblas_blas_call call = own_transpose(600);
  calls->note(call);
  EXPECT_EQ(calls->known().size(), 1u);
  const auto others = std::make_unique<CallsBeforeStart>();
  call.n = call.k = 2147483647;
  others->note(call);
  EXPECT_TRUE(others->known().empty());
}

TEST(KernelsOfCallsBeforeAStart, AreNotBuiltForCallsThatAreTheCpus) {
  Engine engine(choosing_settings());
  ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
  engine.facts().adopt(flattering_profile(engine));
  const auto calls = std::make_unique<CallsBeforeStart>();
  calls->note(own_transpose(20));
  let_exit_here_wait();
  calls->expect(engine);
  EXPECT_FALSE(background_work_is_running());
  EXPECT_GT(steps_that_lack(engine, steps_either_way(engine, problem_of(own_transpose(600)))), 0);
}

}  // namespace
}  // namespace duoblas::test
