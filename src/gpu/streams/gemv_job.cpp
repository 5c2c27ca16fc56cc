#include "gpu/streams/gemv_job.hpp"

#include <array>
#include <cstddef>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "gpu/device/computable.hpp"
#include "gpu/device/resident_matrix.hpp"
#include "gpu/streams/gemv.hpp"
#include "kernel_space/device_blocks.hpp"
#include "opencl/wait_deadline.hpp"
#include "problem/host_rect.hpp"

namespace duoblas {

struct GemvJob::State {
  explicit State(std::shared_ptr<OpenedDevice> opened) : device(std::move(opened)) {}
  ~State() {
    if (pending) device->drain();
  }

  bool pending = false;  ///< kernels may be running
  bool was_early = false;
  std::shared_ptr<OpenedDevice> device;
  BoundOperand a, x;
  GemvScratch scratch;
  std::vector<std::byte> sums;
  std::vector<std::byte> dense_x;  ///< a copy without gaps, which the device reads
  std::optional<BoundResult> result;
  cl::Event done;

  /// Frees the memory, except that of a result, once the device has finished with it.
  void release() {
    done.reset();
    a = x = {};
    scratch = {};
  }
  /// In an exception handler: ends the enqueued commands, then rethrows.
  [[noreturn]] void end_and_rethrow() {
    pending = false;
    device->drain();
    release();
    if (device->context.wait_deadline()->is_over()) abandon_host_memory();
    device->rethrow_drained(false);
  }
  /// Leaks the host memory, because the device may go on, and read or write it then.
  void abandon_host_memory() {
    static_cast<void>(new std::vector<std::byte>(std::move(sums)));
    static_cast<void>(new std::vector<std::byte>(std::move(dense_x)));
  }
};

GemvJob::GemvJob() = default;
GemvJob::GemvJob(std::unique_ptr<State> state) : state_(std::move(state)) {}
GemvJob::GemvJob(GemvJob&&) noexcept = default;
GemvJob& GemvJob::operator=(GemvJob&&) noexcept = default;
GemvJob::~GemvJob() = default;

void GemvJob::wait() {
  if (!state_ || !state_->pending) return;
  try {
    state_->was_early = !state_->device->queue.wait(state_->done);
    require_all(state_->device->queue, state_->scratch.earlier);
    state_->result->publish();
  } catch (...) {
    state_->end_and_rethrow();
  }
  state_->pending = false;
  state_->release();
}

const void* GemvJob::results() const {
  return state_->sums.data();
}

bool GemvJob::was_early() const {
  return state_ && state_->was_early;
}

namespace {

// Memory without gaps.
HostRect dense_rect(const void* data, std::int64_t size, Precision precision) {
  return rect_of(data, 1, size, size, precision);
}

// The memory that contains y, with its gaps.
HostRect memory_of_y(const GemvProblem& p) {
  if (p.empty() || p.y.data == nullptr) return {};
  const std::int64_t span = (p.outputs() - 1) * std::abs(p.y.increment) + 1;
  return dense_rect(lowest_address(p.y, p.outputs(), p.precision), span, p.precision);
}

BoundOperand bound_matrix(OpenedDevice& device, const GemvProblem& part, SharingMode sharing,
                          const GemvProblem& host_part, const ResidentMatrix* resident) {
  if (resident != nullptr && resident->is_on(device)) return resident->from(part.a);
  const HostRect rect = rect_of(part.a, part.rows, part.columns, part.lda, part.precision);
  if (!copies(sharing)) {
    const std::array written = {memory_of_y(host_part)};
    BoundOperand in_place = device.memory.inputs_in_place(rect, {}, nullptr, written).a;
    if (in_place.buffer) return in_place;
  }
  const std::size_t pitch = device_pitch(rect.row_bytes);
  require_room(device, rect.rows * pitch);
  return device.memory.staged_input(rect, pitch);
}

}  // namespace

GemvJob start_gemv(const std::shared_ptr<OpenedDevice>& opened, const GemvProblem& part,
                   const GemvKernel& kernel, SharingMode sharing, const GemvProblem& host_part,
                   const ResidentMatrix* resident) {
  require_computable(*opened, part.precision, part.rows, part.columns);
  auto job = std::make_unique<GemvJob::State>(opened);
  OpenedDevice& device = *opened;
  const std::lock_guard guard(device.mutex);
  device.refuse_if_hung();
  try {
    const std::size_t element = element_size(part.precision);
    job->sums.resize(static_cast<std::size_t>(part.outputs()) * element);
    GemvOperands operands;
    operands.a = job->a = bound_matrix(device, part, sharing, host_part, resident);
    const void* x = part.x.data;
    const std::size_t x_bytes = static_cast<std::size_t>(part.terms()) * element;
    if (part.x.increment != 1) {
      job->dense_x.resize(x_bytes);
      gather(part.x, part.terms(), part.precision, job->dense_x.data());
      x = job->dense_x.data();
    }
    job->x = device.memory.staged_input(dense_rect(x, part.terms(), part.precision), x_bytes);
    operands.x = {job->x.buffer, 0, 1};
    job->result =
        device.memory.staged_result(dense_rect(job->sums.data(), part.outputs(), part.precision));
    job->result->begin(false);
    operands.y = {job->result->operand().buffer, job->result->operand().offset_bytes, 1};
    operands.aligned = starts_vectors_aligned(operands.a, part, kernel);
    // Parts change as calls show their times, and a call that asked for nothing waits for no
    // compiler.
    operands.may_build_sizes = false;
    GemvProblem sums = part;
    sums.beta = 0.0;
    sums.x.increment = sums.y.increment = 1;
    job->done = submit_gemv(device, sums, kernel, operands, job->scratch);
    job->result->expect();
    job->pending = true;
  } catch (...) {
    job->end_and_rethrow();
  }
  return GemvJob(std::move(job));
}

}  // namespace duoblas
