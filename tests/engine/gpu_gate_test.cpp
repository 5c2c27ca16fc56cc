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

// Each of eight threads would wait for the call of one other, and each after the other.
TEST(GpuGate, CountsThoseWhoWaitAlready) {
  GpuGate gate;
  auto pass = gate.enter(estimate(1000, 2000), false);
  const auto ask = [&] {
    return std::async(std::launch::async,
                      [&] { return gate.enter(estimate(1000, 3500), false).has_value(); });
  };
  auto first = ask(), second = ask();
  EXPECT_EQ(first.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
  EXPECT_EQ(second.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
  auto third = ask();
  const bool is_told = third.wait_for(std::chrono::seconds(10)) == std::future_status::ready;
  EXPECT_TRUE(is_told) << "it would wait for 3,000 s and take 1,000";
  pass.reset();
  EXPECT_FALSE(third.get());
  EXPECT_TRUE(first.get());
  EXPECT_TRUE(second.get());
}

}  // namespace
}  // namespace duoblas
