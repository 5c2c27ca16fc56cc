// The energy of calls in joules, by this machine's own sensors.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "power/energy_meter.hpp"
#include "tuner/search/strategy.hpp"

namespace duoblas {

/// The sum of the domains that have a sensor, none counted twice. Only these are sampled, as long
/// as this object exists.
class CallEnergy {
 public:
  /// `gpu_address` ("0000:01:00.0") selects the GPU; empty: all. \throws SettingError if there is
  /// no sensor at all; it names what is missing and why.
  explicit CallEnergy(const std::string& gpu_address);
  /// Uses these sensors.
  explicit CallEnergy(std::vector<power::DomainSensor> sensors);

  /// The present moment; pass it to joules().
  double mark() { return meter_.mark(); }
  /// Whether all sensors have reported beyond that moment.
  bool has_told(double mark) { return meter_.has_told(mark, domains_); }
  /// Joules between two marks. Nothing if a sensor was gone in between; problem() says why.
  std::optional<double> joules(double begin, double end);
  const std::string& problem() const { return problem_; }

  /// The shortest work that the sensors can measure.
  double piece_seconds() const { return meter_.least_piece_seconds(); }
  /// Work of this length before and after it ensures that they measure nothing else.
  double settle_seconds() const { return meter_.update_seconds(); }
  /// The shortest duration of a sample.
  double sample_seconds() const { return piece_seconds() + 2 * settle_seconds(); }

  /// "package + gpu": the domains in the joules.
  std::string domains() const { return power::names_of(domains_); }
  /// "gpu: NVML total energy of NAME (counted, every 20 ms)", one per domain.
  std::vector<std::string> sources() const;
  /// Whether the CPU's own energy is among them.
  bool covers_cpu() const;

 private:
  power::EnergyMeter meter_;
  std::vector<power::Domain> domains_;
  std::string problem_;
};

/// A sample with joules: calls are repeated for piece_seconds(), with more work before and after.
/// Returns the means; nothing if the GPU failed and the CPU did its part. The clock is read after
/// every `repeats` calls. \throws Error if energy can no longer be measured.
std::optional<CallSample> metered_call(Engine& engine, const GemmProblem& problem, const Plan& plan,
                                       int repeats, CallEnergy& energy);

}  // namespace duoblas
