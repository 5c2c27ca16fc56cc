#include "tuner/call_energy.hpp"

#include <algorithm>
#include <utility>

#include <duoblas/error.hpp>

namespace duoblas {
namespace {

using power::Domain;

const std::string no_sensor =
    "energy cannot be minimised: no sensor covers the CPU, the GPU or the machine";

power::PowerSources sources_at(const std::string& gpu_address) {
  power::PowerPlaces places;
  places.gpu_address = gpu_address;
  power::PowerSources found = power::find_power_sources(places);
  const bool has_gpu = std::ranges::any_of(
      found.sensors, [](const auto& sensor) { return sensor.info().domain == Domain::gpu; });
  if (has_gpu || gpu_address.empty()) return found;
  // In a container or a virtual machine, addresses may differ.
  return power::find_power_sources();
}

std::vector<power::DomainSensor> sensors_for(const std::string& gpu_address) {
  power::PowerSources found = sources_at(gpu_address);
  if (!found.sensors.empty()) return power::best_sensors(std::move(found));
  std::string reasons;
  for (const auto& missing : found.missing)
    reasons += "\n  " + missing.source + ": " + missing.reason;
  throw SettingError(no_sensor + (":" + reasons));
}

// The slowest sensor says how long a sample takes: on an unplugged laptop a battery's gauge, whose
// joules are not counted where the package has a counter, would make it seconds instead of
// hundredths.
std::vector<power::DomainSensor> of_the_sum(std::vector<power::DomainSensor> sensors) {
  const std::vector<Domain> sum = power::domains_of_the_sum(sensors);
  for (power::DomainSensor& s : sensors)
    if (std::ranges::find(sum, s.domain) == sum.end())
      s = {s.domain, std::nullopt, "it is not counted"};
  return sensors;
}

}  // namespace

CallEnergy::CallEnergy(const std::string& gpu_address) : CallEnergy(sensors_for(gpu_address)) {}

CallEnergy::CallEnergy(std::vector<power::DomainSensor> sensors)
    : meter_(of_the_sum(std::move(sensors))),
      domains_(power::domains_of_the_sum(meter_.sensors())) {
  if (domains_.empty()) throw SettingError(no_sensor);
}

std::optional<double> CallEnergy::joules(double begin, double end) {
  const power::EnergyFigures figures = meter_.between(begin, end);
  for (const Domain domain : domains_) {
    const power::DomainEnergy& energy = figures.of(domain);
    if (!energy.figure) problem_ = std::string(power::name_of(domain)) + ": " + energy.reason;
  }
  return figures.joules_of(domains_);
}

std::vector<std::string> CallEnergy::sources() const {
  std::vector<std::string> sources;
  for (const power::DomainSensor& s : meter_.sensors())
    if (s.sensor)
      sources.push_back(std::string(power::name_of(s.domain)) + ": " + s.sensor->info().source +
                        " (" + power::resolution(s.sensor->info()) + ")");
  return sources;
}

bool CallEnergy::covers_cpu() const {
  return std::ranges::any_of(domains_, [](Domain domain) {
    return domain == Domain::package || domain == Domain::cpu || domain == Domain::system;
  });
}

}  // namespace duoblas
