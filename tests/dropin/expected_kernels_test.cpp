// A program's calls before the device is open find their kernels once it is.
#include "dropin/engine/calls_before_start.hpp"

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
  for (const Level3Mode way : {Level3Mode::halves, Level3Mode::job})
    std::ranges::copy(decide(engine, problem, cpu_blas_limits, way).steps,
                      std::back_inserter(steps));
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
  EXPECT_NE(first_of<PlannedProduct>(steps), nullptr);
  EXPECT_NE(first_of<DeviceCall>(steps), nullptr);
  EXPECT_GT(steps_that_lack(engine, steps), 0);
  const auto calls = std::make_unique<CallsBeforeStart>();
  calls->note(own_transpose(40));
  calls->note(largest);
  let_exit_here_wait();
  calls->expect(engine);
  EXPECT_TRUE(comes_true([&] { return steps_that_lack(engine, steps) == 0; }));
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
