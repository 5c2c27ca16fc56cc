#include "power/sources.hpp"

#include <algorithm>
#include <utility>

namespace duoblas::power {
namespace {

std::string why_not(const std::vector<MissingSource>& missing, Domain domain) {
  std::string reasons;
  for (const MissingSource& source : missing)
    if (std::ranges::find(source.domains, domain) != source.domains.end())
      reasons += (reasons.empty() ? "" : "; ") + source.source + ": " + source.reason;
  return reasons.empty() ? "no source of this machine has it" : reasons;
}

}  // namespace

// amdgpu comes before RAPL: on an APU its figure is documented to be of the whole chip, and all
// users may read it. A battery's gauge is the slowest and comes last.
PowerSources find_power_sources(const PowerPlaces& places) {
  PowerSources found;
  find_amdgpu(places, found);
  find_perf_energy(places, found);
  find_powercap_rapl(places, found);
  find_nvml(places, found);
  find_batteries(places, found);
  return found;
}

std::vector<DomainSensor> best_sensors(PowerSources sources) {
  std::ranges::stable_sort(sources.sensors, {}, [](const EnergySensor& sensor) {
    return sensor.info().domain == Domain::gpu && sensor.info().in_package;
  });
  std::vector<DomainSensor> best;
  for (const Domain domain : all_domains) {
    const auto found = std::ranges::find_if(sources.sensors, [&](const EnergySensor& sensor) {
      return sensor.info().domain == domain;
    });
    if (found != sources.sensors.end())
      best.push_back({domain, std::move(*found), ""});
    else
      best.push_back({domain, std::nullopt, why_not(sources.missing, domain)});
  }
  return best;
}

std::vector<Domain> domains_of_the_sum(const std::vector<DomainSensor>& sensors) {
  const auto has = [&](Domain domain) {
    return std::ranges::any_of(
        sensors, [&](const DomainSensor& s) { return s.domain == domain && s.sensor; });
  };
  std::vector<Domain> sum;
  for (const DomainSensor& s : sensors) {
    if (!s.sensor || s.domain == Domain::system) continue;
    if (s.sensor->info().in_package && has(Domain::package)) continue;
    sum.push_back(s.domain);
  }
  if (sum.empty() && has(Domain::system)) sum.push_back(Domain::system);
  return sum;
}

std::string names_of(const std::vector<Domain>& domains) {
  std::string text;
  for (const Domain domain : domains)
    text += (text.empty() ? "" : " + ") + std::string(name_of(domain));
  return text;
}

}  // namespace duoblas::power
