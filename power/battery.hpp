// A laptop's battery: the power of the whole machine while nothing charges it.
#pragma once

#include "power/power_sources.hpp"

namespace duoblas::power {

/// Looks in class/power_supply/* for entries of type Battery. Several are added up.
void find_batteries(const PowerPlaces& places, PowerSources& found);

}  // namespace duoblas::power
