// A comparison as a JSON file, there and back.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cli/bench/record.hpp"

namespace duoblas::cli {

/// The document that `bench --json` writes.
nlohmann::json to_json(const BenchRecord& record);

/// The same for peaks alone, for `devices --json`.
nlohmann::json peaks_json(const std::vector<MachinePeak>& peaks);

/// Reads such a file, also of earlier versions. \throws Error that names the file and the field: it
/// cannot be read, is no JSON or no comparison, or contains an impossible value.
BenchRecord read_record(const std::string& path);

}  // namespace duoblas::cli
