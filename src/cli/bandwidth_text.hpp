// The memory bandwidth of each side, as text and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "profile/memory_rates.hpp"

namespace duoblas::cli {

/// "device: its own memory 3012.4 GB/s, ...": a line per side and one for both, without line ends.
/// Says what was not measured. `with_device`: there is one.
std::vector<std::string> bandwidth_lines(const MemoryRates& rates, bool with_device);

/// {"cpu_gbs", "cpu_all_gbs", "gpu_gbs", ...}: what was not measured is missing.
nlohmann::json bandwidth_json(const MemoryRates& rates);

}  // namespace duoblas::cli
