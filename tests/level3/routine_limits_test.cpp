// Sizes and leading dimensions that the CPU BLAS's integers cannot hold, played with small limits.
#include "fronts.hpp"

namespace duoblas::test {
namespace {

Settings cpu_only() {
  Settings settings = Settings::from_environment();
  settings.strategy = Strategy::cpu;
  return settings;
}

void expect_right_within(const RoutineLimits& limits) {
  Engine engine(cpu_only());
  std::uint64_t seed = 1;
  for (const Routine routine : all_routines)
    for (const Layout layout : {Layout::row_major, Layout::column_major})
      for (const Uplo uplo : {Uplo::upper, Uplo::lower})
        for (const Side side : {Side::left, Side::right})
          for (const Op op : {Op::none, Op::transpose, Op::conj_transpose})
            for_all_types([&](auto zero) {
              using T = decltype(zero);
              Level3Factors f{routine, layout, side, uplo, op};
              f.order = 45;
              f.free = 38;
              f.pad = 4;
              f.alpha = -0.7;
              f.seed = ++seed;
              f.beta = seed % 2 == 0 ? 0 : 0.6;
              if (!exists<T>(f)) return;
              expect_right<T>(f, [&](const CallerLevel3& call) {
                run_level3(engine, to_row_major(call), limits);
              });
            });
}

TEST(RoutineLimits, OnExtentsSplitTheCall) {
  expect_right_within({13, 1 << 20, 13, 1e12});
}

TEST(RoutineLimits, OnTheWorkThatAForkWaitsForSplitTheCall) {
  expect_right_within({1 << 20, 1 << 20, 1 << 20, 20.0 * 20 * 20});
}

TEST(RoutineLimits, OnLeadingDimensionsCopyTheOperands) {
  expect_right_within({1 << 20, 20, 16, 1e12});
}

TEST(RoutineLimits, HoldWhereThereIsNothingButScaling) {
  Engine engine(cpu_only());
  for (const Routine routine : all_routines)
    for (const double beta : {0.0, 1.0, -0.7})
      for_all_types([&](auto zero) {
        using T = decltype(zero);
        Level3Factors f{routine};
        f.order = 45;
        f.free = 38;
        f.alpha = 0;
        f.beta = beta;
        if (!exists<T>(f)) return;
        expect_right<T>(f, [&](const CallerLevel3& call) {
          run_level3(engine, to_row_major(call), {13, 20, 13, 1e12});
        });
      });
}

// What halves leave to the CPU BLAS beside the device's products.
TEST(RoutineLimits, HoldInHalvesThatTheDeviceHelps) {
  constexpr RoutineLimits limits = {13, 20, 13, 1e12};
  Engine engine(forced_settings());
  ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
  for (const Routine routine : all_routines)
    for_all_types([&](auto zero) {
      using T = decltype(zero);
      Level3Factors f{routine};
      f.order = 45;
      f.free = 38;
      f.pad = 4;
      f.alpha = -0.7;
      f.beta = 0.6;
      if (!exists<T>(f)) return;
      expect_right<T>(f, [&](const CallerLevel3& call) {
        const Level3Problem p = to_row_major(call);
        const Decision decision = decide(engine, p, limits, Level3Mode::halves);
        EXPECT_NE(first_of<PlannedProduct>(decision.steps), nullptr);
        EXPECT_NE(first_of<RoutineStep>(decision.steps), nullptr);
        for (const CallStep& step : decision.steps)
          if (const auto* step_of_cpu = std::get_if<RoutineStep>(&step)) {
            EXPECT_EQ(step_of_cpu->max_ld, limits.leading_dimension);
            EXPECT_LE(order(step_of_cpu->problem), limits.extent);
          }
        carry_out(engine, p, decision);
      });
    });
}

}  // namespace
}  // namespace duoblas::test
