#include "gpu/gpu_side.hpp"

#include <cstdint>
#include <limits>
#include <utility>

#include <duoblas/error.hpp>

#include "gpu/device_probe.hpp"
#include "gpu/gpu_job_state.hpp"
#include "gpu/opened_device.hpp"
#include "gpu/product.hpp"
#include "gpu/transfer_pipeline.hpp"
#include "problem/scale_c.hpp"

namespace duoblas {
namespace {

DeviceLimits limits_of(const cl::DeviceInfo& info) {
  DeviceLimits limits;
  limits.is_cpu = info.is_cpu;
  limits.max_work_group_size = info.max_work_group_size;
  limits.local_memory_bytes = info.local_memory_bytes;
  limits.max_allocation_bytes = info.max_allocation_bytes;
  limits.compute_units = info.compute_units;
  limits.vector_bytes = info.native_vector_bytes;
  limits.has_fp64 = info.has_fp64;
  limits.fma_single = info.fma_single;
  limits.fma_double = info.fma_double;
  limits.max_image_pixels = info.max_image_pixels;
  return limits;
}

HostRect rect_of(const void* data, std::int64_t rows, std::int64_t columns, std::int64_t ld,
                 Precision precision) {
  HostRect rect;
  rect.element_bytes = element_size(precision);
  rect.data = const_cast<void*>(data);
  rect.rows = static_cast<std::size_t>(rows);
  rect.row_bytes = static_cast<std::size_t>(columns) * rect.element_bytes;
  rect.pitch = rows > 1 ? static_cast<std::size_t>(ld) * rect.element_bytes : rect.row_bytes;
  return rect;
}

HostRect rect_of_a(const GemmProblem& p) {
  return rect_of(p.a, stored_rows_a(p), stored_cols_a(p), p.lda, p.precision);
}
HostRect rect_of_b(const GemmProblem& p) {
  return rect_of(p.b, stored_rows_b(p), stored_cols_b(p), p.ldb, p.precision);
}

// Buffers start where the device aligns them; over the host's memory, where that does.
bool starts_rows_aligned(const BoundOperand& bound, const void* host) {
  constexpr std::size_t unit = 16;
  const bool base = copies(bound.mode) || reinterpret_cast<std::uintptr_t>(host) % unit == 0;
  return base && bound.offset_bytes % unit == 0 && bound.pitch_bytes % unit == 0;
}

ResidentOperands usable(const Sharing& sharing, const OpenedDevice& device) {
  ResidentOperands resident;
  if (!copies(sharing.operands)) return resident;
  const auto on_it = [&](const ResidentMatrix* m) { return m && m->is_on(device) ? m : nullptr; };
  resident.a = on_it(sharing.resident.a);
  resident.b = on_it(sharing.resident.b);
  return resident;
}

void check_sizes(const GemmProblem& part, const cl::DeviceInfo& info) {
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  if (part.m > most || part.n > most || part.k > most) {
    throw DeviceError("m, n and k up to 2^31 - 1 fit a kernel; the CPU has to do it");
  }
  if (is_double(part.precision) && !info.has_fp64) {
    throw DeviceError(info.name + " has no double precision; the CPU has to do it");
  }
}

}  // namespace

OpenedDevice::OpenedDevice(const cl::Device& device, const std::string& cache_dir,
                           const std::string& kernel_dir, bool profiling)
    : context(device),
      queue(context, profiling),
      memory(context, queue),
      limits(limits_of(device.info)),
      timestamps(profiling),
      kernels(context, cache_dir, kernel_dir) {
  probe_device(context, queue, cache_dir, kernel_dir, limits);
}

OpenedDevice::OpenedDevice(cl::QueueInContext opened, const std::string& cache_dir,
                           const std::string& kernel_dir)
    : context(std::move(opened.context)),
      queue(std::move(opened.queue)),
      memory(context, queue),
      limits(limits_of(context.device().info)),
      timestamps(false),
      kernels(context, cache_dir, kernel_dir) {
  probe_device(context, queue, cache_dir, kernel_dir, limits);
}

OpenedDevice::~OpenedDevice() = default;

void OpenedDevice::drain() noexcept {
  try {
    queue.finish();
  } catch (const std::exception&) {
    // A device that cannot even finish is lost; nothing else can be waited for.
  }
}

struct GpuSide::State {
  std::shared_ptr<OpenedDevice> device;
};

GpuSide::GpuSide(const cl::Device& device, const GpuFolders& folders, bool timestamps)
    : state_(std::make_unique<State>()) {
  state_->device =
      std::make_shared<OpenedDevice>(device, folders.cache_dir, folders.kernel_dir, timestamps);
}

GpuSide::~GpuSide() = default;

GpuJob GpuSide::submit(const GemmProblem& part, const KernelParams& kernel,
                       const Sharing& sharing) {
  GpuJob job;
  if (part.empty()) return job;
  job.state_ = std::make_unique<GpuJob::State>();
  GpuJob::State& state = *job.state_;
  if (part.only_scales_c()) {
    scale_c(part);
    state.times.kernels = state.times.whole = state.elapsed();
    return job;
  }
  OpenedDevice& device = *state_->device;
  check_sizes(part, device.context.device().info);
  state.device = state_->device;

  const ResidentOperands resident = usable(sharing, device);
  const std::lock_guard guard(device.mutex);
  if (copies(sharing.operands) && copies(sharing.result) && TransferPipeline::suits(part)) {
    if (!device.pipeline) device.pipeline = std::make_unique<TransferPipeline>(device);
    state.passage =
        device.pipeline->start(part, kernel, {sharing.operands == SharingMode::pinned, resident});
    state.pending = true;
    return job;
  }
  prepare_product(device, kernel, part.precision, part.op_a, part.op_b, rows_of(part, kernel));
  try {
    state.result =
        device.memory.bind_result(rect_of(part.c, part.m, part.n, part.ldc, part.precision),
                                  sharing.result, !part.overwrites_c());
    state.inputs =
        device.memory.bind_inputs(resident.a ? HostRect{} : rect_of_a(part),
                                  resident.b ? HostRect{} : rect_of_b(part), sharing.operands);
    if (resident.a) state.inputs.a = resident.a->from(part.a);
    if (resident.b) state.inputs.b = resident.b->from(part.b);

    ProductOperands operands{state.inputs.a, state.inputs.b, state.result->operand()};
    operands.aligned_a = starts_rows_aligned(operands.a, part.a);
    operands.aligned_b = starts_rows_aligned(operands.b, part.b);
    state.done = submit_product(device, part, kernel, operands, state.scratch);
    state.enqueued = state.elapsed();
    state.pending = true;
  } catch (...) {
    state.undo();
    throw;
  }
  return job;
}

std::shared_ptr<const ResidentMatrix> GpuSide::make_resident(const HostRect& matrix) {
  return std::shared_ptr<const ResidentMatrix>(new ResidentMatrix(state_->device, matrix));
}

void GpuSide::prepare(const KernelParams& kernel, Precision precision, Op op_a, Op op_b) {
  const std::lock_guard guard(state_->device->mutex);
  prepare_product(*state_->device, kernel, precision, op_a, op_b, Rows::whole);
}

std::vector<unsigned char> GpuSide::binary(const KernelVariant& variant) {
  const std::lock_guard guard(state_->device->mutex);
  return state_->device->kernels.get(normalised(variant)).program.binary();
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

std::string GpuSide::cache_problem() const {
  const std::lock_guard guard(state_->device->mutex);
  return state_->device->kernels.disk_problem();
}

SharingMode GpuSide::best_sharing() const {
  return sharing().granularity() > 0 ? SharingMode::host_pointer : SharingMode::staged;
}

}  // namespace duoblas
