// One energy sensor: the energy that the machine or a part of it has used since a fixed moment.
//
//   power sources (one file each)   find sensors:  hwmon, perf, powercap, NVML, battery
//     `- PowerSensor                {time, joules} of one domain
//          `- PowerSampler          reads all of them now and then, on a thread of its own
//               `- EnergyMeter      joules, mean and peak watts between two marks
#pragma once

#include <array>
#include <functional>
#include <string>
#include <utility>

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

class PowerSensor {
 public:
  explicit PowerSensor(SensorInfo info) : info_(std::move(info)) {}
  virtual ~PowerSensor() = default;
  PowerSensor(const PowerSensor&) = delete;
  PowerSensor& operator=(const PowerSensor&) = delete;

  const SensorInfo& info() const { return info_; }
  /// \throws SensorError if there is no true figure; it never returns a zero instead.
  virtual EnergyReading read() = 0;
  /// Call it after a pause: later readings are unrelated to earlier ones.
  virtual void restart() {}

 private:
  SensorInfo info_;
};

}  // namespace duoblas::power
