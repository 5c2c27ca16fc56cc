// What --json records: the machine that numbers were taken on, and the file they go to.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "engine/engine.hpp"

namespace duoblas::cli {

/// Version, date, device, CPU BLAS, cores, stand-in and profile. Opens the device.
nlohmann::json context_json(Engine& engine);

/// Writes the whole document; "-" is the standard output. \throws Error naming the file.
void write_json(const std::string& path, const nlohmann::json& document);

/// The same for any text.
void write_text(const std::string& path, const std::string& text);

/// "2025-11-21T09:30:00Z"
std::string utc_now();

}  // namespace duoblas::cli
