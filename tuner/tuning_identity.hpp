// Decides whether two tunings are the same, so that a journal of the first answers the second.
#pragma once

#include <string>

#include "engine/engine.hpp"
#include "tuner/tune_request.hpp"

namespace duoblas {

struct JournalHeader;

/// Everything that determines a tuning of this engine's machine: equal texts mean equal tunings.
std::string request_text(Engine& engine, const TuneRequest& request);

/// The header of the journal for a tuning of this engine's machine. Opens the device.
JournalHeader journal_header(Engine& engine);

}  // namespace duoblas
