// Reads all sensors at intervals, on a thread of its own. Off until start().
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "power/energy_trace.hpp"
#include "power/power_sources.hpp"

namespace duoblas::power {

struct SamplerOptions {
  double period_seconds = 0;  ///< 0: from the sensors' resolution, 50 to 100 ms
  PowerClock clock = steady_seconds;
  /// If false, only sample() reads: for tests with a clock of their own.
  bool own_thread = true;
};

/// May be used by several threads.
class PowerSampler {
 public:
  explicit PowerSampler(std::vector<DomainSensor> domains, SamplerOptions options = {});
  ~PowerSampler();
  PowerSampler(const PowerSampler&) = delete;
  PowerSampler& operator=(const PowerSampler&) = delete;

  /// Forgets earlier samples.
  void start();
  void stop();
  bool runs() const;

  double now() const { return options_.clock(); }
  /// The period that was given or chosen. Slow readings make the pauses longer.
  double period_seconds() const { return period_; }
  /// Reads every sensor now.
  void sample();

  struct DomainState {
    Domain domain = Domain::package;
    SensorInfo info;  ///< if there is a sensor
    bool has_sensor = false;
    std::string reason;           ///< why there is no sensor, or no figure now
    std::optional<double> watts;  ///< now
  };
  /// All of all_domains, in their order.
  std::vector<DomainState> states() const;

  /// Calls the function with a domain's trace. It must not call the sampler.
  template <typename Function>
  auto with_trace(Domain domain, Function function) const {
    const std::lock_guard lock(mutex_);
    return function(channels_.at(static_cast<std::size_t>(domain)).trace);
  }

 private:
  struct Channel {
    DomainSensor source;
    EnergyTrace trace;
    double retry_at = 0;
  };

  void run();
  void end();
  void read(Channel& channel);

  SamplerOptions options_;
  double period_;
  mutable std::mutex mutex_;
  std::vector<Channel> channels_;
  std::condition_variable wake_;
  bool runs_ = false;
  std::mutex turns_;  ///< held while starting and stopping
  std::thread thread_;
};

/// The pause between two reads, if the thread used `used` seconds of the last `passed` for them. It
/// is so long that they take a small part of one core, but at most a second.
double pause_seconds(double period, double used, double passed);

/// The period at which sensors must be read to miss nothing: 50 to 100 ms.
double period_for(const std::vector<DomainSensor>& domains);

}  // namespace duoblas::power
