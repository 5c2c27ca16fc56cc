// A comparison as a JSON file, there and back.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cli/bench/record.hpp"

namespace duoblas::cli {

/// What `bench --json` writes.
nlohmann::json to_json(const BenchRecord& record);

/// The same of peaks alone, as `devices --json` has them.
nlohmann::json peaks_json(const std::vector<MachinePeak>& peaks);

/// What it wrote, earlier versions included. \throws Error that names the file and the field: it
/// cannot be read, is no JSON, no comparison, or says what cannot be.
BenchRecord read_record(const std::string& path);

}  // namespace duoblas::cli
