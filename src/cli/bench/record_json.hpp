// A comparison as a JSON file, there and back.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cli/bench/record.hpp"

namespace duoblas::cli {

/// The document that `bench --json` writes.
nlohmann::json to_json(BenchRecord record);

/// Parts of it, for other commands: what was not measured is missing.
nlohmann::json peaks_json(std::vector<MachinePeak> peaks);
nlohmann::json bandwidth_json(MemoryRates rates);

/// Reads such a file, also of earlier versions. \throws Error that names the file and the field: it
/// cannot be read, is no JSON or no comparison, or contains an impossible value.
BenchRecord read_record(const std::string& path);

}  // namespace duoblas::cli
