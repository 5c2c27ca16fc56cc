#include "power/power_sources.hpp"

#include <algorithm>

#include "power/amdgpu_hwmon.hpp"
#include "power/battery.hpp"
#include "power/nvml.hpp"
#include "power/perf_energy.hpp"
#include "power/powercap_rapl.hpp"

namespace duoblas::power {

// amdgpu comes before RAPL: on an APU its figure is documented to be of the whole chip, and all
// users may read it. A battery's gauge is the slowest and comes last.
PowerSources find_power_sources(const PowerPlaces& places) {
  PowerSources found;
  find_amdgpu_hwmon(places, found);
  find_perf_energy(places, found);
  find_powercap_rapl(places, found);
  find_nvml(places, found);
  find_batteries(places, found);
  return found;
}

namespace {

std::string why_not(const std::vector<MissingSource>& missing, Domain domain) {
  std::string reasons;
  for (const MissingSource& source : missing)
    if (std::ranges::find(source.domains, domain) != source.domains.end())
      reasons += (reasons.empty() ? "" : "; ") + source.source + ": " + source.reason;
  return reasons.empty() ? "no source of this machine has it" : reasons;
}

}  // namespace

std::vector<DomainSensor> best_sensors(PowerSources sources) {
  std::ranges::stable_sort(sources.sensors, {}, [](const auto& sensor) {
    return sensor->info().domain == Domain::gpu && sensor->info().in_package;
  });
  std::vector<DomainSensor> best;
  for (const Domain domain : all_domains) {
    const auto found = std::ranges::find_if(sources.sensors, [&](const auto& sensor) {
      return sensor != nullptr && sensor->info().domain == domain;
    });
    if (found != sources.sensors.end())
      best.push_back({domain, std::move(*found), ""});
    else
      best.push_back({domain, nullptr, why_not(sources.missing, domain)});
  }
  return best;
}

}  // namespace duoblas::power
