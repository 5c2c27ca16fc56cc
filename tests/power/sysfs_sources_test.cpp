// Sensors that are found in what the kernels of five machines have in /sys.
#include <gtest/gtest.h>

#include "power/sources.hpp"
#include "sysfs_machine.hpp"

namespace duoblas::power {
namespace {

const DomainSensor& of(const std::vector<DomainSensor>& sensors, Domain domain) {
  return sensors.at(static_cast<std::size_t>(domain));
}

std::string source_of(const std::vector<DomainSensor>& sensors, Domain domain) {
  const DomainSensor& found = of(sensors, domain);
  return found.sensor ? found.sensor->info().source : "";
}

TEST(IntelLaptop, PrefersPerfEventsWhereTheyAreAllowed) {
  PowerPlaces places = places_of(data_tree("intel_laptop"), {});
  places.open_perf = moving_perf();
  const auto best = best_sensors(find_power_sources(places));
  EXPECT_EQ(source_of(best, Domain::package), "perf energy events, energy-pkg");
  EXPECT_EQ(source_of(best, Domain::cpu), "perf energy events, energy-cores");
  EXPECT_EQ(source_of(best, Domain::gpu), "perf energy events, energy-gpu");
  EXPECT_EQ(source_of(best, Domain::system), "perf energy events, energy-psys");
  EXPECT_TRUE(of(best, Domain::gpu).sensor->info().in_package);
  EXPECT_FALSE(of(best, Domain::package).sensor->info().in_package);
}

TEST(IntelLaptop, FallsBackOnPowercapWithEachDomainOnce) {
  const auto found = find_power_sources(places_of(data_tree("intel_laptop"), {}));
  const MissingSource* perf = missing_of(found, "perf energy events");
  ASSERT_NE(perf, nullptr);
  EXPECT_EQ(perf->reason, "Permission denied");
  int packages = 0;
  for (const EnergySensor& sensor : found.sensors)
    packages += sensor.info().domain == Domain::package;
  EXPECT_EQ(packages, 1) << "intel-rapl-mmio is the same counter";
}

TEST(IntelLaptop, LeavesMemoryUnavailableWithAReason) {
  const auto best = best_sensors(find_power_sources(places_of(data_tree("intel_laptop"), {})));
  EXPECT_FALSE(of(best, Domain::dram).sensor);
  EXPECT_FALSE(of(best, Domain::dram).reason.empty());
}

TEST(IntelLaptop, CountsMicrojoulesAndNamesTheRegistersStep) {
  ChangingTree tree("intel_laptop");
  SimulatedClock clock;
  auto best = best_sensors(find_power_sources(places_of(tree.root(), clock)));
  EnergySensor package = *of(best, Domain::package).sensor;
  EXPECT_NEAR(package.info().step_joules, 61e-6, 1e-7);
  EXPECT_EQ(package.read().joules, 0);
  clock.pass(2);
  tree.write("class/powercap/intel-rapl:0/energy_uj", "84761249031");
  const EnergyReading reading = package.read();
  EXPECT_NEAR(reading.joules, 30, 1e-6);
  EXPECT_EQ(reading.seconds, clock.now());
}

TEST(IntelLaptop, GoesOnWhenTheCounterWrapsAround) {
  ChangingTree tree("intel_laptop");
  SimulatedClock clock;
  tree.write("class/powercap/intel-rapl:0/energy_uj", "262143000000");
  auto best = best_sensors(find_power_sources(places_of(tree.root(), clock)));
  EnergySensor package = *of(best, Domain::package).sensor;
  package.read();
  clock.pass(1);
  tree.write("class/powercap/intel-rapl:0/energy_uj", "14671150");
  EXPECT_NEAR(package.read().joules, 15, 1e-6);
}

TEST(IntelLaptop, NamesTheCounterThatVanished) {
  ChangingTree tree("intel_laptop");
  auto best = best_sensors(find_power_sources(places_of(tree.root(), {})));
  EnergySensor package = *of(best, Domain::package).sensor;
  package.read();
  tree.remove("class/powercap/intel-rapl:0");
  try {
    package.read();
    FAIL() << "there is nothing to read";
  } catch (const SensorError& e) {
    EXPECT_NE(std::string(e.what()).find("energy_uj"), std::string::npos) << e.what();
  }
}

TEST(VirtualMachine, CountersThatNothingMovesAreNotBelieved) {
  PowerPlaces places = places_of(data_tree("intel_laptop"), {});
  places.open_perf = still_perf();
  const auto found = find_power_sources(places);
  for (const EnergySensor& sensor : found.sensors)
    EXPECT_FALSE(sensor.info().source.starts_with("perf")) << sensor.info().source;
  ASSERT_NE(missing_of(found, "perf energy events"), nullptr);
}

TEST(VirtualMachine, HasReasonsInsteadOfFigures) {
  const auto best = best_sensors(find_power_sources(places_of("/nonexistent", {})));
  ASSERT_EQ(best.size(), all_domains.size());
  for (const DomainSensor& domain : best) {
    EXPECT_FALSE(domain.sensor);
    EXPECT_FALSE(domain.reason.empty()) << name_of(domain.domain);
  }
}

TEST(AmdApu, TakesTheGpuDriversFigureForTheWholeChip) {
  ChangingTree tree("amd_apu");
  SimulatedClock clock;
  auto best = best_sensors(find_power_sources(places_of(tree.root(), clock)));
  EXPECT_EQ(source_of(best, Domain::package), "amdgpu hwmon power1_average");
  EXPECT_FALSE(of(best, Domain::gpu).sensor);
  EXPECT_EQ(source_of(best, Domain::cpu), "powercap RAPL");
  EnergySensor package = *of(best, Domain::package).sensor;
  EXPECT_FALSE(package.info().counts);
  package.read();
  clock.pass(1);
  tree.write("class/hwmon/hwmon5/power1_average", "22032000");
  EXPECT_NEAR(package.read().joules, 20.032, 1e-9);
}

TEST(AmdApu, TellsThePackageAlsoWhereAnotherGpuCounts) {
  PowerPlaces places = places_of(data_tree("amd_apu"), {});
  places.gpu_address = "0000:01:00.0";
  EXPECT_EQ(source_of(best_sensors(find_power_sources(places)), Domain::package),
            "amdgpu hwmon power1_average");
}

TEST(AmdApu, DoesNotTakeAChargedBatteryForTheMachine) {
  const auto found = find_power_sources(places_of(data_tree("amd_apu"), {}));
  const MissingSource* battery = missing_of(found, "battery");
  ASSERT_NE(battery, nullptr);
  EXPECT_NE(battery->reason.find("Charging"), std::string::npos) << battery->reason;
}

TEST(Battery, IsCurrentTimesVoltageWhereNoPowerIsTold) {
  ChangingTree tree("amd_apu");
  tree.write("class/power_supply/BAT1/status", "Discharging");
  SimulatedClock clock;
  auto best = best_sensors(find_power_sources(places_of(tree.root(), clock)));
  ASSERT_EQ(source_of(best, Domain::system), "battery");
  EnergySensor battery = *of(best, Domain::system).sensor;
  battery.read();
  clock.pass(1);
  EXPECT_NEAR(battery.read().joules, 1.872 * 17.104, 1e-6);
}

TEST(Battery, MayTellANegativeCurrentAndBesideItAnotherMayRest) {
  ChangingTree tree("amd_apu");
  tree.write("class/power_supply/BAT1/status", "Discharging");
  tree.write("class/power_supply/BAT1/current_now", "-1872000");
  tree.copy("class/power_supply/BAT1", "class/power_supply/BAT0");
  for (const char* status : {"Not charging", "Full", "Unknown"}) {
    tree.write("class/power_supply/BAT0/status", status);
    SimulatedClock clock;
    auto best = best_sensors(find_power_sources(places_of(tree.root(), clock)));
    ASSERT_EQ(source_of(best, Domain::system), "battery") << status;
    EnergySensor battery = *of(best, Domain::system).sensor;
    battery.read();
    clock.pass(1);
    EXPECT_NEAR(battery.read().joules, 1.872 * 17.104, 1e-6) << status;
  }
}

TEST(Battery, StopsWhenItIsPluggedIn) {
  ChangingTree tree("intel_laptop");
  tree.remove("class/powercap");
  auto best = best_sensors(find_power_sources(places_of(tree.root(), {})));
  ASSERT_EQ(source_of(best, Domain::system), "battery");
  EnergySensor battery = *of(best, Domain::system).sensor;
  battery.read();
  tree.write("class/power_supply/BAT0/status", "Charging");
  EXPECT_THROW(battery.read(), SensorError);
}

TEST(Desktop, ADiscreteGpuIsADomainOfItsOwn) {
  const auto best = best_sensors(find_power_sources(places_of(data_tree("desktop"), {})));
  EXPECT_EQ(source_of(best, Domain::gpu), "amdgpu hwmon power1_average");
  EXPECT_FALSE(of(best, Domain::gpu).sensor->info().in_package);
  EXPECT_EQ(source_of(best, Domain::package), "powercap RAPL");
  EXPECT_FALSE(of(best, Domain::system).sensor);
}

TEST(Desktop, TheGpuIsFoundByItsAddress) {
  PowerPlaces places = places_of(data_tree("desktop"), {});
  places.gpu_address = "0000:0a:00.0";
  EXPECT_EQ(source_of(best_sensors(find_power_sources(places)), Domain::gpu),
            "amdgpu hwmon power1_average");
  places.gpu_address = "0000:0b:00.0";
  EXPECT_EQ(source_of(best_sensors(find_power_sources(places)), Domain::gpu), "");
}

TEST(Desktop, TwoGpusAreAddedUpUnlessOneIsMeant) {
  ChangingTree tree("desktop");
  tree.copy("class/hwmon/hwmon1", "class/hwmon/hwmon2");
  tree.write("class/hwmon/hwmon2/device/uevent", "PCI_SLOT_NAME=0000:0b:00.0");
  SimulatedClock clock;
  PowerPlaces places = places_of(tree.root(), clock);
  const auto joules_of_a_second = [&] {
    auto best = best_sensors(find_power_sources(places));
    EnergySensor gpu = *of(best, Domain::gpu).sensor;
    tree.write("class/hwmon/hwmon1/power1_average", "30000000");
    tree.write("class/hwmon/hwmon2/power1_average", "200000000");
    gpu.read();
    clock.pass(1);
    return gpu.read().joules;
  };
  EXPECT_EQ(source_of(best_sensors(find_power_sources(places)), Domain::gpu),
            "amdgpu hwmon power1_average of 2 GPUs");
  EXPECT_NEAR(joules_of_a_second(), 230, 1e-9);
  places.gpu_address = "0000:0b:00.0";
  EXPECT_NEAR(joules_of_a_second(), 200, 1e-9);
}

TEST(TwoSockets, AreAddedUp) {
  ChangingTree tree("two_sockets");
  SimulatedClock clock;
  auto best = best_sensors(find_power_sources(places_of(tree.root(), clock)));
  EXPECT_EQ(source_of(best, Domain::package), "powercap RAPL of 2 sockets");
  EXPECT_EQ(source_of(best, Domain::dram), "powercap RAPL of 2 sockets");
  EnergySensor package = *of(best, Domain::package).sensor;
  package.read();
  clock.pass(1);
  tree.write("class/powercap/intel-rapl:0/energy_uj", "201000000");
  tree.write("class/powercap/intel-rapl:1/energy_uj", "252000000");
  EXPECT_NEAR(package.read().joules, 150, 1e-6);
}

TEST(Unreadable, IsExplainedWithTheRuleThatHelps) {
  const auto best = best_sensors(find_power_sources(places_of(data_tree("unreadable"), {})));
  const std::string reason = of(best, Domain::package).reason;
  EXPECT_NE(reason.find("energy_uj"), std::string::npos) << reason;
  EXPECT_NE(reason.find("udev"), std::string::npos) << reason;
  EXPECT_NE(reason.find("tells no power"), std::string::npos) << reason;
}

TEST(DamagedFile, LeavesItsSensorOutAndSaysWhy) {
  ChangingTree tree("desktop");
  tree.write("class/hwmon/hwmon1/power1_average", "N/A");
  const auto found = find_power_sources(places_of(tree.root(), {}));
  const MissingSource* missing = missing_of(found, "amdgpu hwmon");
  ASSERT_NE(missing, nullptr);
  EXPECT_NE(missing->reason.find("no number"), std::string::npos) << missing->reason;
}

}  // namespace
}  // namespace duoblas::power
