// Decides whether two tunings are the same, so that a journal of the first answers the second.
#pragma once

#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "tuner/tune_request.hpp"

namespace duoblas {

struct JournalHeader;

/// Everything that determines a tuning of this engine's machine: equal texts mean equal tunings.
std::string request_text(Engine& engine, const TuneRequest& request);

/// The header of the journal for a tuning of this engine's machine in this arithmetic. Opens the
/// device.
JournalHeader journal_header(Engine& engine, Arithmetic arithmetic = Arithmetic::native);

/// The request in parts, each of one arithmetic of the device, with a profile of its own and its
/// part of the time.
std::vector<TuneRequest> by_arithmetic(const TuneRequest& request, const DeviceLimits& device);
/// That of the first type, hence of all. Opens the device.
Arithmetic arithmetic_of(Engine& engine, const TuneRequest& request);

}  // namespace duoblas
