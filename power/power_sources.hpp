// Finds the sensors of this machine, and the best one for each domain.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "power/perf_event.hpp"
#include "power/power_sensor.hpp"
#include "power/sysfs_tree.hpp"

namespace duoblas::power {

/// A source that does not exist, or that may not be read.
struct MissingSource {
  std::string source;           ///< "powercap RAPL"
  std::string reason;           ///< and what to do, if anything helps
  std::vector<Domain> domains;  ///< that it could have
};

/// All sources that were found, in order.
struct PowerSources {
  std::vector<std::unique_ptr<PowerSensor>> sensors;
  std::vector<MissingSource> missing;
};

/// The places to look in.
struct PowerPlaces {
  std::shared_ptr<const SysfsTree> sysfs = std::make_shared<SysfsTree>();
  PerfOpener open_perf = open_perf_event;
  std::string nvml_library = "libnvidia-ml.so.1";
  /// "0000:17:00.0": only this GPU counts. Empty: all GPUs of one driver together.
  std::string gpu_address;
  PowerClock clock = steady_seconds;
};

PowerSources find_power_sources(const PowerPlaces& places = {});

/// The sensor of a domain, or why there is none.
struct DomainSensor {
  Domain domain = Domain::package;
  std::unique_ptr<PowerSensor> sensor;
  std::string reason;  ///< if there is no sensor
};

/// The best sensor of each domain, for all of all_domains in their order: the first that was found.
/// For GPUs, one outside of the package is preferred, since the package's sensor covers the other.
std::vector<DomainSensor> best_sensors(PowerSources sources);

}  // namespace duoblas::power
