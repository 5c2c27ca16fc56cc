// A driver that computes something else in batches: every C is right all the same.
#include <chrono>
#include <string>

#include "cl_layer/ones.hpp"
#include "cl_layer/played_driver.hpp"
#include "engine/engine.hpp"
#include "support/batch_of_context.hpp"
#include "support/comes_true.hpp"
#include "support/staged_profile.hpp"
#include "support/temporary_directory.hpp"

namespace duoblas::test {
namespace {

struct WrongBatches : PlayedDriver {
  static Settings checked(CheckMode mode) {
    Settings settings = both_sides();
    settings.check = mode;
    return settings;
  }

  CallSummary multiply_batch(Context& context, bool by_pointers, double beta = -0.7,
                             std::int64_t count = 12) {
    BatchFactors f;
    f.one = {.m = 40, .n = 44, .k = 31, .pad = 1, .alpha = 1.5, .beta = beta};
    f.count = count;
    f.shuffled = by_pointers;
    expect_batch_right<float>(
        f, [&](const BatchCall<float>& b) { test::multiply_batch(context, b, true); });
    return Context::last_call();
  }

  void TearDown() override {
    layer.spoil(nullptr);
    PlayedDriver::TearDown();
  }
};

TEST_F(WrongBatches, AreComputedAgainAndTheirKernelIsNotUsedAnyMore) {
  for (const bool by_pointers : {false, true})
    for (const double beta : {0.0, -0.7}) {
      Context context(checked(CheckMode::always));
      EXPECT_FALSE(multiply_batch(context, by_pointers, beta).recovered);
      layer.spoil("add s 1 3 7 1 1 0.5");
      testing::internal::CaptureStderr();
      const CallSummary call = multiply_batch(context, by_pointers, beta);
      const std::string said = testing::internal::GetCapturedStderr();
      EXPECT_TRUE(call.recovered);
      EXPECT_EQ(call.reason, "the GPU's result was wrong, and the CPU did its part");
      EXPECT_NE(said.find("its result is wrong: element ("), std::string::npos) << said;
      EXPECT_NE(said.find("in a batch"), std::string::npos) << said;
      EXPECT_NE(said.find("is not used any more"), std::string::npos) << said;
      layer.spoil(nullptr);
      const CallSummary next = multiply_batch(context, by_pointers, beta);
      EXPECT_FALSE(next.recovered);
      EXPECT_GT(next.gpu_products, 0) << "with another kernel";
    }
}

TEST_F(WrongBatches, AreFoundByTheTrialsOfTheirKernels) {
  Context context(checked(CheckMode::sampled));
  layer.spoil("add s 1 0 0 1 1 1");
  testing::internal::CaptureStderr();
  for (int call = 0; call < 12; ++call) EXPECT_EQ(multiply_batch(context, false).gpu_products, 0);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("of a batch:"), std::string::npos) << said;
  EXPECT_NE(said.find("This kernel is not used"), std::string::npos) << said;
}

TEST_F(WrongBatches, WhereLaunchesAreShortAreRightInSeveral) {
  Settings settings = both_sides();
  settings.launch_ms = 1;
  Context context(settings);
  multiply_batch(context, false);  // kernels are tried
  const long before = launched();
  EXPECT_FALSE(multiply_batch(context, false, -0.7, 400).recovered);
  EXPECT_GT(launched() - before, 1);
}

// Who asked for nothing does not wait for a compiler.
TEST_F(WrongBatches, AreLookedForBesideCallsThatAskedForNothing) {
  const TemporaryDirectory directory;
  Settings settings;
  settings.cache_dir = directory / "cache";
  Engine engine(settings);
  ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
  engine.facts().adopt(flattering_profile(engine));
  constexpr std::int64_t n = 128, count = 20;
  const auto computed = [&] {
    Ones products(n * count, n, n, 0), factors(n * count, n, n, 0);
    BatchGroup group = group_of(products.problem());
    group.shape.m = n;
    group.a.stride = group.b.stride = group.c.stride = n * n;
    group.b.first = factors.a.data();
    group.count = count;
    Outcome outcome = engine.run(BatchProblem{Precision::s, {group}});
    EXPECT_TRUE(products.is_right());
    EXPECT_EQ(outcome.batch_products, count);
    return outcome;
  };
  const Outcome first = computed();
  EXPECT_FALSE(first.used_gpu);
  EXPECT_EQ(first.plan.reason, Reason::kernels_building);
  EXPECT_TRUE(comes_true([&] { return computed().used_gpu; }, std::chrono::milliseconds(0)));
  EXPECT_GT(engine.gpu()->trials(), 0u);
}

}  // namespace
}  // namespace duoblas::test
