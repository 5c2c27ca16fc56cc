// `duoblas tune --routine` for memory-bound routines: gemv, ger, axpy, omatcopy.
#pragma once

#include <iosfwd>

#include "cli/tune_options.hpp"
#include "engine/engine.hpp"
#include "profile/profile_lock.hpp"
#include "tuner/stream_tuning.hpp"

namespace duoblas::cli {

/// \throws UsageError for options that such tunings do not have.
StreamTuneRequest stream_request_of(const TuneOptions& options);

/// Tunes, and stores the kernels in this machine's profile. An interrupted tuning continues from
/// its journal. \throws Error if there is no profile yet, and as tune_streams().
void tune_streams_and_store(Engine& engine, const TuneOptions& options, const ProfileLock& lock,
                            Journal& journal, std::ostream& out);

}  // namespace duoblas::cli
