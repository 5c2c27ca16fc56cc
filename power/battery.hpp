// A laptop's battery: what the whole machine draws, while nothing charges it.
#pragma once

#include "power/power_sources.hpp"

namespace duoblas::power {

/// class/power_supply/*: of the type Battery. Several are added up.
void find_batteries(const PowerPlaces& places, PowerSources& found);

}  // namespace duoblas::power
