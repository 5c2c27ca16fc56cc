#include "power/power_sampler.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "simulated_clock.hpp"
#include "simulated_sensor.hpp"

namespace duoblas::power {
namespace {

std::vector<DomainSensor> one(DomainSensor sensor) {
  std::vector<DomainSensor> sensors;
  sensors.push_back(std::move(sensor));
  return sensors;
}

DomainSensor counted_reads(std::atomic<int>& reads) {
  return simulated(made_up(Domain::gpu, 1e-3), steady_seconds, [&reads](double seconds) {
    ++reads;
    return 100 * seconds;
  });
}

void wait_for(const std::atomic<int>& reads, int wanted) {
  while (reads < wanted) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

TEST(PowerSampler, ReadsNothingBeforeItIsStarted) {
  std::atomic<int> reads = 0;
  const PowerSampler sampler(one(counted_reads(reads)));
  EXPECT_FALSE(sampler.runs());
  EXPECT_EQ(reads, 0);
}

TEST(PowerSampler, ReadsByItselfFromStartToStop) {
  std::atomic<int> reads = 0;
  PowerSampler sampler(one(counted_reads(reads)));
  sampler.start();
  EXPECT_TRUE(sampler.runs());
  wait_for(reads, 4);
  sampler.stop();
  const int at_stop = reads;
  std::this_thread::sleep_for(std::chrono::milliseconds(60));
  EXPECT_EQ(reads, at_stop);
  EXPECT_FALSE(sampler.runs());
}

TEST(PowerSampler, StartsAgainAndForgetsWhatWasBefore) {
  std::atomic<int> reads = 0;
  PowerSampler sampler(one(counted_reads(reads)));
  sampler.start();
  const double before = sampler.now();
  wait_for(reads, 2);
  sampler.stop();
  sampler.start();
  wait_for(reads, 5);
  EXPECT_FALSE(sampler.with_trace(
      Domain::gpu, [&](const EnergyTrace& trace) { return trace.begins_before(before); }));
}

TEST(PowerSampler, EndsWithItsThread) {
  std::atomic<int> reads = 0;
  {
    PowerSampler sampler(one(counted_reads(reads)));
    sampler.start();
  }
  const int at_end = reads;
  std::this_thread::sleep_for(std::chrono::milliseconds(60));
  EXPECT_EQ(reads, at_end);
}

TEST(PowerSampler, ChoosesItsPeriodFromTheResolution) {
  const auto period = [](double update) {
    return period_for(one(simulated(made_up(Domain::gpu, update), steady_seconds, {})));
  };
  EXPECT_EQ(period(1e-3), 50e-3);
  EXPECT_EQ(period(0.3), 75e-3);
  EXPECT_EQ(period(1), 100e-3);
  EXPECT_EQ(period_for({}), 100e-3);
}

TEST(PowerSampler, PausesAsItsShareOfACoreAsksButNotLongerThanWattsMayBeUnknown) {
  EXPECT_EQ(pause_seconds(0.05, 0, 0), 0.05);
  EXPECT_EQ(pause_seconds(0.05, 0.02, 100), 0.05) << "a fiftieth of a percent of a core";
  EXPECT_NEAR(pause_seconds(0.05, 0.006, 0), 0.4, 1e-9);
  EXPECT_EQ(pause_seconds(0.05, 5, 10), 1);
  EXPECT_EQ(pause_seconds(3, 5, 10), 3) << "what was asked for";
}

TEST(PowerSampler, IsStartedAndStoppedFromSeveralThreads) {
  std::atomic<int> reads = 0;
  PowerSampler sampler(one(counted_reads(reads)));
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int turn = 0; turn < 100; ++turn) {
        sampler.start();
        sampler.stop();
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(sampler.runs());
  sampler.start();
  const int before = reads;
  wait_for(reads, before + 2);
}

TEST(PowerSampler, SaysWhyADomainHasNoFigureAndGoesOnWhenItIsBack) {
  SimulatedClock clock;
  bool there = true;
  PowerSampler sampler(one(simulated(made_up(Domain::gpu, 1e-3), clock.function(),
                                     [&](double seconds) {
                                       if (!there) throw SensorError("it fell off the bus");
                                       return 100 * seconds;
                                     })),
                       {0.1, clock.function(), false});
  sampler.start();
  for (int i = 0; i < 20; ++i) {
    clock.pass(0.1);
    sampler.sample();
  }
  const auto gpu = [&] { return sampler.states().at(static_cast<std::size_t>(Domain::gpu)); };
  EXPECT_NEAR(gpu().watts.value(), 100, 1e-9);
  there = false;
  clock.pass(0.1);
  sampler.sample();
  EXPECT_EQ(gpu().reason, "it fell off the bus");
  EXPECT_FALSE(gpu().watts.has_value());
  there = true;
  for (int i = 0; i < 20; ++i) {
    clock.pass(0.1);
    sampler.sample();
  }
  EXPECT_EQ(gpu().reason, "");
  EXPECT_NEAR(gpu().watts.value(), 100, 1e-9);
}

}  // namespace
}  // namespace duoblas::power
