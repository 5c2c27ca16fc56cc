// The power that AMD's GPU driver reports: of an APU's whole chip, or of a discrete GPU.
#pragma once

#include "power/power_sources.hpp"

namespace duoblas::power {

/// Looks in class/hwmon/* for entries named amdgpu; power1_average is preferred to power1_input.
void find_amdgpu_hwmon(const PowerPlaces& places, PowerSources& found);

}  // namespace duoblas::power
