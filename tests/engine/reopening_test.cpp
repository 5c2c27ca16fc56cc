// A device that is lost comes back: by an OpenCL layer one of whose calls fails.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <new>
#include <thread>
#include <vector>

#include "cl_layer/layer_control.hpp"
#include "cl_layer/ones.hpp"
#include "conformance/forced_context.hpp"
#include "engine/engine.hpp"
#include "engine/reopening.hpp"
#include "engine/shortage_backoff.hpp"
#include "problem/host_rect.hpp"
#include "support/comes_true.hpp"
#include "support/staged_profile.hpp"

namespace duoblas::test {
namespace {

constexpr RetryPauses soon{0.1, 1, 3, 4};

struct LostDevice : testing::Test {
  const LayerControl& layer = LayerControl::get();
  void SetUp() override { layer.reset(); }
  void TearDown() override { layer.reset(); }

  // What a call that has to be right did.
  static Outcome run(Engine& engine, float beta = -0.5f) {
    Ones product(64, 64, 16, beta);
    Outcome outcome = engine.run(product.problem());
    EXPECT_TRUE(product.is_right());
    return outcome;
  }

  // Calls until the GPU does its part.
  static bool comes_back(Engine& engine) {
    return comes_true([&] { return run(engine).used_gpu; });
  }

  // Nothing fails thereafter, however soon the next try comes.
  void lose(Engine& engine) {
    layer.fail("clWaitForEvents:1=-36");  // behind the submit
    EXPECT_TRUE(run(engine).recovered);
  }
};

TEST_F(LostDevice, IsUsedAgainWhenItIsBack) {
  Engine engine(forced_settings(), soon);
  ASSERT_TRUE(run(engine).used_gpu);
  GpuSide* const before = engine.gpu();
  lose(engine);
  EXPECT_TRUE(comes_back(engine));
  EXPECT_NE(engine.gpu(), before);
}

TEST_F(LostDevice, IsTheCpusWorkMeanwhile) {
  Engine engine(forced_settings(), {3600, 1, 1, 1});
  ASSERT_TRUE(run(engine).used_gpu);
  lose(engine);
  const Outcome outcome = run(engine);
  EXPECT_FALSE(outcome.used_gpu);
  EXPECT_EQ(outcome.plan.reason, Reason::gpu_failed_before);
}

TEST_F(LostDevice, IsGivenUpWhereItFailsAgainAndAgain) {
  Settings settings = forced_settings();
  settings.verbose = 1;
  testing::internal::CaptureStderr();
  {
    Engine engine(settings, soon);
    ASSERT_TRUE(run(engine).used_gpu);
    for (int loss = 0; loss < soon.tries; ++loss) {
      lose(engine);
      ASSERT_TRUE(comes_back(engine));
    }
    lose(engine);
    std::this_thread::sleep_for(std::chrono::milliseconds(1300));
    EXPECT_FALSE(run(engine).used_gpu);
  }
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("opened again"), std::string::npos) << said;
  EXPECT_NE(said.find("is not opened any more"), std::string::npos) << said;
}

TEST_F(LostDevice, KeepsItsProfileAndLosesWhatWasPrepared) {
  Engine engine(forced_settings(), soon);
  engine.facts().adopt(staged_profile(engine));
  std::vector<float> b(600 * 600, 1);
  const auto prepare = [&] {
    return engine.jobs().make_resident(rect_of(b.data(), 600, 600, 600, Precision::s),
                                       Precision::s);
  };
  const auto expect_use = [&](const ResidentMatrix* prepared) {
    Ones product(700, 600, 600, 0);
    GemmProblem problem = product.problem();
    problem.b = b.data();
    EXPECT_TRUE(engine.run(problem, {nullptr, prepared}).used_gpu);
    EXPECT_TRUE(product.is_right());
  };
  const auto before = prepare();
  ASSERT_NE(before, nullptr);
  expect_use(before.get());
  lose(engine);
  ASSERT_TRUE(comes_back(engine));
  EXPECT_TRUE(engine.machine().profile.has_value());
  expect_use(before.get());
  const auto again = prepare();
  ASSERT_NE(again, nullptr);
  expect_use(again.get());
}

// Drivers say CL_OUT_OF_RESOURCES of a shortage and of a lost context alike.
TEST_F(LostDevice, IsWhatIsShortOfResourcesForEver) {
  Engine engine(forced_settings(), {3600, 1, 1, 1});
  ASSERT_TRUE(run(engine).used_gpu);
  layer.fail("clEnqueueNDRangeKernel:1+=-5");
  int tries = 0, calls = 0;
  for (Outcome outcome = run(engine); outcome.plan.reason != Reason::gpu_failed_before;
       outcome = run(engine)) {
    tries += outcome.recovered;
    ASSERT_LT(++calls, 3 * ShortageBackoff::longest_rest);
  }
  EXPECT_GT(calls, ShortageBackoff::longest_rest);
  EXPECT_LT(tries, 20);
}

TEST_F(LostDevice, IsWhatThreeWaitsFailedOfButNotOneBehindOtherShortages) {
  Engine engine(forced_settings(), {3600, 1, 1, 1});
  ASSERT_TRUE(run(engine).used_gpu);
  for (const char* call :
       {"clEnqueueNDRangeKernel:1=-5", "clEnqueueNDRangeKernel:1=-5", "clWaitForEvents:1=-5"}) {
    layer.fail(call);
    EXPECT_TRUE(run(engine).recovered) << call;
  }
  layer.fail("clWaitForEvents:1+=-5");
  EXPECT_EQ(run(engine).plan.reason, Reason::gpu_short_of_memory);
  int waits = 1;
  for (Outcome outcome = run(engine); outcome.plan.reason != Reason::gpu_failed_before;
       outcome = run(engine)) {
    waits += outcome.recovered;
    ASSERT_LE(waits, ShortageBackoff::most_failed_waits);
  }
  EXPECT_EQ(waits, ShortageBackoff::most_failed_waits);
}

// Short memory strikes anywhere.
TEST(ReopeningShortOfMemory, TriesAgainAndIsNotAwayForWantOfWords) {
  std::atomic<int> tries{0}, said{0};
  Reopening reopening({[&]() -> bool {
                         if (++tries == 1) throw std::bad_alloc();
                         return true;
                       },
                       [&](const char*) {
                         ++said;
                         throw std::bad_alloc();
                       }},
                      {0.01, 2, 3, 4});
  reopening.lost();
  EXPECT_TRUE(comes_true([&] { return said > 0; }));
  EXPECT_EQ(tries, 2);
  EXPECT_EQ(said, 1);
  EXPECT_FALSE(reopening.is_unavailable());
}

TEST_F(LostDevice, LeavesNothingBehindWithItsEngine) {
  const long before = layer.live_objects();
  {
    Engine engine(forced_settings(), soon);
    ASSERT_TRUE(run(engine).used_gpu);
    lose(engine);
    ASSERT_TRUE(comes_back(engine));
    lose(engine);
  }
  EXPECT_EQ(layer.live_objects(), before);
}

}  // namespace
}  // namespace duoblas::test
