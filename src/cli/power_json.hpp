// Sensors and what they measured, as JSON.
#pragma once

#include <vector>

#include <nlohmann/json.hpp>

#include "power/energy_meter.hpp"

namespace duoblas::cli {

/// For each domain its source and resolution, joules and watts, or null and the reason.
nlohmann::json energy_json(const power::EnergyFigures& figures,
                           const std::vector<power::PowerSampler::DomainState>& states);
nlohmann::json sensor_json(const power::SensorInfo& info);
nlohmann::json missing_json(const power::MissingSource& missing);

}  // namespace duoblas::cli
