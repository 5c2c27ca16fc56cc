// The kernel's perf unit "power": RAPL's counters, without wrap-around.
#pragma once

#include "power/power_sources.hpp"

namespace duoblas::power {

/// bus/event_source/devices/power/events/energy-*: one counter per socket, added up.
void find_perf_energy(const PowerPlaces& places, PowerSources& found);

}  // namespace duoblas::power
