// What the GPU adds a multiple of something to: bound so that the old values outlive a failure.
#pragma once

#include <span>

#include "check/update_check.hpp"
#include "gpu/routine_job_state.hpp"
#include "memory/sharing_mode.hpp"
#include "problem/ger_problem.hpp"
#include "problem/host_rect.hpp"

namespace duoblas {

/// Binds what a job updates as its state.result. In place where the driver shares exactly these
/// bytes: the caller then calls keep_next() before each launch. Else a copy on the device, whose
/// new values come to state.host_result. `written`: by the host meanwhile. `unit_bytes`: what the
/// device updates at once; 0: all old values are kept, since somebody will compare with them.
/// False: nothing is bound, since that is in place and too large to keep: call start_pieces().
/// \throws DeviceError.
bool begin_update(RoutineJob::State& state, const HostRect& rect, SharingMode sharing,
                  std::span<const HostRect> written, std::size_t unit_bytes);

/// Has the pipeline do it in pieces, last of all in a job. \throws DeviceError.
void start_pieces(RoutineJob::State& state, UpdatedMemory updated);

/// Rows of a launch, of which there are some in place: the host keeps those of the next one while
/// the device works.
std::int64_t rows_of_update(const RoutineJob::State& state, std::int64_t rows, std::int64_t unit);

/// Makes new values that arrived apart the caller's.
void copy_back(const RoutineJob& job, const HostRect& rect);

/// Where old and new values are, before copy_back(). `ld` of the caller's rows, in elements.
UpdatePlaces places_of(const RoutineJob& job, const void* data, std::int64_t ld,
                       std::int64_t columns);

/// Whether x or y has memory in common with A, which callers should not do: what they were, nobody
/// knows any more when A has changed.
bool reads_what_it_writes(const GerProblem& problem);

}  // namespace duoblas
