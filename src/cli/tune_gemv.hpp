// `duoblas tune --routine gemv`.
#pragma once

#include <iosfwd>

#include "cli/tune_options.hpp"
#include "engine/engine.hpp"
#include "profile/profile_lock.hpp"
#include "tuner/gemv_tuning.hpp"

namespace duoblas::cli {

/// \throws UsageError for what gemv's tuning does not have.
GemvTuneRequest gemv_request_of(const TuneOptions& options);

/// Tunes, and stores the kernels in this machine's profile. \throws Error where there is none yet,
/// and as tune_gemv().
void tune_gemv_and_store(Engine& engine, const TuneOptions& options, const ProfileLock& lock,
                         std::ostream& out);

}  // namespace duoblas::cli
