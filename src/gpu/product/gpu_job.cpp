#include "gpu/product/gpu_job.hpp"

#include <algorithm>
#include <exception>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "gpu/device/computable.hpp"
#include "gpu/device/opened_device.hpp"
#include "gpu/device/transfer_pipeline.hpp"
#include "gpu/product/in_place.hpp"
#include "gpu/product/operand_route.hpp"
#include "gpu/product/pipelined_product.hpp"
#include "gpu/product/product.hpp"
#include "problem/host_rect.hpp"
#include "problem/scale_c.hpp"
#include "timing/stopwatch.hpp"

namespace duoblas {
namespace {

// Makes room beside operands that are allocated for this call alone.
void make_room(OpenedDevice& device, DeviceBytes needs) {
  std::size_t limit = device.free_limits().memory_bytes;
  const std::size_t own = needs.a + needs.b + needs.c;
  needs.a = needs.b = needs.c = 0;
  if (limit > 0) limit = limit > own ? limit - own : 1;
  device.scratch.make_room(needs, limit);
}

}  // namespace

// Owns the bindings of the operands and the buffers of this product, and frees them only when the
// device has finished with them (release) or was drained (undo). Only the caller's thread uses it.
struct GpuJob::State {
  ~State() {
    if (!pending) return;
    if (pipelined.valid())
      pipelined.wait();
    else
      device->drain();
  }

  Stopwatch since_submit;
  double enqueued = 0;  ///< seconds from the start of submit to the flush of the last kernel
  double launched = 0;  ///< the same to the first launch
  KernelParams kernel;
  GpuJobTimes times;
  bool pending = false;         ///< kernels may be running
  bool behind_another = false;  ///< as in Sharing

  std::shared_ptr<OpenedDevice> device;
  BoundInputs inputs;
  std::optional<BoundResult> result;
  ProductScratch scratch;
  cl::Event done;
  std::future<PipelineOutcome> pipelined;  ///< valid: the pipeline does everything
  std::vector<GemmProblem> unfinished;     ///< if the job fails now

  /// Records the rate of the job's kernels. Later launches and deadlines follow from it.
  void see_rate() {
    if (behind_another || kernel.matrix == MatrixUnit::tf32x3) return;
    device->pace.saw_product(kernel, unfinished.front(), times.kernels - launched, !times.at_most);
  }
  /// Starts it. The caller holds the device's mutex. \throws DeviceError; then C has its old
  /// values.
  std::future<PipelineOutcome> start_pipelined(const GemmProblem& part, const Sharing& sharing,
                                               OperandRoute route);
  void start_at_once(const GemmProblem& part, const Sharing& sharing, OperandRoute route);
  /// Waits for a streamed product. \throws DeviceError.
  void wait_for_pipeline();
  /// Enqueued commands write to the caller's C.
  bool reaches_c() const {
    return launched > 0 && result && result->operand().mode == SharingMode::host_pointer;
  }
  /// Frees the memory, once the device has finished with it.
  void release() {
    done.reset();
    scratch.release();
    inputs = {};
    result.reset();
  }
  /// Ends the enqueued commands and restores C's old values if they are needed.
  void undo() noexcept {
    pending = false;
    device->drain();
    if (result) result->restore();
    release();
  }
  /// The same in an exception handler; then rethrows.
  [[noreturn]] void undo_and_rethrow() {
    const bool may_write_c = reaches_c();
    undo();
    device->rethrow_drained(may_write_c);
  }
};

GpuJob::GpuJob() = default;
GpuJob::GpuJob(GpuJob&&) noexcept = default;
GpuJob& GpuJob::operator=(GpuJob&&) noexcept = default;
GpuJob::~GpuJob() = default;

// The pipeline's part of it: everything, on its thread.
std::future<PipelineOutcome> GpuJob::State::start_pipelined(const GemmProblem& part,
                                                            const Sharing& sharing,
                                                            OperandRoute route) {
  TransferPipeline& pipeline = device->pipeline();
  TransferQueues& queues = pipeline.queues();
  if (route.way == OperandRoute::Way::in_blocks)
    return pipeline.start(
        std::make_shared<InPlaceProduct>(queues, part, kernel, std::move(route), sharing));
  return pipeline.start(std::make_shared<PipelinedProduct>(queues, part, kernel, route, sharing));
}

void GpuJob::State::start_at_once(const GemmProblem& part, const Sharing& sharing,
                                  OperandRoute route) {
  make_room(*device, route.bytes);
  prepare_product(*device, kernel, part.precision, part.op_a, part.op_b, rows_of(part, kernel));
  try {
    OperandMemory& memory = device->memory;
    result = route.result ? std::move(*route.result) : memory.staged_result(rect_of_c(part));
    inputs = std::move(route.inputs);
    if (route.resident.a) inputs.a = route.resident.a->from(part.a);
    if (route.resident.b) inputs.b = route.resident.b->from(part.b);
    // Unaligned rows need another kernel, which nobody has built beforehand: a call waited 0.7 to
    // 1.2 s for it.
    const auto to_device = [&memory](const HostRect& rect) {
      return memory.staged_input(rect, device_pitch(rect.row_bytes));
    };
    if (!inputs.a.buffer) inputs.a = to_device(rect_of_a(part));
    if (!inputs.b.buffer) inputs.b = to_device(rect_of_b(part));
    result->begin_by_rows(!part.overwrites_c());
    if (sharing.saves_old_c) result->keep_next(rect_of_c(part).rows);

    ProductOperands operands{inputs.a, inputs.b, result->operand()};
    operands.aligned_a = starts_rows_aligned(operands.a, part.a);
    operands.aligned_b = starts_rows_aligned(operands.b, part.b);
    launched = since_submit.seconds();
    done = submit_product(*device, part, kernel, operands, scratch);
    enqueued = since_submit.seconds();
    result->expect();
  } catch (...) {
    undo_and_rethrow();
  }
}

GpuJob GpuJob::start(const std::shared_ptr<OpenedDevice>& opened, const GemmProblem& part,
                     const KernelParams& kernel, const Sharing& sharing) {
  OpenedDevice& device = *opened;
  if (!sharing.behind_another) {
    const std::lock_guard guard(device.mutex);
    device.scratch.last_b = {};  // before anything that may fail
  }
  GpuJob job;
  if (part.empty()) return job;
  job.state_ = std::make_unique<State>();
  State& state = *job.state_;
  state.unfinished.push_back(part);
  if (part.only_scales_c()) {
    scale_c(part);
    state.times.kernels = state.times.whole = state.since_submit.seconds();
    state.unfinished.clear();
    return job;
  }
  if (!is_by_integers(kernel)) require_type(device, part.precision);
  state.device = opened;
  state.kernel = kernel;
  state.behind_another = sharing.behind_another;

  const std::lock_guard guard(device.mutex);
  device.refuse_if_hung();
  device.expect(part, kernel);
  OperandRoute route = route_of(device, part, kernel, sharing);
  // The pipeline checks a result that it streams.
  const bool is_streamed = route.way == OperandRoute::Way::streamed;
  if (!is_streamed && sharing.arrivals != nullptr) sharing.arrivals->will_be_written();
  if (route.way == OperandRoute::Way::at_once)
    state.start_at_once(part, sharing, std::move(route));
  else
    state.pipelined = state.start_pipelined(part, sharing, std::move(route));
  state.pending = true;
  return job;
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

void GpuJob::wait() {
  if (!state_ || !state_->pending) return;
  if (state_->pipelined.valid()) return state_->wait_for_pipeline();
  GpuJobTimes& times = state_->times;
  try {
    const KernelsEnd end = state_->device->wait_for_kernels(state_->done, state_->scratch.earlier,
                                                            state_->since_submit, state_->enqueued);
    const Stopwatch after;
    times.kernels = end.seconds;
    times.at_most = end.at_most;
    state_->see_rate();
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
