#include "power/powercap_rapl.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "power/rising_counter.hpp"

namespace duoblas::power {
namespace {

constexpr const char* folder = "class/powercap";
// Since CVE-2020-8694 only root may read the counters.
constexpr const char* udev_rule =
    "; a udev rule opens them to the group \"power\": SUBSYSTEM==\"powercap\", ACTION==\"add\", "
    "RUN+=\"/bin/chgrp -R power /sys%p\", RUN+=\"/bin/chmod -R g=rX /sys%p\"";
// Intel's manual: RAPL counters are updated about every millisecond.
constexpr double update_seconds = 1e-3;
// The hardware's register has 32 bits. The kernel tells its range in uJ.
constexpr double register_steps = 4294967296.0;
constexpr double micro = 1e-6;

struct Zone {
  std::string path;
  double range_joules = 0;
};

class PowercapSensor : public PowerSensor {
 public:
  PowercapSensor(SensorInfo info, const PowerPlaces& places, std::vector<Zone> zones)
      : PowerSensor(std::move(info)),
        sysfs_(places.sysfs),
        clock_(places.clock),
        zones_(std::move(zones)) {
    PowercapSensor::restart();
  }

  EnergyReading read() override {
    EnergyReading reading{clock_(), 0};
    for (std::size_t i = 0; i < zones_.size(); ++i)
      reading.joules += counters_[i].joules(reading.seconds,
                                            sysfs_->number(zones_[i].path + "/energy_uj") * micro);
    return reading;
  }

  void restart() override {
    counters_.clear();
    for (const Zone& zone : zones_) counters_.emplace_back(zone.range_joules);
  }

 private:
  std::shared_ptr<const SysfsTree> sysfs_;
  PowerClock clock_;
  std::vector<Zone> zones_;
  std::vector<RisingCounter> counters_;
};

std::optional<Domain> domain_of(const std::string& name) {
  if (name.starts_with("package")) return Domain::package;
  if (name == "core") return Domain::cpu;
  if (name == "uncore") return Domain::gpu;  // of client chips: the integrated GPU
  if (name == "dram") return Domain::dram;
  if (name == "psys") return Domain::system;
  return std::nullopt;
}

}  // namespace

void find_powercap_rapl(const PowerPlaces& places, PowerSources& found) {
  constexpr const char* source = "powercap RAPL";
  const std::vector<Domain> all(all_domains.begin(), all_domains.end());
  std::map<Domain, std::vector<Zone>> zones;
  for (const std::string& name : places.sysfs->names(folder)) {
    // intel-rapl-mmio has the same counters once more.
    if (!name.starts_with("intel-rapl:")) continue;
    const std::string path = std::string(folder) + "/" + name;
    try {
      const auto domain = domain_of(places.sysfs->text(path + "/name"));
      if (!domain) continue;
      const bool counts = places.sysfs->number(path + "/energy_uj") > 0;
      // Zones that the hardware does not have, or a virtual machine does not pass on.
      if (!counts && *domain != Domain::gpu) continue;
      zones[*domain].push_back({path, places.sysfs->number(path + "/max_energy_range_uj") * micro});
    } catch (const SensorError& e) {
      found.missing.push_back({source, std::string(e.what()) + udev_rule, all});
      return;
    }
  }
  if (zones.empty())
    found.missing.push_back({source,
                             places.sysfs->real_path(folder) +
                                 " has no intel-rapl zone (a virtual machine, or the module "
                                 "intel_rapl_msr is not loaded)",
                             all});
  for (auto& [domain, list] : zones) {
    SensorInfo info;
    info.domain = domain;
    info.source = source;
    if (list.size() > 1) info.source += " of " + std::to_string(list.size()) + " sockets";
    info.update_seconds = update_seconds;
    info.step_joules = list.front().range_joules / register_steps;
    info.in_package = domain == Domain::cpu || domain == Domain::gpu;
    info.may_rest = domain == Domain::gpu;
    found.sensors.push_back(std::make_unique<PowercapSensor>(info, places, std::move(list)));
  }
}

}  // namespace duoblas::power
