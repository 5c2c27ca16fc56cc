// Kernels that nobody has asked for are built while the program rests.
#include "engine/likely_kernels.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "support/learning_settings.hpp"
#include "support/staged_profile.hpp"

namespace duoblas::test {
namespace {

template <typename Condition>
bool comes_true(Condition&& condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

TEST(LikelyKernels, AreBuiltOnceTheProgramRests) {
  static Engine& engine = *new Engine(learning_settings());  // as a program's, never destroyed
  ASSERT_NE(engine.gpu(), nullptr) << engine.gpu_problem();
  engine.adopt(flattering_profile(engine));
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
