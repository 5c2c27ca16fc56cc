// Which of a machine's sensors tuning goes by, and how long it then works for a sample.
#include "tuner/call_energy.hpp"

#include <gtest/gtest.h>

#include <duoblas/error.hpp>

namespace duoblas {
namespace {

using power::Domain;

/// Draws 50 W all the time.
power::DomainSensor sensor(Domain domain, double update_seconds, bool in_package = false) {
  power::SensorInfo info;
  info.domain = domain;
  info.source = "made up";
  info.update_seconds = update_seconds;
  info.in_package = in_package;
  const power::Gauge gauge{[] { return 50 * power::steady_seconds(); }};
  return {domain, power::EnergySensor(info, power::steady_seconds, {gauge}), ""};
}

template <typename... Sensors>
std::vector<power::DomainSensor> machine(Sensors... sensors) {
  std::vector<power::DomainSensor> all;
  all.reserve(sizeof...(sensors));
  (all.push_back(std::move(sensors)), ...);
  return all;
}

TEST(CallEnergy, DoesNotWaitForABatteryWhoseJoulesAreNotCounted) {
  const CallEnergy energy(machine(sensor(Domain::package, 1e-3), sensor(Domain::cpu, 0.5, true),
                                  sensor(Domain::gpu, 0.02), sensor(Domain::system, 1)));
  EXPECT_EQ(energy.domains(), "package + gpu");
  EXPECT_DOUBLE_EQ(energy.piece_seconds(), 0.1);
  EXPECT_DOUBLE_EQ(energy.settle_seconds(), 0.02);
  EXPECT_EQ(energy.sources().size(), 2u);
}

TEST(CallEnergy, WaitsForABatteryWhereThereIsNothingElse) {
  const CallEnergy energy(machine(sensor(Domain::system, 1)));
  EXPECT_EQ(energy.domains(), "system");
  EXPECT_DOUBLE_EQ(energy.settle_seconds(), 1);
  EXPECT_TRUE(energy.covers_cpu());
}

TEST(CallEnergy, IsRefusedWithoutASensor) {
  EXPECT_THROW(CallEnergy{machine()}, SettingError);
}

}  // namespace
}  // namespace duoblas
