#include "gpu/streams/routine_job.hpp"

#include <exception>
#include <utility>

#include "gpu/streams/routine_start.hpp"

namespace duoblas {

RoutineJob::RoutineJob() = default;
RoutineJob::RoutineJob(std::unique_ptr<State> state) : state_(std::move(state)) {}
RoutineJob::RoutineJob(RoutineJob&&) noexcept = default;

RoutineJob& RoutineJob::operator=(RoutineJob&&) noexcept = default;
RoutineJob::~RoutineJob() = default;

void RoutineJob::wait() {
  if (!state_ || !state_->pending) return;
  if (state_->pieces.valid()) {
    state_->pending = false;
    state_->end = state_->pieces.get();
    state_->release();
    if (!state_->end.failure) return;
    try {
      std::rethrow_exception(state_->end.failure);
    } catch (...) {
      if (state_->device->context.wait_deadline()->is_over()) state_->abandon_host_memory();
      state_->device->rethrow_drained(true);
    }
  }
  try {
    state_->was_early = !state_->device->queue.wait(state_->done);
    require_all(state_->device->queue, state_->earlier);
    state_->result->publish();
  } catch (...) {
    state_->end_and_rethrow();
  }
  state_->pending = false;
  state_->release();
}

void RoutineJob::undo() noexcept {
  if (state_ && state_->result) state_->result->restore();
}

const void* RoutineJob::results() const {
  return state_ && !state_->host_result.empty() ? state_->host_result.data() : nullptr;
}

const void* RoutineJob::old_values() const {
  return state_ && state_->result ? state_->result->kept() : nullptr;
}

std::int64_t RoutineJob::outputs_done() const {
  return state_ ? state_->end.done : 0;
}

std::optional<double> RoutineJob::seconds() const {
  if (!state_ || !(state_->end.seconds > 0)) return std::nullopt;
  return state_->end.seconds;
}

bool RoutineJob::was_early() const {
  return state_ && state_->was_early;
}

}  // namespace duoblas
