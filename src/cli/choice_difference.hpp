// The differences between two choices of a tuning.
#pragma once

#include <string>

#include "profile/profile.hpp"

namespace duoblas::cli {

/// "tile_rows 6 instead of 4, the GPU's share 33/64 instead of 8/16": `chosen` against `other`,
/// fields of the kernel by their names (`duoblas kernel --list` explains them; of many the first
/// four and a count), then how memory is shared, then the share. Empty where they are the same.
std::string difference_text(const TunedChoice& chosen, const TunedChoice& other);

}  // namespace duoblas::cli
