// A driver that computes something else in a level-3 call that it does as one job: the call is
// right all the same, one line says what happened, and the next ones are done by halves.
#include <string>

#include "cl_layer/played_driver.hpp"
#include "engine/engine.hpp"
#include "level3/blocked_level3.hpp"
#include "support/level3_case.hpp"

namespace duoblas::test {
namespace {

struct WrongJobs : PlayedDriver, testing::WithParamInterface<Routine> {
  static Settings checked(CheckMode mode) {
    Settings settings = both_sides();
    settings.split = Share{12, 16};
    settings.check = mode;
    return settings;
  }

  void TearDown() override {
    layer.spoil(nullptr);
    PlayedDriver::TearDown();
  }

  /// One call, whose result must be right whoever computed it.
  static Outcome call(Engine& engine, Side side = Side::left, Uplo uplo = Uplo::lower,
                      std::uint64_t seed = 1, std::int64_t order = 90) {
    Level3Factors f{GetParam(), Layout::row_major, updates_triangle(GetParam()) ? Side::left : side,
                    uplo};
    f.order = order;
    f.free = 31;
    f.pad = 2;
    f.alpha = 0.75;
    f.beta = -0.5;
    f.seed = seed;
    Outcome did;
    expect_right<double>(
        f, [&](const CallerLevel3& of) { did = run_level3(engine, to_row_major(of)); });
    return did;
  }
};

INSTANTIATE_TEST_SUITE_P(Routines, WrongJobs,
                         ::testing::Values(Routine::symm, Routine::syrk, Routine::syr2k,
                                           Routine::trmm, Routine::trsm),
                         [](const auto& routine) { return std::string(name(routine.param)); });

TEST_P(WrongJobs, AreDoneAgainAndTheNextCallsGoByHalves) {
  struct Case {
    const char* fault;
    Side side;
    Uplo uplo;
  };
  for (const auto& [fault, side, uplo] : {Case{"add d 3 3 3 1 1 0.5", Side::left, Uplo::lower},
                                          Case{"nan d 2 1 1 1 1", Side::right, Uplo::upper},
                                          Case{"keep d 3", Side::left, Uplo::upper}}) {
    SCOPED_TRACE(fault);
    Engine engine(checked(CheckMode::always));
    ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
    const Outcome first = call(engine, side, uplo);
    EXPECT_EQ(first.products, 1) << "it was one job";
    EXPECT_FALSE(first.recovered);
    EXPECT_GT(first.check_seconds, 0);
    EXPECT_EQ(engine.checks().counts().checked, 1u);
    layer.spoil(fault);
    testing::internal::CaptureStderr();
    const Outcome second = call(engine, side, uplo, 2);
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_GT(layer.spoilt(), 0);
    EXPECT_TRUE(second.recovered);
    EXPECT_EQ(second.plan.reason, Reason::gpu_was_wrong);
    EXPECT_EQ(engine.checks().counts().wrong, 1u);
    EXPECT_NE(said.find("as one job: its result is wrong: element ("), std::string::npos) << said;
    EXPECT_NE(said.find("by halves from now on. 0 earlier results"), std::string::npos) << said;
    layer.spoil(nullptr);
    const Outcome third = call(engine, side, uplo);
    EXPECT_GT(third.products, 1) << "by halves";
    EXPECT_FALSE(third.recovered);
    EXPECT_TRUE(third.used_gpu) << "products are still trusted";
  }
}

// What is left of the call when a part of it was wrong is not trusted to such jobs either.
TEST_P(WrongJobs, AreFoundInTheMiddleOfACallThatIsSeveral) {
  for (const char* fault : {"add d 2 3 3 1 1 0.5", "add d 5 3 3 1 1 0.5"}) {
    SCOPED_TRACE(fault);
    Settings settings = checked(CheckMode::always);
    settings.device_memory = std::size_t{128} << 10;
    Engine engine(settings);
    ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
    EXPECT_GT(call(engine, Side::left, Uplo::lower, 1, 150).products, 1);
    layer.spoil(fault);
    testing::internal::CaptureStderr();
    const Outcome did = call(engine, Side::left, Uplo::lower, 2, 150);
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_GT(layer.spoilt(), 0);
    layer.spoil(nullptr);
    EXPECT_TRUE(did.recovered);
    EXPECT_GE(engine.checks().counts().wrong, 1u) << said;
    EXPECT_NE(said.find("its result is wrong: element ("), std::string::npos) << said;
  }
}

TEST_P(WrongJobs, AreLookedForAmongTheFirstResultsOfAClassUnlessTurnedOff) {
  Engine engine(checked(CheckMode::sampled));
  ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
  for (std::uint64_t i = 0; i < 4; ++i)
    EXPECT_FALSE(call(engine, Side::left, Uplo::lower, i).recovered);
  EXPECT_EQ(engine.checks().counts().checked, 4u);
  for (std::uint64_t i = 0; i < 4; ++i) call(engine, Side::left, Uplo::upper, i);
  EXPECT_GE(engine.checks().counts().checked, 8u) << "of another class";
  EXPECT_GE(engine.checks().counts().results, 8u);

  Engine careless(checked(CheckMode::off));
  EXPECT_EQ(call(careless).products, 1);
  EXPECT_EQ(careless.checks().counts().checked, 0u);
}

}  // namespace
}  // namespace duoblas::test
