// Linux powercap: the counters of Intel's RAPL, which AMD's processors also have.
#pragma once

#include "power/power_sources.hpp"

namespace duoblas::power {

/// class/powercap/intel-rapl:*: packages, and their sub-domains. Sockets are added up.
void find_powercap_rapl(const PowerPlaces& places, PowerSources& found);

}  // namespace duoblas::power
