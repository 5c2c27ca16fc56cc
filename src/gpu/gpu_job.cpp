#include "gpu/gpu_job_state.hpp"

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
  if (state_ && state_->pending) state_->device->drain();
}

void GpuJob::wait() {
  if (!state_ || !state_->pending) return;
  try {
    state_->device->queue.wait(state_->done);
    state_->result->publish();
  } catch (...) {
    state_->undo();
    throw;
  }
  state_->pending = false;
  state_->release();
  state_->stop_clock();
}

double GpuJob::seconds() const {
  return state_ ? state_->seconds : 0;
}

}  // namespace duoblas
