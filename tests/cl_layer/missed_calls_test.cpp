// Calls of the library's interface that asked for nothing: no compiler is beside them before they
// have missed the device's kernels for as long as it takes.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <variant>

#include "cl_layer/ones.hpp"
#include "cl_layer/played_driver.hpp"
#include "cpu/cpu_limits.hpp"
#include "engine/engine.hpp"
#include "engine/launches.hpp"
#include "level3/blocked_level3.hpp"
#include "support/lapack_case.hpp"
#include "support/level3_case.hpp"
#include "support/staged_profile.hpp"
#include "support/temporary_directory.hpp"

namespace duoblas::test {
namespace {

/// The device is expected to gain nine tenths of next to nothing.
Profile modest_profile(Engine& engine, double part) {
  Profile profile = flattering_profile(engine);
  for (TunedPoint& point : profile.points)
    for (double* seconds : {&point.cpu_seconds, &point.cpu_all_seconds, &point.hybrid.seconds,
                            &point.simple.seconds, &point.gpu.seconds})
      *seconds *= part;
  return profile;
}

struct MissedCalls : PlayedDriver {
  const TemporaryDirectory directory;

  /// On one core, which a compiler would have for 0.2 s, of which 20 ms are free.
  Settings settings() const {
    Settings settings;
    settings.cpu_cores = std::to_string(allowed_cores().front());
    settings.cache_dir = directory / "cache";
    return settings;
  }
  /// With such kernels neither built nor tried.
  template <typename Run>
  void expect_no_build(Run&& run) {
    Engine engine(settings());
    ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
    engine.facts().adopt(modest_profile(engine, 1e-2));
    layer.reset();
    const Outcome did = run(engine);
    EXPECT_FALSE(did.used_gpu);
    EXPECT_EQ(sentence(did.plan.reason), sentence(Reason::kernels_not_missed));
    EXPECT_EQ(layer.calls_of("clBuildProgram"), 0);
    EXPECT_EQ(engine.gpu()->trials(), 0u);
  }
};

TEST_F(MissedCalls, AreNotSlowedByACompilerThatTheyHaveNotMissed) {
  expect_no_build([](Engine& engine) {
    Ones product(600, 600, 600, 0);
    Outcome did = engine.run(product.problem());
    EXPECT_TRUE(product.is_right());
    EXPECT_GT(did.plan.expected_seconds, 0) << "to know a call that a compiler held up";
    return did;
  });
}

TEST_F(MissedCalls, OfLevel3AreNotEither) {
  expect_no_build([](Engine& engine) {
    Level3Factors f{.routine = Routine::syrk, .order = 900, .free = 600};
    Outcome did;
    expect_right<float>(
        f, [&](const CallerLevel3& call) { did = run_level3(engine, to_row_major(call)); });
    return did;
  });
}

TEST_F(MissedCalls, OfLapackAreNotEither) {
  expect_no_build([](Engine& engine) {
    Definite<float> matrix(900, Uplo::lower, 0, 7);
    LapackOutcome did = run_lapack(engine, matrix.problem(LapackRoutine::potrf));
    EXPECT_EQ(did.info, 0);
    return std::move(did.outcome);
  });
}

// The kernels of its products are there, and only the program that swaps rows is not.
TEST_F(MissedCalls, OfLuAreNotSlowedByTheCompilerOfItsSwaps) {
  Engine engine(settings());
  ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
  engine.facts().adopt(modest_profile(engine, 1e-2));
  General<float> matrix(900, 900, 0, 7);
  for (int i = 0; i < 3; ++i) {
    engine.learning().ways().observe(class_of(matrix.problem()), Way::job, 1e-3);
    engine.learning().ways().observe(class_of(matrix.problem()), Way::plain, 3e-3);
  }
  const Decision decision = decide(engine, matrix.problem());
  ASSERT_EQ(decision.steps.size(), 1U);
  for (const auto& [product, plan] : products_of(std::get<DeviceFactorisation>(decision.steps[0])))
    engine.readiness().build_here(Launches(product, plan));
  ASSERT_FALSE(engine.readiness().has(Launches(decision.steps)));
  layer.reset();
  const LapackOutcome did = run_lapack(engine, matrix.problem());
  EXPECT_EQ(did.info, 0);
  EXPECT_FALSE(did.outcome.used_gpu);
  EXPECT_EQ(sentence(did.outcome.plan.reason), sentence(Reason::kernels_not_missed));
  EXPECT_EQ(layer.calls_of("clBuildProgram"), 0);
}

}  // namespace
}  // namespace duoblas::test
