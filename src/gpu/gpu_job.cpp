#include "gpu/gpu_job_state.hpp"

#include <algorithm>
#include <exception>
#include <span>

namespace duoblas {

GpuJob::GpuJob() = default;
GpuJob::GpuJob(GpuJob&&) noexcept = default;

GpuJob& GpuJob::operator=(GpuJob&& other) noexcept {
  if (this != &other) {
    const GpuJob replaced(std::move(*this));
    state_ = std::move(other.state_);
  }
  return *this;
}

GpuJob::~GpuJob() {
  if (!state_ || !state_->pending) return;
  if (state_->pipelined.valid())
    state_->pipelined.wait();
  else
    state_->device->drain();
}

void GpuJob::wait() {
  if (!state_ || !state_->pending) return;
  GpuJobTimes& times = state_->times;
  if (state_->pipelined.valid()) {
    state_->pending = false;
    PipelineOutcome outcome = state_->pipelined.get();
    times = outcome.times;
    state_->unfinished = std::move(outcome.unfinished);
    if (!outcome.failure) return;
    try {
      std::rethrow_exception(outcome.failure);
    } catch (...) {
      state_->device->rethrow_drained(outcome.reaches_c);
    }
  }
  try {
    const bool waited = state_->device->queue.wait(state_->done);
    require_all(state_->device->queue, state_->scratch.earlier);
    const double seen = state_->since_submit.seconds();
    times.kernels = seen;
    times.at_most = !waited;
    if (state_->device->timestamps.is_available()) {
      const auto running = cl::seconds_since_enqueue(state_->done);
      const EndOfKernels end{running ? state_->enqueued + *running : 0, seen, waited};
      if (state_->device->timestamps.believes(end) && !waited) {
        times.kernels = std::min(end.told, seen);
        times.at_most = false;
      }
    }
    state_->see_rate(waited);
    state_->result->publish();
    times.whole = times.kernels + (state_->since_submit.seconds() - seen);
  } catch (...) {
    times.whole = state_->since_submit.seconds();
    state_->undo_and_rethrow();
  }
  state_->pending = false;
  state_->unfinished.clear();
  state_->release();
}

std::span<const GemmProblem> GpuJob::unfinished() const {
  return state_ ? std::span<const GemmProblem>(state_->unfinished) : std::span<const GemmProblem>();
}

GpuJobTimes GpuJob::times() const {
  return state_ ? state_->times : GpuJobTimes{};
}

}  // namespace duoblas
