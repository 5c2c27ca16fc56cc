// NVIDIA GPUs: total energy where the driver counts it, and power over time.
#pragma once

#include "power/power_sources.hpp"

namespace duoblas::power {

/// Both sensors where there are both, the counter first. Looks for as long as a counter takes to
/// move a few times, 0.4 s at most.
void find_nvml(const PowerPlaces& places, PowerSources& found);

}  // namespace duoblas::power
