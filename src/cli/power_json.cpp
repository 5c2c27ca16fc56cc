#include "cli/power_json.hpp"

#include <cstddef>
#include <utility>
#include <vector>

namespace duoblas::cli {

nlohmann::json sensor_json(const power::SensorInfo& info) {
  return {{"domain", power::name_of(info.domain)},
          {"source", info.source},
          {"counts", info.counts},
          {"update_seconds", info.update_seconds},
          {"step_joules", info.step_joules},
          {"in_package", info.in_package}};
}

nlohmann::json missing_json(const power::MissingSource& missing) {
  nlohmann::json domains = nlohmann::json::array();
  for (const power::Domain domain : missing.domains) domains.push_back(power::name_of(domain));
  return {{"source", missing.source}, {"reason", missing.reason}, {"domains", domains}};
}

nlohmann::json energy_json(const power::EnergyFigures& figures,
                           const std::vector<power::PowerSampler::DomainState>& states) {
  nlohmann::json domains = nlohmann::json::array();
  for (const power::DomainEnergy& energy : figures.domains) {
    const auto& state = states.at(static_cast<std::size_t>(energy.domain));
    nlohmann::json domain = {{"domain", power::name_of(energy.domain)},
                             {"sensor", nullptr},
                             {"joules", nullptr},
                             {"mean_watts", nullptr},
                             {"peak_watts", nullptr},
                             {"reason", energy.reason}};
    if (state.has_sensor) domain["sensor"] = sensor_json(state.info);
    if (energy.figure) {
      domain["joules"] = energy.figure->joules;
      domain["mean_watts"] = energy.figure->mean_watts;
      if (energy.figure->peak_watts) domain["peak_watts"] = *energy.figure->peak_watts;
    }
    domains.push_back(std::move(domain));
  }
  return {{"seconds", figures.seconds},
          {"long_enough", figures.long_enough},
          {"domains", std::move(domains)}};
}

}  // namespace duoblas::cli
