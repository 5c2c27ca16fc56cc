#include "power/battery.hpp"

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "power/power_integral.hpp"

namespace duoblas::power {
namespace {

const std::string folder = "class/power_supply";
constexpr const char* source = "battery";
constexpr double micro = 1e-6;
// Gauges are asked by the firmware about once a second, some less often.
constexpr double update_seconds = 1;

// While a battery is charged, its power is not what the machine draws.
void require_discharging(const SysfsTree& sysfs, const std::string& path) {
  const std::string status = sysfs.text(path + "/status");
  if (status != "Discharging")
    throw SensorError(
        "the battery tells what the machine draws only while it is discharging, not "
        "while it is \"" +
        status + "\": unplug the power supply");
}

// The kernel's documents let a current be negative while it is discharging; most drivers do not.
double watts_of(const SysfsTree& sysfs, const std::string& path) {
  if (sysfs.has(path + "/power_now")) return std::abs(sysfs.number(path + "/power_now") * micro);
  return std::abs(sysfs.number(path + "/current_now") * micro *
                  sysfs.number(path + "/voltage_now") * micro);
}

// A laptop with two batteries lets one rest. Drivers have several names for that.
bool rests(const std::string& status) {
  return status == "Not charging" || status == "Full" || status == "Unknown";
}

class Batteries : public PowerSensor {
 public:
  Batteries(SensorInfo info, const PowerPlaces& places, std::vector<std::string> paths)
      : PowerSensor(std::move(info)),
        sysfs_(places.sysfs),
        clock_(places.clock),
        paths_(std::move(paths)) {}

  EnergyReading read() override {
    const double seconds = clock_();
    double watts = 0;
    bool discharging = false;
    for (const std::string& path : paths_) {
      const std::string status = sysfs_->text(path + "/status");
      if (rests(status) && paths_.size() > 1) continue;
      require_discharging(*sysfs_, path);
      discharging = true;
      watts += watts_of(*sysfs_, path);
    }
    if (!discharging) require_discharging(*sysfs_, paths_.front());
    return {seconds, integral_.joules(seconds, watts)};
  }

  void restart() override { integral_ = {}; }

 private:
  std::shared_ptr<const SysfsTree> sysfs_;
  PowerClock clock_;
  std::vector<std::string> paths_;
  PowerIntegral integral_;
};

}  // namespace

void find_batteries(const PowerPlaces& places, PowerSources& found) {
  const SysfsTree& sysfs = *places.sysfs;
  std::vector<std::string> paths;
  try {
    for (const std::string& name : sysfs.names(folder)) {
      const std::string path = folder + "/" + name;
      if (!sysfs.has(path + "/type") || sysfs.text(path + "/type") != "Battery") continue;
      // A mouse's battery is no power supply of the machine.
      if (sysfs.has(path + "/scope") && sysfs.text(path + "/scope") == "Device") continue;
      watts_of(sysfs, path);
      paths.push_back(path);
    }
    if (paths.empty()) throw SensorError("none");
    SensorInfo info;
    info.domain = Domain::system;
    info.source = source;
    info.counts = false;
    info.update_seconds = update_seconds;
    auto batteries = std::make_unique<Batteries>(info, places, paths);
    batteries->read();
    batteries->restart();
    found.sensors.push_back(std::move(batteries));
  } catch (const SensorError& e) {
    found.missing.push_back({source, e.what(), {Domain::system}});
  }
}

}  // namespace duoblas::power
