// Updates on the GPU (A += ...), bound so that the old values survive a failure.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <utility>

#include "check/update_check.hpp"
#include "gpu/streams/routine_job_state.hpp"
#include "problem/ger_problem.hpp"
#include "problem/host_rect.hpp"
#include "sides/sharing_mode.hpp"

namespace duoblas {

/// Binds the operand that a job updates as its state.result: in place if the driver shares exactly
/// these bytes; the caller then launches by launch_next(). Otherwise as a copy on the
/// device, whose new values arrive in state.host_result. `written`: memory that the host writes
/// meanwhile. `unit_bytes`: what the device updates at once; 0: all old values are kept, since a
/// check compares with them. False: nothing is bound, because the operand is in place and too large
/// to keep: call start_pieces(). \throws DeviceError.
bool begin_update(RoutineJob::State& state, const HostRect& rect, SharingMode sharing,
                  std::span<const HostRect> written, std::size_t unit_bytes);

/// Binds a copy of an operand of this shape (place and pitch are not looked at): `gather` puts its
/// old values, without gaps, to state.host_result, where the new ones arrive. \throws DeviceError.
void begin_apart(RoutineJob::State& state, HostRect shape,
                 const std::function<void(void*)>& gather);

/// Lets the pipeline do it in pieces. It must be the last step of a job. \throws DeviceError.
void start_pieces(RoutineJob::State& state, UpdatedMemory updated);

/// Rows of a launch. In place there are several launches: the host copies the old values of the
/// next one while the device works.
std::int64_t rows_of_update(const RoutineJob::State& state, std::int64_t rows, std::int64_t unit);

/// Keeps what the next rows of the result hold, and launches what overwrites them, behind the
/// launches before. `launch` returns its event.
template <typename Launch>
void launch_next(RoutineJob::State& state, std::int64_t rows, Launch&& launch) {
  state.result->keep_next(static_cast<std::size_t>(rows));
  state.pending = true;
  cl::Event event = launch();
  if (state.done) event.follow(std::move(state.done));
  state.done = std::move(event);
}

/// Copies new values that arrived apart to the caller's memory.
void copy_back(const RoutineJob& job, const HostRect& rect);

/// The places of old and new values, before copy_back(). `ld` of the caller's rows, in elements.
UpdatePlaces places_of(const RoutineJob& job, const void* data, std::int64_t ld,
                       std::int64_t columns);

/// Whether x or y overlaps A, which callers should not do: once A has changed, their old values are
/// lost.
bool reads_what_it_writes(const GerProblem& problem);

}  // namespace duoblas
