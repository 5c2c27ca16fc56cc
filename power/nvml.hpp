// NVIDIA GPUs: total energy if the driver counts it, and power over time.
#pragma once

#include "power/power_sources.hpp"

namespace duoblas::power {

/// Finds both sensors if both exist, the counter first. Takes as long as a counter needs for a few
/// updates, at most 0.4 s.
void find_nvml(const PowerPlaces& places, PowerSources& found);

}  // namespace duoblas::power
