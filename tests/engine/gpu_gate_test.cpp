// Who gets the GPU, who waits, and who goes to the CPU.
#include "engine/gpu_gate.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <thread>
#include <vector>

namespace duoblas {
namespace {

Plan estimate(double own_seconds, double cpu_seconds) {
  Plan plan;
  plan.expected_seconds = own_seconds;
  plan.cpu_only_seconds = cpu_seconds;
  return plan;
}

// Of a caller whose time on the CPU nobody else counts.
bool enters(GpuGate& gate, const Plan& plan, bool insist) {
  GpuGate::OnCpu on_cpu;
  return gate.enter(plan, insist, on_cpu).has_value();
}

TEST(GpuGate, LetsTheFirstCallerIn) {
  GpuGate gate;
  EXPECT_TRUE(enters(gate, estimate(1, 2), false));
  EXPECT_TRUE(enters(gate, estimate(1, 2), false)) << "the first pass was given back";
}

TEST(GpuGate, SendsACallerToTheCpuWhereWaitingWouldTakeLonger) {
  GpuGate gate;
  GpuGate::OnCpu on_cpu;
  const auto pass = gate.enter(estimate(1000, 2000), false, on_cpu);
  auto second = std::async(std::launch::async, [&] { return enters(gate, estimate(1, 5), false); });
  EXPECT_FALSE(second.get());
}

TEST(GpuGate, MakesACallerWaitWhereThatIsCheaperOrInsistedOn) {
  GpuGate gate;
  GpuGate::OnCpu on_cpu;
  auto pass = gate.enter(estimate(1000, 2000), false, on_cpu);
  auto patient =
      std::async(std::launch::async, [&] { return enters(gate, estimate(1, 5000), false); });
  auto insisting =
      std::async(std::launch::async, [&] { return enters(gate, estimate(1, 5), true); });
  EXPECT_EQ(patient.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
  EXPECT_EQ(insisting.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
  pass.reset();
  EXPECT_TRUE(patient.get());
  EXPECT_TRUE(insisting.get());
}

// Callers with this plan ask, in any order, while a job of 1000 s runs. Returns how many are sent
// to the CPU, where they stay until all have been told. `expected` is waited for.
int sent_to_cpu(int callers, const Plan& plan, int expected) {
  GpuGate gate;
  std::vector<GpuGate::OnCpu> on_cpu(static_cast<std::size_t>(callers) + 1);
  auto pass = gate.enter(estimate(1000, 2000), false, on_cpu.back());
  std::atomic<int> sent{0};
  std::vector<std::future<void>> all;
  for (int i = 0; i < callers; ++i)
    all.push_back(std::async(std::launch::async, [&, &own = on_cpu[static_cast<std::size_t>(i)]] {
      sent += !gate.enter(plan, false, own).has_value();
    }));
  for (int waited = 0; waited < 10'000 && sent < expected; ++waited)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // more, if it is wrong
  pass.reset();
  for (auto& one : all) one.get();
  return sent;
}

// Each of eight threads would wait for the call of one other, and each after the other.
TEST(GpuGate, CountsThoseWhoWaitAlready) {
  EXPECT_EQ(sent_to_cpu(3, estimate(1000, 3500), 1), 1)
      << "it would wait for 3,000 s and take 1,000";
}

// A GPU may be ten times faster. If a dozen threads share the cores instead of waiting for it, each
// of them takes a dozen times as long.
TEST(GpuGate, CountsThoseWhoAreOnTheCpuAlready) {
  EXPECT_EQ(sent_to_cpu(6, estimate(1000, 2600), 2), 2)
      << "after 2,600 s and 5,200; the others after 2,000, 3,000, 4,000 and 5,000";
}

TEST(GpuGate, ForgetsThoseWhoHaveLeftTheCpu) {
  GpuGate gate;
  GpuGate::OnCpu on_cpu;
  const auto pass = gate.enter(estimate(1000, 2000), false, on_cpu);
  for (int i = 0; i < 3; ++i)
    EXPECT_FALSE(std::async(std::launch::async, [&] {
                   return enters(gate, estimate(1000, 1500), false);
                 }).get());
}

}  // namespace
}  // namespace duoblas
