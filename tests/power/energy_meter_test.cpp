// Joules between marks, on a simulated clock; and the thread that reads by itself.
#include "power/energy_meter.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "simulated_sensor.hpp"

namespace duoblas::power {
namespace {

Joules constant(double watts) {
  return [=](double seconds) { return watts * seconds; };
}

class Metered : public testing::Test {
 protected:
  void add(const SensorInfo& info, Joules joules) {
    sensors_.push_back(simulated(info, clock_.function(), std::move(joules)));
  }
  EnergyMeter& start() { return meter_.emplace(std::move(sensors_), clock_.function()); }
  void work(double seconds) {
    for (double passed = 0; passed < seconds - 1e-9; passed += 0.05) {
      clock_.pass(0.05);
      meter_->mark();
    }
  }
  double sum(const EnergyFigures& figures) {
    return figures.joules_of(domains_of_the_sum(meter_->sensors())).value_or(-1);
  }

  SimulatedClock clock_;
  std::vector<DomainSensor> sensors_;
  std::optional<EnergyMeter> meter_;
};

TEST_F(Metered, TellsJoulesMeanAndPeakBetweenTwoMarks) {
  const double busy_from = clock_.now() + 1.5;
  add(made_up(Domain::package, 1e-3),
      [=](double seconds) { return 40 * seconds + 60 * std::max(0.0, seconds - busy_from); });
  EnergyMeter& meter = start();
  work(0.5);
  const double begin = meter.mark();
  work(2);
  const EnergyFigures figures = meter.since(begin);
  EXPECT_NEAR(figures.seconds, 2, 1e-9);
  EXPECT_TRUE(figures.long_enough);
  const auto& figure = figures.of(Domain::package).figure;
  ASSERT_TRUE(figure.has_value());
  EXPECT_NEAR(figure->joules, 140, 1e-6);
  EXPECT_NEAR(figure->mean_watts, 70, 1e-6);
  EXPECT_NEAR(figure->peak_watts.value(), 100, 1e-6);
}

TEST_F(Metered, SaysWhereTheWorkWasTooShort) {
  add(made_up(Domain::package, 1e-3), constant(40));
  EnergyMeter& meter = start();
  const double begin = meter.mark();
  work(0.5);
  EXPECT_FALSE(meter.since(begin).long_enough);
}

TEST_F(Metered, ASlowSensorNeedsLongerWork) {
  add(made_up(Domain::system, 0.5), constant(12));
  EnergyMeter& meter = start();
  EXPECT_EQ(meter.least_figure_seconds(), 5);
  EXPECT_EQ(meter.least_piece_seconds(), 2.5);
  EXPECT_EQ(meter.least_peak_seconds(), 6);
}

// Wherever its updates lie.
TEST_F(Metered, ThereIsAPeakAfterTheLeastTimeForOne) {
  add(made_up(Domain::system, 0.5), in_steps(0.5, constant(12)));
  EnergyMeter& meter = start();
  for (const double pause : {0.5, 0.05, 0.3, 0.45}) {
    work(pause);
    const double begin = meter.mark();
    work(meter.least_peak_seconds());
    const double end = meter.mark();
    work(0.5);
    const EnergyFigures figures = meter.between(begin, end);
    const auto& figure = figures.of(Domain::system).figure;
    ASSERT_TRUE(figure.has_value());
    EXPECT_NEAR(figure->peak_watts.value_or(0), 12, 1e-6) << pause;
  }
}

TEST_F(Metered, WithoutSensorsThereAreReasonsAndNoFigures) {
  EnergyMeter& meter = start();
  const double begin = meter.mark();
  work(2);
  const EnergyFigures figures = meter.since(begin);
  ASSERT_EQ(figures.domains.size(), all_domains.size());
  for (const DomainEnergy& domain : figures.domains) {
    EXPECT_FALSE(domain.figure.has_value());
    EXPECT_FALSE(domain.reason.empty());
  }
  EXPECT_EQ(sum(figures), -1);
}

TEST_F(Metered, HasNoFigureAcrossAGap) {
  bool there = true;
  add(made_up(Domain::gpu, 1e-3), [&](double seconds) {
    if (!there) throw SensorError("asleep");
    return 100 * seconds;
  });
  EnergyMeter& meter = start();
  const double begin = meter.mark();
  work(1);
  there = false;
  work(0.2);
  there = true;
  work(1);
  const double middle = meter.mark();
  const EnergyFigures across = meter.since(begin);
  EXPECT_FALSE(across.of(Domain::gpu).figure.has_value());
  EXPECT_EQ(across.of(Domain::gpu).reason, "asleep");
  work(1);
  EXPECT_TRUE(meter.since(middle).of(Domain::gpu).figure.has_value());
}

TEST_F(Metered, ACounterThatStandsStillHasNoFigureUnlessItMayRest) {
  add(made_up(Domain::package, 1e-3), constant(40));
  add(made_up(Domain::dram, 1e-3), constant(0));
  add(made_up(Domain::gpu, 1e-3, true), constant(0));
  EnergyMeter& meter = start();
  const double begin = meter.mark();
  work(1);
  const EnergyFigures figures = meter.since(begin);
  EXPECT_FALSE(figures.of(Domain::dram).figure.has_value());
  ASSERT_TRUE(figures.of(Domain::gpu).figure.has_value());
  EXPECT_EQ(figures.of(Domain::gpu).figure->joules, 0);
}

TEST_F(Metered, CountsNothingTwice) {
  add(made_up(Domain::package, 1e-3), constant(40));
  add(made_up(Domain::cpu, 1e-3, true), constant(25));
  add(made_up(Domain::gpu, 1e-3, true), constant(10));
  add(made_up(Domain::dram, 1e-3), constant(5));
  add(made_up(Domain::system, 1e-3), constant(70));
  EnergyMeter& meter = start();
  EXPECT_EQ(names_of(domains_of_the_sum(meter_->sensors())), "package + dram");
  const double begin = meter.mark();
  work(1);
  EXPECT_NEAR(sum(meter.since(begin)), 45, 1e-6);
}

TEST_F(Metered, AddsADiscreteGpuToThePackage) {
  add(made_up(Domain::package, 1e-3), constant(40));
  add(made_up(Domain::gpu, 0.1), in_steps(0.1, constant(200)));
  EnergyMeter& meter = start();
  work(0.3);
  const double begin = meter.mark();
  work(2);
  const double end = meter.mark();
  work(0.2);
  EXPECT_NEAR(sum(meter.between(begin, end)), 480, 1e-6);
}

TEST_F(Metered, TakesTheSystemWhereThereIsNothingElse) {
  add(made_up(Domain::system, 1), constant(12));
  start();
  EXPECT_EQ(names_of(domains_of_the_sum(meter_->sensors())), "system");
}

TEST_F(Metered, DoesNotInventWhatASensorHasNotTold) {
  add(made_up(Domain::gpu, 0.1), in_steps(0.1, constant(200)));
  EnergyMeter& meter = start();
  const double begin = meter.mark();
  work(1.05);
  const EnergyFigures figures = meter.between(begin, meter.mark());
  EXPECT_FALSE(figures.of(Domain::gpu).figure.has_value());
  EXPECT_FALSE(figures.of(Domain::gpu).reason.empty());
}

TEST_F(Metered, GoesOnWhenASensorIsBack) {
  bool there = true;
  add(made_up(Domain::gpu, 1e-3), [&](double seconds) {
    if (!there) throw SensorError("it fell off the bus");
    return 100 * seconds;
  });
  EnergyMeter& meter = start();
  there = false;
  work(0.1);
  EXPECT_EQ(meter.between(clock_.now() - 0.1, clock_.now()).of(Domain::gpu).reason,
            "it fell off the bus");
  there = true;
  work(1);
  const double begin = meter.mark();
  work(1);
  EXPECT_NEAR(meter.since(begin).of(Domain::gpu).figure.value().mean_watts, 100, 1e-9);
}

TEST(MeterThread, ReadsByItselfUntilTheMeterIsGone) {
  std::atomic<int> reads = 0;
  {
    std::vector<DomainSensor> sensors;
    sensors.push_back(simulated(made_up(Domain::gpu, 1e-3), steady_seconds, [&](double seconds) {
      ++reads;
      return 100 * seconds;
    }));
    const EnergyMeter meter(std::move(sensors));
    while (reads < 4) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  const int at_end = reads;
  std::this_thread::sleep_for(std::chrono::milliseconds(60));
  EXPECT_EQ(reads, at_end);
}

TEST(MeterThread, PausesAsItsShareOfACoreAsksButNotLongerThanWattsMayBeUnknown) {
  EXPECT_EQ(pause_seconds(0), 0.05);
  EXPECT_NEAR(pause_seconds(1e-3), 0.4, 1e-9);
  EXPECT_EQ(pause_seconds(5), 1);
}

}  // namespace
}  // namespace duoblas::power
