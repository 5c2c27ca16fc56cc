// Which of a machine's sensors tuning goes by, and how long it then works for a sample.
#include "tuner/machine_energy.hpp"

#include <gtest/gtest.h>

#include <memory>

#include <duoblas/error.hpp>

namespace duoblas {
namespace {

using power::Domain;

/// Draws 50 W all the time.
class Steady : public power::PowerSensor {
 public:
  using PowerSensor::PowerSensor;
  power::EnergyReading read() override {
    const double seconds = power::steady_seconds();
    return {seconds, 50 * seconds};
  }
};

power::DomainSensor sensor(Domain domain, double update_seconds, bool in_package = false) {
  power::SensorInfo info;
  info.domain = domain;
  info.source = "made up";
  info.update_seconds = update_seconds;
  info.in_package = in_package;
  return {domain, std::make_unique<Steady>(info), ""};
}

template <typename... Sensors>
std::vector<power::DomainSensor> machine(Sensors... sensors) {
  std::vector<power::DomainSensor> all;
  all.reserve(sizeof...(sensors));
  (all.push_back(std::move(sensors)), ...);
  return all;
}

TEST(MachineEnergy, DoesNotWaitForABatteryWhoseJoulesAreNotCounted) {
  const MachineEnergy energy(machine(sensor(Domain::package, 1e-3), sensor(Domain::cpu, 0.5, true),
                                     sensor(Domain::gpu, 0.02), sensor(Domain::system, 1)));
  EXPECT_EQ(energy.domains(), "package + gpu");
  EXPECT_DOUBLE_EQ(energy.piece_seconds(), 0.1);
  EXPECT_DOUBLE_EQ(energy.settle_seconds(), 0.02);
  EXPECT_EQ(energy.sources().size(), 2u);
}

TEST(MachineEnergy, WaitsForABatteryWhereThereIsNothingElse) {
  const MachineEnergy energy(machine(sensor(Domain::system, 1)));
  EXPECT_EQ(energy.domains(), "system");
  EXPECT_DOUBLE_EQ(energy.settle_seconds(), 1);
  EXPECT_TRUE(energy.covers_cpu());
}

TEST(MachineEnergy, IsRefusedWithoutASensor) {
  EXPECT_THROW(MachineEnergy{machine()}, SettingError);
}

}  // namespace
}  // namespace duoblas
