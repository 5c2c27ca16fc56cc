// One energy sensor: the joules that the machine or a part of it has used since a fixed moment.
//
//   rapl, sysfs_watts, nvml   find what can be read
//     `- EnergySensor         {time, joules} of one domain
//          `- EnergyMeter     reads all of them now and then; joules, mean and peak watts between
//                             two marks
#pragma once

#include <array>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <duoblas/error.hpp>

namespace duoblas::power {

/// What a figure covers. package: the chip or socket with all of its parts. system: everything.
enum class Domain { package, cpu, gpu, dram, system };
inline constexpr std::array all_domains = {Domain::package, Domain::cpu, Domain::gpu, Domain::dram,
                                           Domain::system};
const char* name_of(Domain domain);

/// A sensor is missing or gone. what() says why, and what to do.
class SensorError : public Error {
 public:
  using Error::Error;
};

/// Seconds of a monotonic clock; tests use one of their own.
using PowerClock = std::function<double()>;
double steady_seconds();

/// Until `seconds` of the clock, `joules` had been used since a fixed moment.
struct EnergyReading {
  double seconds = 0;
  double joules = 0;
};

struct SensorInfo {
  Domain domain = Domain::package;
  std::string source;         ///< "NVML total energy of NVIDIA H200"
  bool counts = true;         ///< the sensor counts joules; false: watts are integrated
  double update_seconds = 0;  ///< how often its value changes
  double step_joules = 0;     ///< the least change of a counter; 0: unknown
  bool in_package = false;    ///< its energy is part of Domain::package
  bool may_rest = false;      ///< zero may be true, for a GPU that sleeps in its package
};

/// "counted, every 1 ms, in steps of 61 uJ".
std::string resolution(const SensorInfo& info);

/// One of the places that a sensor reads: a socket, a GPU, the batteries.
struct Gauge {
  /// The joules that it has counted, or the watts now. \throws SensorError
  std::function<double()> value;
  /// A counter goes from 0 to this and starts again.
  double range_joules = std::numeric_limits<double>::infinity();
};

class EnergySensor {
 public:
  /// What the gauges say is added up.
  EnergySensor(SensorInfo info, PowerClock clock, std::vector<Gauge> gauges);

  const SensorInfo& info() const { return info_; }
  /// The joules since the first reading. \throws SensorError if there is no true figure: a counter
  /// jumped or may have wrapped around unseen, watts are unknown for too long; never a zero
  /// instead. Then restart().
  EnergyReading read();
  /// Later readings are unrelated to earlier ones.
  void restart() { last_.reset(); }

 private:
  struct Seen {
    double seconds = 0;
    std::vector<double> values;
  };
  double used(const Gauge& gauge, double before, double now, double seconds) const;

  SensorInfo info_;
  PowerClock clock_;
  std::vector<Gauge> gauges_;
  std::optional<Seen> last_;
  double total_ = 0;
};

/// The median of the seconds between a counter's first few updates, within `longest_seconds`: a
/// busy machine may see some too late. \throws SensorError if it does not move: virtual machines
/// may have counters without a source.
double seen_update_seconds(const std::function<double()>& counter, double longest_seconds);

}  // namespace duoblas::power
