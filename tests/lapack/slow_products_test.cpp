// Calls of LAPACK on copies show nothing about products. So what products showed, perhaps in an
// earlier process beside another program's work, is not to keep them from the device for good.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "lapack/lapack_call.hpp"
#include "planner/planner.hpp"
#include "problem/lapack_problem.hpp"
#include "support/learning_settings.hpp"
#include "support/staged_profile.hpp"

namespace duoblas::test {
namespace {

class SlowProducts : public testing::TestWithParam<LapackRoutine> {
 protected:
  static constexpr std::int64_t order = 1024;

  LapackProblem call() {
    LapackProblem p;
    p.routine = GetParam();
    p.precision = Precision::s;  // which every device has
    p.m = p.n = p.lda = p.ldb = order;
    p.right_sides = has_right_sides(p.routine) ? order : 0;
    p.reflectors = p.routine == LapackRoutine::orgqr ? order : 0;
    p.a = a_.data();
    p.b = b_.data();
    p.tau = tau_.data();
    p.pivots = pivots_.data();
    return p;
  }

  /// Products of about this many flops take the device so many times as long as the profile says.
  static void slow_down(Engine& engine, double times) {
    for (const std::int64_t k : {128, 256, 341, 512, 700, 1024, 1365, 2048}) {
      GemmProblem product;
      product.precision = Precision::s;
      product.m = product.n = product.ldb = product.ldc = order;
      product.k = product.lda = k;
      const CallKind kind = kind_of(product, engine.learning().learner().circumstances());
      Forecast forecast = forecast_on_gpu(product, engine.machine());
      forecast.explores = true;  // so that these calls pay for no exploration
      CallTimes took;
      took.whole = times * forecast.modelled[place_of(Timed::gpu_alone)];
      took.seconds[place_of(Timed::gpu_alone)] = took.whole;
      constexpr int believed = 6;
      for (int i = 0; i < believed; ++i) engine.learning().learner().note(kind, forecast, took);
      EXPECT_FALSE(engine.plans().of(product).uses_gpu()) << k;
    }
  }

  std::vector<float> a_ = std::vector<float>(std::size_t{order} * order), b_ = a_;
  std::vector<float> tau_ = std::vector<float>(order);
  std::vector<std::int32_t> pivots_ = std::vector<std::int32_t>(order);
};

TEST_P(SlowProducts, AreForWholeCallsToFindOut) {
  Engine engine(learning_settings());
  Profile profile = flattering_profile(engine);
  for (TunedPoint& point : profile.points) {
    point.cpu_seconds = 1;  // the device alone is best
    point.hybrid.seconds = point.simple.seconds = 0.9;
    point.gpu.seconds = 0.05;
  }
  engine.facts().adopt(profile);
  const LapackProblem p = call();
  ASSERT_TRUE(can_do(engine, p));
  ASSERT_TRUE(decide(engine, p).uses_gpu());
  slow_down(engine, 100);
  const Decision decision = decide(engine, p);
  ASSERT_TRUE(decision.uses_gpu()) << "so that times of whole calls are asked";
  EXPECT_GT(decision.estimate.device_seconds, decision.estimate.cpu_seconds)
      << "nobody expects a gain by what is known";
}

INSTANTIATE_TEST_SUITE_P(OnCopies, SlowProducts,
                         testing::Values(LapackRoutine::getrf, LapackRoutine::potrf,
                                         LapackRoutine::getrs, LapackRoutine::geqrf,
                                         LapackRoutine::orgqr, LapackRoutine::getri));

}  // namespace
}  // namespace duoblas::test
