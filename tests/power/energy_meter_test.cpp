#include "power/energy_meter.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "simulated_clock.hpp"
#include "simulated_sensor.hpp"

namespace duoblas::power {
namespace {

SensorInfo part_of_package(Domain domain) {
  SensorInfo info = made_up(domain, 1e-3);
  info.in_package = true;
  info.may_rest = domain == Domain::gpu;
  return info;
}

SimulatedSensor::Joules constant(double watts) {
  return [=](double seconds) { return watts * seconds; };
}

class Metered : public testing::Test {
 protected:
  void add(SensorInfo info, SimulatedSensor::Joules joules) {
    sensors_.push_back(simulated(std::move(info), clock_.function(), std::move(joules)));
  }
  PowerSampler& start() {
    sampler_.emplace(std::move(sensors_), SamplerOptions{0.05, clock_.function(), false});
    sampler_->start();
    return *sampler_;
  }
  void work(double seconds) {
    for (double passed = 0; passed < seconds - 1e-9; passed += 0.05) {
      clock_.pass(0.05);
      sampler_->sample();
    }
  }
  double sum(const EnergyFigures& figures) {
    return joules_of(figures, domains_of_the_sum(sampler_->states())).value_or(-1);
  }

  SimulatedClock clock_;
  std::vector<DomainSensor> sensors_;
  std::optional<PowerSampler> sampler_;
};

TEST_F(Metered, TellsJoulesMeanAndPeakBetweenTwoMarks) {
  const double busy_from = clock_.now() + 1.5;
  add(made_up(Domain::package, 1e-3),
      [=](double seconds) { return 40 * seconds + 60 * std::max(0.0, seconds - busy_from); });
  const EnergyMeter meter(start());
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
  const EnergyMeter meter(start());
  const double begin = meter.mark();
  work(0.5);
  EXPECT_FALSE(meter.since(begin).long_enough);
}

TEST_F(Metered, ASlowSensorNeedsLongerWork) {
  add(made_up(Domain::system, 0.5), constant(12));
  const EnergyMeter meter(start());
  EXPECT_EQ(meter.least_figure_seconds(), 5);
  EXPECT_EQ(meter.least_piece_seconds(), 2.5);
}

TEST_F(Metered, WithoutSensorsThereAreReasonsAndNoFigures) {
  const EnergyMeter meter(start());
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
  const EnergyMeter meter(start());
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
  add(part_of_package(Domain::gpu), constant(0));
  const EnergyMeter meter(start());
  const double begin = meter.mark();
  work(1);
  const EnergyFigures figures = meter.since(begin);
  EXPECT_FALSE(figures.of(Domain::dram).figure.has_value());
  ASSERT_TRUE(figures.of(Domain::gpu).figure.has_value());
  EXPECT_EQ(figures.of(Domain::gpu).figure->joules, 0);
}

TEST_F(Metered, CountsNothingTwice) {
  add(made_up(Domain::package, 1e-3), constant(40));
  add(part_of_package(Domain::cpu), constant(25));
  add(part_of_package(Domain::gpu), constant(10));
  add(made_up(Domain::dram, 1e-3), constant(5));
  add(made_up(Domain::system, 1e-3), constant(70));
  const EnergyMeter meter(start());
  EXPECT_EQ(names_of(domains_of_the_sum(sampler_->states())), "package + dram");
  const double begin = meter.mark();
  work(1);
  EXPECT_NEAR(sum(meter.since(begin)), 45, 1e-6);
}

TEST_F(Metered, AddsADiscreteGpuToThePackage) {
  add(made_up(Domain::package, 1e-3), constant(40));
  add(made_up(Domain::gpu, 0.1), in_steps(0.1, constant(200)));
  const EnergyMeter meter(start());
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
  EXPECT_EQ(names_of(domains_of_the_sum(sampler_->states())), "system");
}

TEST_F(Metered, DoesNotInventWhatASensorHasNotTold) {
  add(made_up(Domain::gpu, 0.1), in_steps(0.1, constant(200)));
  const EnergyMeter meter(start());
  const double begin = meter.mark();
  work(1.05);
  const EnergyFigures figures = meter.between(begin, meter.mark());
  EXPECT_FALSE(figures.of(Domain::gpu).figure.has_value());
  EXPECT_FALSE(figures.of(Domain::gpu).reason.empty());
}

}  // namespace
}  // namespace duoblas::power
