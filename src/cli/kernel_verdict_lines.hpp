// The verdicts on a device's kernels, as lines and as JSON.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "gpu/kernels/kernel_verdicts.hpp"

namespace duoblas::cli {

/// A line that counts them, and one for each that was wrong. `now`: seconds since 1970.
std::vector<std::string> verdict_lines(const std::vector<VariantVerdict>& verdicts,
                                       std::int64_t now);
nlohmann::json verdicts_json(const std::vector<VariantVerdict>& verdicts, std::int64_t now);

}  // namespace duoblas::cli
