#include "engine/gpu_gate.hpp"

#include <gtest/gtest.h>

#include <future>

namespace duoblas {
namespace {

Plan estimate(double own_seconds, double cpu_seconds) {
  Plan plan;
  plan.expected_seconds = own_seconds;
  plan.cpu_only_seconds = cpu_seconds;
  return plan;
}

TEST(GpuGate, LetsTheFirstCallerIn) {
  GpuGate gate;
  EXPECT_TRUE(gate.enter(estimate(1, 2), false).has_value());
  EXPECT_TRUE(gate.enter(estimate(1, 2), false).has_value()) << "the first pass was given back";
}

TEST(GpuGate, SendsACallerToTheCpuWhereWaitingWouldTakeLonger) {
  GpuGate gate;
  const auto pass = gate.enter(estimate(1000, 2000), false);
  auto second =
      std::async(std::launch::async, [&] { return gate.enter(estimate(1, 5), false).has_value(); });
  EXPECT_FALSE(second.get());
}

TEST(GpuGate, MakesACallerWaitWhereThatIsCheaperOrInsistedOn) {
  GpuGate gate;
  auto pass = gate.enter(estimate(1000, 2000), false);
  auto patient = std::async(std::launch::async,
                            [&] { return gate.enter(estimate(1, 5000), false).has_value(); });
  auto insisting =
      std::async(std::launch::async, [&] { return gate.enter(estimate(1, 5), true).has_value(); });
  EXPECT_EQ(patient.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
  EXPECT_EQ(insisting.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
  pass.reset();
  EXPECT_TRUE(patient.get());
  EXPECT_TRUE(insisting.get());
}

}  // namespace
}  // namespace duoblas
