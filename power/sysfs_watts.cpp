// Files of /sys that say how many watts are drawn now: by AMD's GPUs, and by batteries.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "power/sources.hpp"

namespace duoblas::power {
namespace {

constexpr double micro = 1e-6;
constexpr const char* amdgpu = "amdgpu hwmon";
// The driver documents no interval. It asks the firmware at each read, at most once a millisecond;
// the firmware's average is slower.
constexpr double average_update_seconds = 0.1;
constexpr double input_update_seconds = 20e-3;
constexpr const char* battery = "battery";
// Gauges of batteries are asked by the firmware about once a second, some less often.
constexpr double battery_update_seconds = 1;

SensorInfo watts_of(Domain domain, std::string source, double update_seconds) {
  SensorInfo info;
  info.domain = domain;
  info.source = std::move(source);
  info.counts = false;
  info.update_seconds = update_seconds;
  return info;
}

// Only an APU has a northbridge, and so its voltage.
bool is_apu(const SysfsTree& sysfs, const std::string& path) {
  return sysfs.has(path + "/in1_label") && sysfs.text(path + "/in1_label") == "vddnb";
}

// "PCI_SLOT_NAME=0000:03:00.0" is among the device's properties.
bool is_address(const SysfsTree& sysfs, const std::string& path, const std::string& address) {
  return address.empty() ||
         sysfs.all_text(path + "/device/uevent").find("PCI_SLOT_NAME=" + address) !=
             std::string::npos;
}

std::string power_file(const SysfsTree& sysfs, const std::string& path) {
  for (const char* name : {"/power1_average", "/power1_input"}) {
    if (!sysfs.has(path + name)) continue;
    sysfs.number(path + name);
    return path + name;
  }
  throw SensorError(sysfs.real_path(path) + " tells no power");
}

void add_amdgpu(Domain domain, const std::vector<std::string>& files, const PowerPlaces& places,
                PowerSources& found) {
  if (files.empty()) return;
  const bool averages =
      std::ranges::any_of(files, [](const std::string& file) { return file.ends_with("average"); });
  std::string source = std::string(amdgpu) + (averages ? " power1_average" : " power1_input");
  if (files.size() > 1) source += " of " + std::to_string(files.size()) + " GPUs";
  std::vector<Gauge> gauges;
  for (const std::string& file : files)
    gauges.push_back({[sysfs = places.sysfs, file] { return sysfs.number(file) * micro; }});
  found.sensors.emplace_back(
      watts_of(domain, source, averages ? average_update_seconds : input_update_seconds),
      places.clock, std::move(gauges));
}

// While a battery is charged, its power is not what the machine draws.
void require_discharging(const std::string& status) {
  if (status != "Discharging")
    throw SensorError(
        "the battery tells what the machine draws only while it is discharging, not "
        "while it is \"" +
        status + "\": unplug the power supply");
}

// The kernel's documents let a current be negative while it is discharging; most drivers do not.
double battery_watts(const SysfsTree& sysfs, const std::string& path) {
  if (sysfs.has(path + "/power_now")) return std::abs(sysfs.number(path + "/power_now") * micro);
  return std::abs(sysfs.number(path + "/current_now") * micro *
                  sysfs.number(path + "/voltage_now") * micro);
}

// A laptop with two batteries lets one rest. Drivers have several names for that.
bool rests(const std::string& status) {
  return status == "Not charging" || status == "Full" || status == "Unknown";
}

double watts_of_all(const SysfsTree& sysfs, const std::vector<std::string>& batteries) {
  double watts = 0;
  std::string status;
  bool discharging = false;
  for (const std::string& path : batteries) {
    status = sysfs.text(path + "/status");
    if (rests(status) && batteries.size() > 1) continue;
    require_discharging(status);
    discharging = true;
    watts += battery_watts(sysfs, path);
  }
  if (!discharging) require_discharging(status);
  return watts;
}

}  // namespace

void find_amdgpu(const PowerPlaces& places, PowerSources& found) {
  const SysfsTree& sysfs = places.sysfs;
  const std::vector<Domain> domains = {Domain::package, Domain::gpu};
  bool any = false;
  std::vector<std::string> chips, gpus;
  for (const std::string& name : sysfs.names("class/hwmon")) {
    const std::string path = "class/hwmon/" + name;
    try {
      if (!sysfs.has(path + "/name") || sysfs.text(path + "/name") != "amdgpu") continue;
      // An APU's figure is the package's, whichever GPU counts.
      const bool apu = is_apu(sysfs, path);
      if (!apu && !is_address(sysfs, path, places.gpu_address)) continue;
      any = true;
      (apu ? chips : gpus).push_back(power_file(sysfs, path));
    } catch (const SensorError& e) {
      found.missing.push_back({amdgpu, e.what(), domains});
    }
  }
  add_amdgpu(Domain::package, chips, places, found);
  add_amdgpu(Domain::gpu, gpus, places, found);
  if (!any) found.missing.push_back({amdgpu, "no GPU with AMD's driver", domains});
}

void find_batteries(const PowerPlaces& places, PowerSources& found) {
  const SysfsTree& sysfs = places.sysfs;
  std::vector<std::string> paths;
  try {
    for (const std::string& name : sysfs.names("class/power_supply")) {
      const std::string path = "class/power_supply/" + name;
      if (!sysfs.has(path + "/type") || sysfs.text(path + "/type") != "Battery") continue;
      // A mouse's battery is no power supply of the machine.
      if (sysfs.has(path + "/scope") && sysfs.text(path + "/scope") == "Device") continue;
      battery_watts(sysfs, path);
      paths.push_back(path);
    }
    if (paths.empty()) throw SensorError("none");
    watts_of_all(sysfs, paths);
  } catch (const SensorError& e) {
    found.missing.push_back({battery, e.what(), {Domain::system}});
    return;
  }
  found.sensors.emplace_back(
      watts_of(Domain::system, battery, battery_update_seconds), places.clock,
      std::vector<Gauge>{{[sysfs, paths] { return watts_of_all(sysfs, paths); }}});
}

}  // namespace duoblas::power
