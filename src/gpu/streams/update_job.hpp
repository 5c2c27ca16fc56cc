// Updates on the GPU (A += ...), bound so that the old values survive a failure. A large update
// (ger, axpy) of memory that host and device share is done in pieces. The old values of a piece are
// kept only while the device writes it. That is so little that it stays in the caches and needs no
// fresh pages, and the device finds there what the host has just copied.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>

#include "check/update_check.hpp"
#include "gpu/streams/routine_start.hpp"
#include "problem/ger_problem.hpp"
#include "problem/host_rect.hpp"
#include "problem/partition.hpp"
#include "sides/sharing_mode.hpp"

namespace duoblas {

/// The size of a piece; more if the device updates more at once.
inline constexpr std::size_t update_piece_bytes = std::size_t{2} << 20;
/// Up to this size all old values of an update are kept at once.
inline constexpr std::size_t most_kept_at_once = 3 * update_piece_bytes;

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

/// What is updated.
struct UpdatedShape {
  std::int64_t outputs = 0;
  std::int64_t unit = 1;            ///< outputs that the device updates at once
  std::size_t bytes_of_output = 0;  ///< bytes updated per output
};
/// The memory to update. The functions live as long as the update; launch() is called with the
/// device's mutex held.
struct UpdatedMemory {
  UpdatedShape shape;
  std::function<HostRect(Interval)> rows;
  std::function<BoundOperand(Interval)> operand;  ///< these rows, as the device sees them
  std::function<cl::Event(Interval)> launch;
};

/// Lets the pipeline do it in pieces, and hold the device's mutex until it ends. It must be the
/// last step of a job. \throws DeviceError.
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

/// The last step of a job: by start_pieces() where nothing has `begun`, else in launches of `each`
/// outputs. `rows` and `operand` as UpdatedMemory's.
template <typename Rows, typename Operand, typename Launch>
void enqueue_update(RoutineJob::State& state, bool begun, const UpdatedShape& shape,
                    std::int64_t each, const Rows& rows, const Operand& operand,
                    const Launch& launch) {
  if (!begun) return start_pieces(state, {shape, rows, operand, launch});
  for (std::int64_t first = 0; first < shape.outputs; first += each) {
    const Interval some{first, std::min(each, shape.outputs - first)};
    launch_next(state, static_cast<std::int64_t>(rows(some).rows), [&] { return launch(some); });
  }
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
