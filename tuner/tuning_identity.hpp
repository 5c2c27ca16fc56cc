// What makes two tunings the same one, so that a journal of the first answers the second.
#pragma once

#include <string>

#include "engine/engine.hpp"
#include "tuner/tune_request.hpp"

namespace duoblas {

struct JournalHeader;

/// Everything that decides what a tuning of this engine's machine does: equal texts, equal tunings.
std::string request_text(Engine& engine, const TuneRequest& request);

/// Whose journal a tuning of this engine's machine needs. Opens the device.
JournalHeader journal_header(Engine& engine);

}  // namespace duoblas
