#include "gpu/product/batch_job.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include <duoblas/error.hpp>

#include "gpu/product/batch_on_device.hpp"
#include "timing/stopwatch.hpp"

namespace duoblas {

struct BatchJob::State {
  explicit State(const std::shared_ptr<OpenedDevice>& device) : batch(device) {}

  Stopwatch since_submit;
  double begun = 0, enqueued = 0;  ///< seconds from the start
  GpuJobTimes times;
  bool pending = false;
  BatchOnDevice batch;

  void see_end();
  [[noreturn]] void undo_and_rethrow();
};

namespace {

void check_type(Precision precision, const cl::DeviceInfo& info) {
  if (is_double(precision) && !info.has_fp64)
    throw DeviceError(info.name + " has no double precision; the CPU has to do it");
}

// Records the rate of a single group, copies included. Its kernel's launches then depend on it.
void see_rate(BatchOnDevice& batch, double seconds, bool exactly) {
  if (batch.groups().size() != 1 || !(seconds > 0)) return;
  constexpr double telling = 0.0125;  // as LaunchPace::saw_product has it
  const GroupOnDevice& only = batch.groups().front();
  batch.device().pace.saw(only.kernel, only.group.shape.precision, flops(only.group) / seconds,
                          exactly && seconds >= telling);
}

}  // namespace

void BatchJob::State::see_end() {
  OpenedDevice& device = batch.device();
  const bool waited = device.queue.wait(batch.done());
  require_all(device.queue, batch.earlier());
  const double seen = since_submit.seconds();
  times.kernels = seen;
  times.at_most = !waited;
  if (device.timestamps.is_available()) {
    const auto running = cl::seconds_since_enqueue(batch.done());
    const EndOfKernels end{running ? enqueued + *running : 0, seen, waited};
    if (device.timestamps.believes(end) && !waited) {
      times.kernels = std::min(end.told, seen);
      times.at_most = false;
    }
  }
  see_rate(batch, times.kernels - begun, waited || !times.at_most);
  batch.publish();
  times.whole = times.kernels + (since_submit.seconds() - seen);
}

void BatchJob::State::undo_and_rethrow() {
  pending = false;
  const bool may_write_c = batch.reaches_c();
  batch.device().drain();
  batch.restore();
  times.whole = since_submit.seconds();
  batch.release();
  batch.device().rethrow_drained(may_write_c);
}

BatchJob::BatchJob() = default;
BatchJob::BatchJob(BatchJob&&) noexcept = default;

BatchJob& BatchJob::operator=(BatchJob&& other) noexcept {
  if (this != &other) {
    const BatchJob replaced(std::move(*this));
    state_ = std::move(other.state_);
  }
  return *this;
}

BatchJob::~BatchJob() {
  if (state_ && state_->pending) state_->batch.device().drain();
}

BatchJob BatchJob::start(const std::shared_ptr<OpenedDevice>& device, const BatchProblem& part,
                         const BatchSharing& sharing) {
  BatchJob job;
  if (part.empty()) return job;
  check_type(part.precision, device->context.device().info);
  job.state_ = std::make_unique<State>(device);
  State& state = *job.state_;
  const std::lock_guard guard(device->mutex);
  device->refuse_if_hung();
  try {
    state.batch.bind(part, sharing);
    device->expect(part, state.batch.groups().front().kernel);
    state.begun = state.since_submit.seconds();
    state.batch.enqueue();
    state.enqueued = state.since_submit.seconds();
    state.pending = true;
  } catch (...) {
    state.undo_and_rethrow();
  }
  return job;
}

void BatchJob::wait() {
  if (!state_ || !state_->pending) return;
  try {
    state_->see_end();
  } catch (...) {
    state_->undo_and_rethrow();
  }
  state_->pending = false;
  state_->batch.release();
}

GpuJobTimes BatchJob::times() const {
  return state_ ? state_->times : GpuJobTimes{};
}

}  // namespace duoblas
