// A comparison as a JSON file, there and back.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "cli/bench/record.hpp"

namespace duoblas::cli {

/// What `bench --json` writes.
nlohmann::json to_json(const BenchRecord& record);

/// What it wrote, earlier versions included. \throws Error that names the file and the field: it
/// cannot be read, is no JSON, no comparison, or says what cannot be.
BenchRecord read_record(const std::string& path);

}  // namespace duoblas::cli
