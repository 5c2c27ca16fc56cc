// The memory bandwidth of each side, as text.
#pragma once

#include <string>
#include <vector>

#include "profile/memory_rates.hpp"

namespace duoblas::cli {

/// "device: its own memory 3012.4 GB/s, ...": a line per side and one for both, without line ends.
/// Says what was not measured. `with_device`: there is one.
std::vector<std::string> bandwidth_lines(const MemoryRates& rates, bool with_device);

}  // namespace duoblas::cli
