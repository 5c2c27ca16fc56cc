// Which kernel is taken for the GPU alone where a search has seen several that may be the best.
#include "tuner/gpu_only_choice.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace duoblas {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

Ranked ranked(int kernel, double seconds) {
  return {{kernel, 0, 0, 0}, {{seconds, seconds, 0, 0}}, seconds};
}

std::vector<int> kernels(const std::vector<Candidate>& candidates) {
  std::vector<int> places;
  for (const Candidate& c : candidates) places.push_back(c.kernel);
  return places;
}

TEST(GpuOnlyChoice, LooksAgainAtWhatWasNearlyAsFast) {
  const std::vector<Ranked> alone = {ranked(5, 1.0), ranked(2, 1.04), ranked(7, 1.2),
                                     ranked(1, 1.3), ranked(0, inf)};
  EXPECT_EQ(kernels(worth_measuring_again(alone, false)), (std::vector<int>{5, 2}));
  EXPECT_EQ(kernels(worth_measuring_again(alone, true)), (std::vector<int>{5, 2, 7}));
  EXPECT_TRUE(worth_measuring_again({ranked(0, inf), ranked(1, inf)}, true).empty());
  EXPECT_TRUE(worth_measuring_again({}, true).empty());
}

TEST(GpuOnlyChoice, LooksAgainAtFourAtMost) {
  EXPECT_EQ(kernels(worth_measuring_again(std::vector<Ranked>(9, ranked(3, 1.0)), false)).size(),
            4u);
}

// Calls take as long as the kernel's place says; with all operands on the device a tenth of that.
class Device : public Evaluator {
 public:
  std::vector<TrialOutcome> measure(const Batch& batch) override {
    std::vector<TrialOutcome> outcomes;
    for (const Trial& trial : batch.trials) {
      asked.push_back(trial);
      const double seconds = trial.candidate.kernel * (trial.sides == Sides::device ? 0.1 : 1.0);
      TrialOutcome outcome;
      outcome.samples.assign(static_cast<std::size_t>(batch.rounds), {seconds, seconds, 0, 2});
      outcomes.push_back(std::move(outcome));
    }
    return outcomes;
  }
  std::vector<Trial> asked;
};

TEST(GpuOnlyChoice, IsMeasuredInTurnsAndWithOperandsOnTheDeviceWhereTheyAreCopied) {
  Device device;
  const GpuOnlyTimes times =
      measure_gpu_only(device, {{4, 0, 0, 0}, {6, 0, 0, 0}}, true, Goal::throughput, 5);
  ASSERT_EQ(device.asked.size(), 4u);
  ASSERT_EQ(times.calls.size(), 2u);
  ASSERT_EQ(times.on_device.size(), 2u);
  EXPECT_DOUBLE_EQ(times.calls[1].median, 6);
  EXPECT_DOUBLE_EQ(times.on_device[1].median, 0.6);
  EXPECT_EQ(times.calls[1].rounds, 5);
}

TEST(GpuOnlyChoice, IsMeasuredByTheGoal) {
  Device device;
  const GpuOnlyTimes times = measure_gpu_only(device, {{4, 0, 0, 0}}, false, Goal::energy, 3);
  EXPECT_TRUE(times.on_device.empty());
  EXPECT_DOUBLE_EQ(times.calls[0].median, 2);
}

Timing timing(double seconds) {
  Timing timing;
  for (const double noise : {1.0, 1.01, 0.99, 1.0, 1.0}) timing.samples.push_back(seconds * noise);
  timing.failed = seconds == inf;
  summarise(timing);
  return timing;
}

std::size_t decided(const std::vector<double>& calls, const std::vector<double>& on_device) {
  GpuOnlyTimes times;
  for (const double seconds : calls) times.calls.push_back(timing(seconds));
  for (const double seconds : on_device) times.on_device.push_back(timing(seconds));
  return choose_gpu_only(times);
}

TEST(GpuOnlyChoice, IsTheFirstUnlessAnotherIsClearlyFaster) {
  EXPECT_EQ(decided({1, 1.001, 0.9, 0.8}, {}), 3u);
  EXPECT_EQ(decided({1, 0.998, 1.1}, {}), 0u);
  EXPECT_EQ(decided({inf, 1}, {}), 1u);
}

TEST(GpuOnlyChoice, IsTheFasterKernelWhereCallsTakeAsLong) {
  EXPECT_EQ(decided({1, 1, 1.02}, {9, 5, 3}), 2u);
  EXPECT_EQ(decided({1, 0.9, 0.92}, {3, 9, 5}), 2u) << "nearly as fast as the fastest";
}

TEST(GpuOnlyChoice, IsNoFasterKernelWhoseCallsAreSlowerOrThatFailsOrIsHardlyFaster) {
  EXPECT_EQ(decided({1, 1.05}, {9, 3}), 0u);
  EXPECT_EQ(decided({1, 1}, {9, inf}), 0u);
  EXPECT_EQ(decided({1, inf}, {9, 3}), 0u);
  EXPECT_EQ(decided({1, 1}, {3.1, 3}), 0u);
}

TEST(GpuOnlyChoice, IsFoundWithoutWhatWasLeftOut) {
  GpuOnlyTimes times;
  for (const double seconds : {1.0, 0.8, 0.9}) times.calls.push_back(timing(seconds));
  times.candidates = {{5, 0, 0, 0}, {6, 0, 0, 0}, {7, 0, 0, 0}};
  ASSERT_EQ(choose_gpu_only(times), 1u);
  times.leave_out(1);
  EXPECT_EQ(kernels({times.candidates[choose_gpu_only(times)]}), (std::vector<int>{7}));
}

}  // namespace
}  // namespace duoblas
