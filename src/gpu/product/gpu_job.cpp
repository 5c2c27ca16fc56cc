#include "gpu/product/gpu_job_state.hpp"

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

void GpuJob::State::wait_for_pipeline() {
  pending = false;
  PipelineOutcome outcome = pipelined.get();
  times = outcome.times;
  unfinished = std::move(outcome.unfinished);
  if (!outcome.failure) return;
  try {
    std::rethrow_exception(outcome.failure);
  } catch (...) {
    device->rethrow_drained(outcome.reaches_c);
  }
}

bool GpuJob::State::wait_for_kernels() {
  const bool waited = device->queue.wait(done);
  require_all(device->queue, scratch.earlier);
  const double seen = since_submit.seconds();
  times.kernels = seen;
  times.at_most = !waited;
  if (!device->timestamps.is_available()) return waited;
  const auto running = cl::seconds_since_enqueue(done);
  const EndOfKernels end{running ? enqueued + *running : 0, seen, waited};
  if (device->timestamps.believes(end) && !waited) {
    times.kernels = std::min(end.told, seen);
    times.at_most = false;
  }
  return waited;
}

void GpuJob::wait() {
  if (!state_ || !state_->pending) return;
  if (state_->pipelined.valid()) return state_->wait_for_pipeline();
  GpuJobTimes& times = state_->times;
  try {
    const bool waited = state_->wait_for_kernels();
    const Stopwatch after;
    state_->see_rate(waited);
    state_->result->publish();
    times.whole = times.kernels + after.seconds();
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
