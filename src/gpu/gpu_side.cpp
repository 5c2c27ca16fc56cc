#include "gpu/gpu_side.hpp"

#include <array>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <utility>

#include <duoblas/error.hpp>

#include "gpu/device/opened_device.hpp"
#include "gpu/device/transfer_pipeline.hpp"
#include "gpu/product/batch_job.hpp"
#include "gpu/product/gpu_job_state.hpp"
#include "gpu/product/in_place.hpp"
#include "gpu/product/product.hpp"
#include "kernel_space/device_blocks.hpp"
#include "problem/host_rect.hpp"
#include "problem/scale_c.hpp"

namespace duoblas {
namespace {

ResidentOperands usable(const Sharing& sharing, const OpenedDevice& device) {
  ResidentOperands resident;
  if (!copies(sharing.operands)) return resident;
  const auto on_it = [&](const ResidentMatrix* m) { return m && m->is_on(device) ? m : nullptr; };
  resident.a = on_it(sharing.resident.a);
  resident.b = on_it(sharing.resident.b);
  return resident;
}

// Makes room beside operands that are allocated for this call alone.
void make_room(DeviceScratch& scratch, DeviceBytes needs, std::size_t limit) {
  const std::size_t own = needs.a + needs.b + needs.c;
  needs.a = needs.b = needs.c = 0;
  if (limit > 0) limit = limit > own ? limit - own : 1;
  scratch.make_room(needs, limit);
}

// The operands of a product that the device uses in place.
struct InPlace {
  BoundInputs inputs;
  std::optional<BoundResult> result;

  Staged staged() const { return {!inputs.a.buffer, !inputs.b.buffer, !result}; }
  bool is_all() const { return inputs.a.buffer && inputs.b.buffer && result; }
};

InPlace bind_in_place(OpenedDevice& device, const GemmProblem& part, const Sharing& sharing) {
  InPlace bound;
  if (copies(sharing.operands)) return bound;
  const HostRect a = rect_of_a(part), b = rect_of_b(part), c = rect_of_c(part);
  const HostRect of_host =
      sharing.host_part == nullptr ? HostRect{} : rect_of_c(*sharing.host_part);
  OperandMemory& memory = device.memory;
  if (!copies(sharing.result))
    bound.result = memory.result_in_place(c, std::array{a, b, a}, std::array{of_host});
  if (bound.result) {
    bound.inputs = memory.inputs_in_place(a, b, &*bound.result, std::array{of_host});
    if (bound.is_all() || !TransferPipeline::suits(part, bound.staged())) return bound;
    bound = {};  // large copies are the pipeline's, whose results are copies
  }
  bound.inputs = memory.inputs_in_place(a, b, nullptr, std::array{of_host, c});
  return bound;
}

void check_type(const GemmProblem& part, const cl::DeviceInfo& info) {
  if (is_double(part.precision) && !info.has_fp64) {
    throw DeviceError(info.name + " has no double precision; the CPU has to do it");
  }
}

}  // namespace

struct GpuSide::State {
  std::shared_ptr<OpenedDevice> device;
};

GpuSide::GpuSide(const cl::Device& device, const GpuFolders& folders, bool timestamps,
                 std::size_t memory_limit, const GpuBounds& bounds,
                 const Verification& verification)
    : state_(std::make_unique<State>()) {
  state_->device = std::make_shared<OpenedDevice>(device, folders, timestamps, memory_limit, bounds,
                                                  verification);
  // For probes a failure is an answer, but a device that hangs is not.
  state_->device->refuse_if_hung();
}

GpuSide::~GpuSide() = default;

unsigned GpuSide::memory_growths() const {
  const std::lock_guard guard(state_->device->mutex);
  return state_->device->scratch.growths;
}

void GpuSide::let_go() noexcept {
  OpenedDevice& device = *state_->device;
  std::unique_ptr<TransferPipeline> ended;  // its products take the mutex
  const std::lock_guard guard(device.mutex);
  ended = std::move(device.pipeline);
  device.scratch = {};
}

void GpuSide::expect_rate(Precision precision, double flops_per_second) {
  state_->device->pace.expect(precision, flops_per_second);
}

GpuJob GpuSide::submit(const GemmProblem& part, const KernelParams& kernel,
                       const Sharing& sharing) {
  if (!sharing.behind_another) {
    const std::lock_guard guard(state_->device->mutex);
    state_->device->last_b = {};  // before anything that may fail
  }
  GpuJob job;
  if (part.empty()) return job;
  job.state_ = std::make_unique<GpuJob::State>();
  GpuJob::State& state = *job.state_;
  state.unfinished.push_back(part);
  if (part.only_scales_c()) {
    scale_c(part);
    state.times.kernels = state.times.whole = state.since_submit.seconds();
    state.unfinished.clear();
    return job;
  }
  OpenedDevice& device = *state_->device;
  check_type(part, device.context.device().info);
  state.device = state_->device;

  const ResidentOperands resident = usable(sharing, device);
  const std::lock_guard guard(device.mutex);
  device.refuse_if_hung();
  device.expect(part, kernel);
  InPlace in_place = bind_in_place(device, part, sharing);
  const Staged staged = in_place.staged();
  const DeviceLimits limits = device.free_limits();
  const auto blocks = in_place.is_all() ? in_place_blocks(part, kernel, limits) : std::nullopt;
  const DeviceBytes bytes = bytes_at_once(part, kernel, staged);
  const auto keep_old_c = [&] {
    if (sharing.arrivals != nullptr) sharing.arrivals->will_be_written();
  };
  if (blocks) {
    keep_old_c();
    state.pipelined =
        pipeline_of(device).start_in_place(part, kernel, *blocks,
                                           {std::move(in_place.inputs), std::move(*in_place.result),
                                            sharing.keeps_old_c, sharing.behind_another});
    state.pending = true;
    return job;
  }
  if (TransferPipeline::suits(part, staged) || !fits_at_once(part, bytes, kernel, limits)) {
    in_place.result.reset();
    state.pipelined = pipeline_of(device).start(part, kernel,
                                                {sharing.operands == SharingMode::pinned, resident,
                                                 std::move(in_place.inputs), sharing.arrivals});
    state.pending = true;
    return job;
  }
  keep_old_c();
  make_room(device.scratch, bytes, limits.memory_bytes);
  prepare_product(device, kernel, part.precision, part.op_a, part.op_b, rows_of(part, kernel));
  try {
    OperandMemory& memory = device.memory;
    state.result =
        in_place.result ? std::move(*in_place.result) : memory.staged_result(rect_of_c(part));
    state.inputs = std::move(in_place.inputs);
    if (resident.a) state.inputs.a = resident.a->from(part.a);
    if (resident.b) state.inputs.b = resident.b->from(part.b);
    // Unaligned rows need another kernel, which nobody has built beforehand: a call waited 0.7 to
    // 1.2 s for it.
    const auto to_device = [&memory](const HostRect& rect) {
      return memory.staged_input(rect, device_pitch(rect.row_bytes));
    };
    if (!state.inputs.a.buffer) state.inputs.a = to_device(rect_of_a(part));
    if (!state.inputs.b.buffer) state.inputs.b = to_device(rect_of_b(part));
    state.result->begin_by_rows(!part.overwrites_c());
    if (sharing.keeps_old_c) state.result->keep_next(rect_of_c(part).rows);

    ProductOperands operands{state.inputs.a, state.inputs.b, state.result->operand()};
    operands.aligned_a = starts_rows_aligned(operands.a, part.a);
    operands.aligned_b = starts_rows_aligned(operands.b, part.b);
    state.launched = state.since_submit.seconds();
    state.kernel = kernel;
    state.behind_another = sharing.behind_another;
    state.done = submit_product(device, part, kernel, operands, state.scratch);
    state.enqueued = state.since_submit.seconds();
    state.result->expect();
    state.pending = true;
  } catch (...) {
    state.undo_and_rethrow();
  }
  return job;
}

void GpuSide::wait_for_job() const {
  const std::lock_guard guard(state_->device->mutex);
}

BatchJob GpuSide::submit(const BatchProblem& part, const BatchSharing& sharing) {
  return BatchJob::start(state_->device, part, sharing);
}

std::shared_ptr<const ResidentMatrix> GpuSide::make_resident(const HostRect& matrix,
                                                             PackedForms forms) {
  return std::shared_ptr<const ResidentMatrix>(new ResidentMatrix(state_->device, matrix, forms));
}

void GpuSide::build_pipeline() noexcept {
  const std::lock_guard guard(state_->device->mutex);
  try {
    pipeline_of(*state_->device).reserve();
  } catch (const std::exception&) {
    // The first product that uses it reports the problem.
  }
}

const cl::DeviceInfo& GpuSide::info() const {
  return state_->device->context.device().info;
}

const DeviceLimits& GpuSide::limits() const {
  return state_->device->limits;
}

const SharingFacts& GpuSide::sharing() const {
  return state_->device->memory.facts();
}

CopiedBytes GpuSide::copied() const {
  OpenedDevice& device = *state_->device;
  const std::lock_guard guard(device.mutex);
  const OperandMemory::HostCopies of_host = device.memory.host_copies();
  const std::uint64_t through_rings = device.pipeline ? device.pipeline->copied_bytes() : 0;
  return {of_host.staged + through_rings, of_host.saved + device.saved_bytes, device.packed_bytes};
}

const std::shared_ptr<OpenedDevice>& GpuSide::device() const {
  return state_->device;
}

SharingMode GpuSide::best_sharing() const {
  return sharing().granularity() > 0 ? SharingMode::host_pointer : SharingMode::staged;
}

}  // namespace duoblas
