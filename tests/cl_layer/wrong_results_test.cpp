// A driver that computes something else: what calls return is right all the same, and one line says
// what happened.
#include <duoblas/duoblas.h>

#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "cl_layer/ones.hpp"
#include "cl_layer/played_driver.hpp"
#include "engine/engine.hpp"
#include "support/staged_profile.hpp"
#include "support/temporary_directory.hpp"

namespace duoblas::test {
namespace {

struct WrongResults : PlayedDriver {
  static Settings checked(CheckMode mode = CheckMode::always) {
    Settings settings = both_sides();
    settings.check = mode;
    return settings;
  }

  void TearDown() override {
    layer.spoil(nullptr);
    PlayedDriver::TearDown();
  }
};

TEST_F(WrongResults, AreComputedAgainAndTheKernelIsNotUsedAnyMore) {
  for (const char* fault : {"add s 1 3 7 1 1 0.5", "add s 1 20 0 1 44 0.01", "add s 1 8 8 8 8 2",
                            "nan s 1 0 0 1 1", "swap s 1 0 0 24 44", "keep s 1"}) {
    SCOPED_TRACE(fault);
    Context context(checked());
    multiply<float>(context);
    layer.spoil(fault);
    testing::internal::CaptureStderr();
    const CallSummary call = multiply<float>(context);
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_EQ(layer.spoilt(), 1);
    EXPECT_TRUE(call.recovered);
    EXPECT_EQ(call.reason, "the GPU's result was wrong, and the CPU did its part");
    EXPECT_NE(said.find("its result is wrong: element ("), std::string::npos) << said;
    EXPECT_NE(said.find("is not used any more"), std::string::npos) << said;
    EXPECT_NE(said.find(". 0 earlier results"), std::string::npos) << said;
    layer.spoil(nullptr);
    expect_gpu_used<float>(context);  // with another kernel
    expect_gpu_used<double>(context);
  }
}

// The second one by its trial, before it is used.
TEST_F(WrongResults, OfTwoKernelsMakeTheDeviceTheCulprit) {
  Context context(checked());
  expect_gpu_used<float>(context);
  layer.spoil("add s 1 0 0 1 1 1");
  testing::internal::CaptureStderr();
  EXPECT_TRUE(multiply<float>(context).recovered);
  EXPECT_TRUE(multiply<float>(context).recovered);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("The CPU computed it again, and this kernel"), std::string::npos) << said;
  EXPECT_NE(said.find("The CPU computes everything from now on"), std::string::npos) << said;
  layer.spoil(nullptr);
  const long before = launched();
  const CallSummary call = multiply<float>(context);
  EXPECT_EQ(call.strategy, Strategy::cpu);
  EXPECT_EQ(call.reason, "the GPU computed wrong results with two kernels");
  EXPECT_EQ(launched(), before);
}

// Nothing that they compute reaches a program, until no kernel is left that is not tried.
TEST_F(WrongResults, OfEachKernelKeepThemFromProducts) {
  Context context(checked(CheckMode::sampled));
  layer.spoil("add s 1 0 0 1 1 1");
  testing::internal::CaptureStderr();
  CallSummary call;
  int calls = 0;
  do {
    call = multiply<float>(context);
    EXPECT_TRUE(call.recovered || call.strategy == Strategy::cpu) << call.reason;
  } while (call.recovered && ++calls < 20);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(call.reason, "the device launches none of the kernels for this type");
  EXPECT_NE(said.find("This kernel is not used"), std::string::npos) << said;
  EXPECT_EQ(said.find("computed it again"), std::string::npos) << said;
  layer.spoil(nullptr);
  expect_gpu_used<double>(context);
}

// A program's calls go on meanwhile.
TEST_F(WrongResults, AreLookedForBesideCallsThatAskedForNothing) {
  const TemporaryDirectory directory;
  Settings settings;
  settings.cache_dir = directory / "cache";
  const auto compute = [&](bool knows_kernels) {
    Engine engine(settings);
    if (engine.gpu() == nullptr) throw std::runtime_error(engine.facts().gpu_problem());
    engine.facts().adopt(flattering_profile(engine));
    engine.outlays().note_build(1e-3, 1, 0, true);  // so the first call's miss pays for one
    Ones product(600, 600, 600, 0);
    const Outcome first = engine.run(product.problem());
    EXPECT_EQ(first.used_gpu, knows_kernels);
    EXPECT_EQ(first.plan.reason == Reason::kernels_building, !knows_kernels);
    EXPECT_TRUE(product.is_right());
    int calls = 0;
    for (bool used = false; !used && calls < 20000; ++calls) {
      Ones next(600, 600, 600, 0);
      used = engine.run(next.problem()).used_gpu;
      EXPECT_TRUE(next.is_right());
    }
    return engine.gpu()->trials();
  };
  EXPECT_GT(compute(false), 0u);
  EXPECT_EQ(compute(true), 0u) << "what one process tried another need not";
}

TEST_F(WrongResults, AreFoundInSamplesAsWell) {
  Context context(checked(CheckMode::sampled));
  expect_gpu_used<float>(context);
  layer.spoil("add s 1 2 2 1 1 1");
  testing::internal::CaptureStderr();
  EXPECT_TRUE(multiply<float>(context).recovered);
  testing::internal::GetCapturedStderr();
}

TEST_F(WrongResults, AreNotLookedForWhereNobodyWantsIt) {
  Engine engine(checked(CheckMode::off));
  const auto product = [&] {
    std::vector<float> a(60 * 60, 1), b(60 * 60, 1), c(60 * 60, 0);
    GemmProblem problem;
    problem.m = problem.n = problem.k = problem.lda = problem.ldb = problem.ldc = 60;
    problem.a = a.data();
    problem.b = b.data();
    problem.c = c.data();
    return engine.run(problem);
  };
  EXPECT_FALSE(product().recovered);
  EXPECT_EQ(engine.checks().counts().checked, 0u);
  engine.checks().set_mode(CheckMode::always);
  EXPECT_FALSE(product().recovered);
  EXPECT_EQ(engine.checks().counts().checked, 1u);
  EXPECT_EQ(engine.checks().counts().results, 1u);
  EXPECT_GT(engine.checks().counts().seconds, 0);
}

// C keeps its old values until the rows that arrive were looked at: no copy of it is made, and the
// CPU computes what did not arrive.
TEST_F(WrongResults, ThatArriveInBlocksAreFoundBeforeTheyAreInC) {
  for (const std::size_t memory : {0u, 1u << 20, 1u << 18}) {
    for (const int launch : {1, 2, 5}) {
      SCOPED_TRACE(std::to_string(memory) + " bytes, launch " + std::to_string(launch));
      Settings settings = checked();
      settings.device_memory = memory;
      Engine engine(settings);
      ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
      engine.facts().adopt(staged_profile(engine));
      Ones first(700, 600, 600, 3), second(700, 600, 600, 3), third(700, 600, 600, 3);
      EXPECT_TRUE(engine.run(first.problem()).used_gpu);
      EXPECT_TRUE(first.is_right());
      layer.spoil(("add s " + std::to_string(launch) + " 3 7 1 1 9").c_str());
      testing::internal::CaptureStderr();
      const Outcome outcome = engine.run(second.problem());
      const std::string said = testing::internal::GetCapturedStderr();
      const bool was_spoilt = layer.spoilt() > 0;
      layer.spoil(nullptr);
      EXPECT_TRUE(was_spoilt || memory == 0);
      EXPECT_EQ(outcome.recovered, was_spoilt);
      EXPECT_TRUE(second.is_right());
      EXPECT_EQ(said.find("its result is wrong: element (") != std::string::npos, was_spoilt)
          << said;
      EXPECT_EQ(engine.checks().counts().wrong, was_spoilt ? 1u : 0u);
      EXPECT_EQ(engine.checks().counts().checked, 2u);
      EXPECT_TRUE(engine.run(third.problem()).used_gpu) << "with another kernel";
      EXPECT_TRUE(third.is_right());
    }
  }
}

TEST_F(WrongResults, ThatArriveInBlocksAreLookedForOnTheirWay) {
  Engine engine(checked(CheckMode::sampled));
  ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
  engine.facts().adopt(staged_profile(engine));
  Ones adds(700, 600, 600, 3), overwrites(700, 600, 600, 0);
  const Outcome adding = engine.run(adds.problem()), overwriting = engine.run(overwrites.problem());
  EXPECT_EQ(engine.checks().counts().checked, 2u);
  EXPECT_TRUE(adding.check_in_times);
  EXPECT_EQ(adding.check_seconds, 0);
  EXPECT_FALSE(overwriting.check_in_times) << "it needs no old C, and is checked afterwards";
  EXPECT_GT(overwriting.check_seconds, 0);
}

// A program's results are right from the rejection on, also inside of calls of many products.
TEST_F(WrongResults, InsideOfLevel3CallsAreComputedAgain) {
  Settings settings = checked();
  Context context(settings);
  constexpr std::int64_t n = 300;
  std::vector<double> a(n * n), right(n * n, 0), c(n * n, 0);
  std::mt19937_64 engine(5);
  for (double& value : a) value = random_value<double>(engine);
  Settings on_cpu;
  on_cpu.strategy = Strategy::cpu;
  Context(on_cpu).syrk<double>(Layout::row_major, Uplo::lower, Op::none, n, n, 1, a.data(), n, 0,
                               right.data(), n);
  layer.spoil("add d 1 1 1 2 2 3");
  context.syrk<double>(Layout::row_major, Uplo::lower, Op::none, n, n, 1, a.data(), n, 0, c.data(),
                       n);
  EXPECT_GE(layer.spoilt(), 1);
  for (std::size_t i = 0; i < c.size(); ++i) ASSERT_NEAR(c[i], right[i], 1e-11) << i;
}

// Wrong at odd edges alone: trials have some.
TEST_F(WrongResults, AtOddEdgesAreFoundByTrials) {
  Context context(checked(CheckMode::sampled));
  layer.spoil("edge s 1 0 0 1 1 1");
  testing::internal::CaptureStderr();
  EXPECT_TRUE(multiply<float>(context, Op::none, Op::none, 46).recovered);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("This kernel is not used"),
            std::string::npos);
}

// Too rare for a trial: found while programs compute, at the latest where every result is looked
// at, and remembered.
TEST_F(WrongResults, OnceInAHundredAreFoundAndRemembered) {
  const TemporaryDirectory directory;
  Settings settings = checked();
  settings.cache_dir = directory / "cache";
  for (int process = 0; process < 2; ++process) {
    Context context(settings);
    expect_gpu_used<float>(context);
    layer.spoil("add s 100 3 7 1 1 0.5");
    testing::internal::CaptureStderr();
    int calls = 1;
    while (!multiply<float>(context).recovered && calls < 200) ++calls;
    EXPECT_EQ(calls, 100);
    EXPECT_NE(testing::internal::GetCapturedStderr().find("its result is wrong: element (3, 7)"),
              std::string::npos);
    layer.spoil(nullptr);
    expect_gpu_used<float>(context);  // with another kernel
  }
  Settings talkative = settings;
  talkative.verbose = 1;
  Context third(talkative);
  testing::internal::CaptureStderr();
  EXPECT_TRUE(multiply<float>(third).recovered) << "what two processes saw err is not built";
  EXPECT_NE(testing::internal::GetCapturedStderr().find("an earlier process found that"),
            std::string::npos);
  expect_gpu_used<float>(third);
}

TEST(CheckModeInC, IsSetAndRefused) {
  EXPECT_EQ(duoblas_set_check(DUOBLAS_CHECK_ALWAYS), DUOBLAS_OK);
  EXPECT_EQ(duoblas_set_check(static_cast<duoblas_check>(3)), DUOBLAS_INVALID_ARGUMENT);
  EXPECT_NE(std::string(duoblas_last_error()).find("argument 1 (mode)"), std::string::npos);
  EXPECT_EQ(duoblas_set_check(DUOBLAS_CHECK_SAMPLED), DUOBLAS_OK);
}

}  // namespace
}  // namespace duoblas::test
