// The energy of calls by this machine's own sensors.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "power/energy_meter.hpp"
#include "tuner/call_energy.hpp"

namespace duoblas {

/// The sum of the domains that have a sensor, none counted twice. Only these are sampled, as long
/// as this object exists.
class MachineEnergy : public CallEnergy {
 public:
  /// `gpu_address` ("0000:01:00.0") selects the GPU; empty: all. \throws SettingError if there is
  /// no sensor at all; it names what is missing and why.
  explicit MachineEnergy(const std::string& gpu_address);
  /// Uses these sensors.
  explicit MachineEnergy(std::vector<power::DomainSensor> sensors);

  double mark() override { return meter_.mark(); }
  bool has_told(double mark) override { return meter_.has_told(mark, domains_); }
  std::optional<double> joules(double begin, double end) override;
  std::string problem() const override { return problem_; }
  double piece_seconds() const override { return meter_.least_piece_seconds(); }
  double settle_seconds() const override { return meter_.update_seconds(); }

  /// "package + gpu": the domains in the joules.
  std::string domains() const { return power::names_of(domains_); }
  /// "gpu: NVML total energy of NAME (counted, every 20 ms)", one per domain.
  std::vector<std::string> sources() const;
  /// Whether the CPU's own energy is among them.
  bool covers_cpu() const;

 private:
  power::PowerSampler sampler_;
  power::EnergyMeter meter_;
  std::vector<power::Domain> domains_;
  std::string problem_;
};

}  // namespace duoblas
