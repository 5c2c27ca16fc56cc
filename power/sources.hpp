// Finds the sensors of this machine, and the best one for each domain.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "power/energy_sensor.hpp"
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
  std::vector<EnergySensor> sensors;
  std::vector<MissingSource> missing;
};

/// A system-wide event of the kernel's perf.
struct PerfEvent {
  unsigned type = 0;         ///< of the unit, from its file `type`
  std::uint64_t config = 0;  ///< the event's number
  int cpu = 0;               ///< any of the socket
};
/// The count since the event was opened. \throws SensorError
using PerfReader = std::function<double()>;
/// \throws SensorError that says what the kernel refuses, and what to do.
PerfReader open_perf_event(const PerfEvent& event);

/// The places to look in.
struct PowerPlaces {
  SysfsTree sysfs;
  std::function<PerfReader(const PerfEvent&)> open_perf = open_perf_event;
  std::string nvml_library = "libnvidia-ml.so.1";
  /// "0000:17:00.0": only this GPU counts. Empty: all GPUs of one driver together.
  std::string gpu_address;
  PowerClock clock = steady_seconds;
};

/// AMD's GPU driver (class/hwmon): of an APU's whole chip, or of a discrete GPU.
void find_amdgpu(const PowerPlaces& places, PowerSources& found);
/// The kernel's perf unit "power": RAPL's counters, without wrap-around.
void find_perf_energy(const PowerPlaces& places, PowerSources& found);
/// class/powercap/intel-rapl:*, which AMD's processors also have. Sockets are added up.
void find_powercap_rapl(const PowerPlaces& places, PowerSources& found);
/// NVIDIA's management library: the energy that the driver counts, and power over time. Takes as
/// long as a counter needs for a few updates, at most 0.4 s.
void find_nvml(const PowerPlaces& places, PowerSources& found);
/// A laptop's batteries (class/power_supply): the whole machine, while nothing charges them.
void find_batteries(const PowerPlaces& places, PowerSources& found);
/// All of these.
PowerSources find_power_sources(const PowerPlaces& places = {});

/// The sensor of a domain, or why there is none.
struct DomainSensor {
  Domain domain = Domain::package;
  std::optional<EnergySensor> sensor;
  std::string reason;  ///< if there is no sensor
};

/// The best sensor of each domain, for all of all_domains in their order: the first that was found.
/// For GPUs, one outside of the package is preferred, since the package's sensor covers the other.
std::vector<DomainSensor> best_sensors(PowerSources sources);

/// Domains whose sum is the machine's energy as far as possible, without counting anything twice:
/// the package (or else the CPU), a GPU outside of it, memory. If none of these has a sensor: the
/// system.
std::vector<Domain> domains_of_the_sum(const std::vector<DomainSensor>& sensors);
/// "package + gpu".
std::string names_of(const std::vector<Domain>& domains);

}  // namespace duoblas::power
