// Products of operands that are in the device's memory, as the tuner times them.
#include "tuner/resident_call.hpp"

#include <gtest/gtest.h>

#include "plan/kernel_defaults.hpp"
#include "support/temporary_directory.hpp"
#include "tuner/measured_problem.hpp"
#include "tuner/verify.hpp"

namespace duoblas {
namespace {

TEST(ResidentCall, MultipliesByTheGpuAloneAndIsTimed) {
  const test::TemporaryDirectory directory;
  Settings settings;
  settings.standin = true;
  settings.cache_dir = directory / "cache";
  Engine engine(settings);
  ASSERT_NE(engine.gpu(), nullptr) << engine.gpu_problem();
  for (const Op op : {Op::none, Op::transpose}) {
    MeasuredProblem measured(row_major_call(Precision::d, op, Op::none, 97, 65, 130), 1);
    const GemmProblem& problem = measured.problem();
    Plan plan;
    plan.kernel = default_kernel(problem.precision, engine.machine().device);
    plan.sharing = SharingMode::staged;
    ResidentCall call(engine, problem);
    measured.poison_c();
    const auto sample = call.sample(plan, 2);
    ASSERT_TRUE(sample);
    EXPECT_GT(sample->whole, 0);
    EXPECT_EQ(sample->cpu, 0);
    ASSERT_TRUE(is_finite_c(problem));
    EXPECT_LT(scaled_error(problem, nullptr, rows_to_verify(problem, problem.m, 1)), 1);
  }
}

}  // namespace
}  // namespace duoblas
