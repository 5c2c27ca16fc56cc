// Joules between the readings of a counter that moves in steps.
#include "power/energy_trace.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "simulated_sensor.hpp"

namespace duoblas::power {
namespace {

// 100 W until second 2, 300 W from then on, in steps of 0.1 s, read every 25 ms.
double work(double seconds) {
  return 100 * seconds + 200 * std::max(0.0, seconds - 2);
}

EnergyTrace steps_of_work(double until) {
  EnergyTrace trace(made_up(Domain::gpu, 0.1), 0.4);
  const auto joules = in_steps(0.1, work);
  for (int i = 0; i * 0.025 <= until; ++i) trace.add({i * 0.025, joules(i * 0.025)});
  return trace;
}

TEST(EnergyTrace, IsAStraightLineBetweenTheStepsOfACounter) {
  const EnergyTrace trace = steps_of_work(4);
  EXPECT_NEAR(trace.joules_at(1.53), work(1.53), 1e-6);
  EXPECT_NEAR(trace.joules_at(3.47) - trace.joules_at(2.5), 291, 1e-6);
}

TEST(EnergyTrace, ReachesOnlyWhereTheCounterHasMovedSince) {
  const EnergyTrace trace = steps_of_work(1.975);
  EXPECT_TRUE(trace.reaches(1.9));
  EXPECT_FALSE(trace.reaches(1.95));
}

TEST(EnergyTrace, DoesNotSpreadWorkOverTheRestBeforeIt) {
  EnergyTrace trace(made_up(Domain::gpu, 0.1), 0.4);
  for (int i = 0; i <= 100; ++i) trace.add({i * 0.1, i < 95 ? 0.0 : (i - 94) * 5.0});
  EXPECT_EQ(trace.joules_at(9), 0);
  EXPECT_NEAR(trace.joules_at(9.9), 25, 1e-9);
}

TEST(EnergyTrace, ShowsWattsByWindowsThatHoldSeveralSteps) {
  const auto windows = steps_of_work(4).watts(0, 4);
  ASSERT_GE(windows.size(), 8u);
  double highest = 0;
  for (const WattsOverTime& window : windows) {
    EXPECT_GE(window.end - window.begin, 0.4 - 1e-9);
    highest = std::max(highest, window.watts);
  }
  EXPECT_NEAR(windows.front().watts, 100, 1e-6);
  EXPECT_NEAR(highest, 300, 1e-6);
}

TEST(EnergyTrace, KnowsNothingAcrossAnInterruption) {
  EnergyTrace trace = steps_of_work(2);
  trace.interrupt("it was unplugged");
  EXPECT_FALSE(trace.begins_before(1));
  EXPECT_EQ(trace.reason(), "it was unplugged");
  trace.add({3, 0});
  EXPECT_FALSE(trace.begins_before(2.5));
  EXPECT_TRUE(trace.begins_before(3));
}

TEST(EnergyTrace, StaysBoundedAndKeepsItsBeginning) {
  EnergyTrace trace(made_up(Domain::gpu, 1e-3), 0.1);
  for (int i = 0; i <= 200'000; ++i) trace.add({i * 0.02, i * 2.0});
  EXPECT_TRUE(trace.begins_before(0));
  EXPECT_NEAR(trace.joules_at(1000.01), 100'001, 1e-3);
  EXPECT_LT(trace.watts(0, 4000).size(), 60'000u);
}

}  // namespace
}  // namespace duoblas::power
