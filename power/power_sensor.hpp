// One sensor of energy: what the machine, or a part of it, has consumed since some moment.
//
//   power sources (one file each)   find sensors:  hwmon, perf, powercap, NVML, battery
//     `- PowerSensor                {time, joules} of one domain
//          `- PowerSampler          reads all of them now and then, on a thread of its own
//               `- EnergyMeter      joules, mean and peak watts between two marks
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>

#include <duoblas/error.hpp>

namespace duoblas::power {

/// What a figure is of. package: the chip or socket, with what is in it; system: everything.
enum class Domain { package, cpu, gpu, dram, system };
inline constexpr std::array all_domains = {Domain::package, Domain::cpu, Domain::gpu, Domain::dram,
                                           Domain::system};
const char* name_of(Domain domain);

/// A sensor that cannot be had, or that is gone. what() says why, and what helps.
class SensorError : public Error {
 public:
  using Error::Error;
};

/// Seconds of a clock that never goes back; tests give one of their own.
using PowerClock = std::function<double()>;
double steady_seconds();

/// At `seconds` of the clock, `joules` had been consumed since a moment that stays the same.
struct EnergyReading {
  double seconds = 0;
  double joules = 0;
};

struct SensorInfo {
  Domain domain = Domain::package;
  std::string source;         ///< "NVML total energy of NVIDIA H200"
  bool counts = true;         ///< joules are counted for us; else we add up watts over time
  double update_seconds = 0;  ///< how often its value changes
  double step_joules = 0;     ///< the least change of a counter; 0: unknown
  bool in_package = false;    ///< what it measures is in Domain::package too
  bool may_rest = false;      ///< no energy at all can be true: of a GPU that sleeps in its package
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
  /// \throws SensorError where there is no true figure: never a zero instead of one.
  virtual EnergyReading read() = 0;
  /// What is read from now on has nothing to do with what was read before: after a pause.
  virtual void restart() {}

 private:
  SensorInfo info_;
};

}  // namespace duoblas::power
