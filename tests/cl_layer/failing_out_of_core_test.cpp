// Level-3 calls in several jobs of a device that does not hold them at once: the memory that they
// take there, and a device that fails in the middle of them.
#include <gtest/gtest.h>

#include <string>

#include "cl_layer/layer_control.hpp"
#include "engine/engine.hpp"
#include "level3/blocked_level3.hpp"
#include "support/level3_case.hpp"
#include "support/staged_profile.hpp"

namespace duoblas::test {
namespace {

constexpr std::size_t limit = std::size_t{128} << 10;

Settings little_memory() {
  Settings settings = Settings::from_environment();
  settings.strategy = Strategy::hybrid;
  settings.split = Share{12, 16};
  settings.check = CheckMode::off;
  settings.profile_dir.clear();
  settings.device_memory = limit;
  return settings;
}

struct FailingOutOfCore : testing::TestWithParam<Routine> {
  const LayerControl& layer = LayerControl::get();
  void SetUp() override { layer.reset(); }
  void TearDown() override {
    layer.reset();
    layer.memory_model("");
  }
};

INSTANTIATE_TEST_SUITE_P(Routines, FailingOutOfCore,
                         ::testing::Values(Routine::symm, Routine::syrk, Routine::syr2k,
                                           Routine::trmm, Routine::trsm),
                         [](const auto& routine) { return std::string(name(routine.param)); });

Level3Factors factors(Routine routine, int number) {
  Level3Factors f{routine};
  f.layout = number % 2 == 0 ? Layout::row_major : Layout::column_major;
  f.uplo = number / 2 % 2 == 0 ? Uplo::upper : Uplo::lower;
  f.order = 150;
  f.free = 60;
  f.alpha = 0.75;
  f.beta = -0.5;
  return f;
}

TEST_P(FailingOutOfCore, StaysWithinTheLimit) {
  for (const char* model : {"", "pages"}) {
    SCOPED_TRACE(model);
    layer.memory_model(model);
    Engine engine(little_memory());
    ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
    for (int number = 0; number < 4; ++number)
      expect_right<double>(factors(GetParam(), number), [&](const CallerLevel3& call) {
        layer.reset();
        const Outcome did = run_level3(engine, to_row_major(call));
        EXPECT_GT(did.products, 1);
        EXPECT_TRUE(did.used_gpu);
        EXPECT_FALSE(did.recovered);
        EXPECT_LE(layer.peak_bytes(0), static_cast<long>(limit));
      });
  }
}

// The device's own calls, one after another with some between them that work: those of the first
// job, of products, and of the last.
TEST_P(FailingOutOfCore, IsTakenOverByTheCpuWhereverItIs) {
  int recovered = 0;
  bool fired = true;
  for (int number = 1; fired; number += number * 2 / 3 + 2) {
    ASSERT_LT(number, 5000) << "no end of calls";
    SCOPED_TRACE(number);
    Engine engine(little_memory());
    ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
    engine.facts().adopt(staged_profile(engine));
    expect_right<double>(factors(GetParam(), number), [&](const CallerLevel3& call) {
      layer.fail(("*:" + std::to_string(number)).c_str());
      recovered += run_level3(engine, to_row_major(call)).recovered;
      fired = layer.fired() != 0;
      layer.reset();
    });
  }
  EXPECT_GT(recovered, 5);
}

}  // namespace
}  // namespace duoblas::test
