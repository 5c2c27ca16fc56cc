// Kernels that nobody has asked for are built while the program rests.
#include "engine/likely_kernels.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>

#include "support/comes_true.hpp"
#include "support/learning_settings.hpp"
#include "support/staged_profile.hpp"

namespace duoblas::test {
namespace {

TEST(LikelyKernels, AreBuiltOnceTheProgramRests) {
  static Engine& engine = *new Engine(learning_settings());  // as a program's, never destroyed
  ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
  engine.facts().adopt(flattering_profile(engine));
  static std::atomic<int> questions{0};
  static std::atomic<bool> rests{false};
  const std::size_t before = engine.gpu()->built_kernels();
  build_likely_kernels(
      engine,
      [] {
        ++questions;
        return rests.load();
      },
      0.01);
  ASSERT_TRUE(comes_true([] { return questions >= 3; }));
  EXPECT_EQ(engine.gpu()->built_kernels(), before) << "the program multiplies";
  rests = true;
  EXPECT_TRUE(comes_true([&] { return engine.gpu()->built_kernels() > before; }));
}

}  // namespace
}  // namespace duoblas::test
