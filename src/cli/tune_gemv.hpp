// `duoblas tune --routine gemv`.
#pragma once

#include <iosfwd>

#include "cli/tune_options.hpp"
#include "engine/engine.hpp"
#include "profile/profile_lock.hpp"
#include "tuner/gemv_tuning.hpp"

namespace duoblas::cli {

/// \throws UsageError for options that such tunings do not have.
GemvTuneRequest gemv_request_of(const TuneOptions& options);

/// Tunes, and stores the kernels in this machine's profile. An interrupted tuning continues from
/// its journal. \throws Error if there is no profile yet, and as tune_gemv().
void tune_gemv_and_store(Engine& engine, const TuneOptions& options, const ProfileLock& lock,
                         Journal& journal, std::ostream& out);

}  // namespace duoblas::cli
