// The power that AMD's GPU driver tells: of an APU's whole chip, or of a discrete GPU.
#pragma once

#include "power/power_sources.hpp"

namespace duoblas::power {

/// class/hwmon/*: those named amdgpu, power1_average before power1_input.
void find_amdgpu_hwmon(const PowerPlaces& places, PowerSources& found);

}  // namespace duoblas::power
