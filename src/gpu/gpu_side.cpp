#include "gpu/gpu_side.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include <duoblas/error.hpp>

#include "gpu/device_probe.hpp"
#include "gpu/gpu_job_state.hpp"
#include "gpu/opened_device.hpp"
#include "gpu/product.hpp"
#include "gpu/transfer_pipeline.hpp"
#include "plan/device_blocks.hpp"
#include "problem/scale_c.hpp"

namespace duoblas {
namespace {

DeviceLimits limits_of(const cl::DeviceInfo& info, std::size_t memory_bytes) {
  DeviceLimits limits;
  limits.memory_bytes = memory_bytes;
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

// Buffers start where the device aligns them; over the host's memory, where that does.
bool starts_rows_aligned(const BoundOperand& bound, const void* host) {
  constexpr std::size_t unit = 16;
  const bool base =
      bound.mode == SharingMode::staged || reinterpret_cast<std::uintptr_t>(host) % unit == 0;
  return base && bound.offset_bytes % unit == 0 && bound.pitch_bytes % unit == 0;
}

// Some is the driver's own, and other programs'.
constexpr double usable_memory = 0.8;

std::size_t memory_of(const cl::DeviceInfo& info, std::size_t limit) {
  const auto usable =
      static_cast<std::size_t>(usable_memory * static_cast<double>(info.global_memory_bytes));
  return limit == 0 ? usable : usable == 0 ? limit : std::min(limit, usable);
}

// Of one product; of operands that are not staged only packed copies count.
DeviceBytes bytes_at_once(const GemmProblem& part, const KernelParams& kernel, SharingMode sharing,
                          SharingMode result_sharing) {
  const Packing packing{packs_a(kernel, part.op_a), packs_b(kernel, part.op_b)};
  DeviceBytes bytes = device_bytes(part, {part.m, part.n, part.k}, kernel, packing);
  if (sharing != SharingMode::staged) bytes.a = bytes.b = 0;
  if (result_sharing != SharingMode::staged) bytes.c = 0;
  return bytes;
}

bool fits_at_once(const GemmProblem& part, const DeviceBytes& bytes, const DeviceLimits& limits) {
  constexpr std::int64_t most_extent = std::numeric_limits<int>::max() - 4096;
  if (std::max({part.m, part.n, part.k}) > most_extent) return false;
  const std::int64_t widest_window =
      std::max({footprint(part.precision, stored_rows_a(part), stored_cols_a(part), part.lda),
                footprint(part.precision, stored_rows_b(part), stored_cols_b(part), part.ldb),
                footprint(part.precision, part.m, part.n, part.ldc)});
  const std::size_t largest = std::max(
      {static_cast<std::size_t>(widest_window), bytes.packed_a, bytes.packed_b, bytes.partial});
  return (limits.max_allocation_bytes == 0 || largest <= limits.max_allocation_bytes) &&
         (limits.memory_bytes == 0 || bytes.total() <= limits.memory_bytes);
}

// Beside operands that are allocated for this call alone.
void make_room(DeviceScratch& scratch, DeviceBytes needs, std::size_t limit) {
  const std::size_t own = needs.a + needs.b + needs.c;
  needs.a = needs.b = needs.c = 0;
  scratch.make_room(needs, limit > own ? limit - own : limit);
}

void check_type(const GemmProblem& part, const cl::DeviceInfo& info) {
  if (is_double(part.precision) && !info.has_fp64) {
    throw DeviceError(info.name + " has no double precision; the CPU has to do it");
  }
}

}  // namespace

OpenedDevice::OpenedDevice(const cl::Device& device, const std::string& cache_dir,
                           const std::string& kernel_dir, bool profiling, std::size_t memory_limit)
    : context(device),
      queue(context, profiling),
      memory(context, queue),
      limits(limits_of(device.info, memory_of(device.info, memory_limit))),
      timestamps(profiling),
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

GpuSide::GpuSide(const cl::Device& device, const GpuFolders& folders, bool timestamps,
                 std::size_t memory_limit)
    : state_(std::make_unique<State>()) {
  state_->device = std::make_shared<OpenedDevice>(device, folders.cache_dir, folders.kernel_dir,
                                                  timestamps, memory_limit);
}

GpuSide::~GpuSide() = default;

GpuJob GpuSide::submit(const GemmProblem& part, const KernelParams& kernel, SharingMode sharing,
                       SharingMode result_sharing) {
  GpuJob job;
  if (part.empty()) return job;
  job.state_ = std::make_unique<GpuJob::State>();
  GpuJob::State& state = *job.state_;
  state.unfinished.push_back(part);
  if (part.only_scales_c()) {
    scale_c(part);
    state.times.kernels = state.times.whole = state.elapsed();
    state.unfinished.clear();
    return job;
  }
  OpenedDevice& device = *state_->device;
  check_type(part, device.context.device().info);
  state.device = state_->device;

  const std::lock_guard guard(device.mutex);
  const bool stages_all = sharing == SharingMode::staged && result_sharing == SharingMode::staged;
  const DeviceBytes bytes = bytes_at_once(part, kernel, sharing, result_sharing);
  if ((stages_all && TransferPipeline::suits(part)) || !fits_at_once(part, bytes, device.limits)) {
    if (!device.pipeline) device.pipeline = std::make_unique<TransferPipeline>(device);
    state.passage = device.pipeline->start(part, kernel);
    state.pending = true;
    return job;
  }
  make_room(device.scratch, bytes, device.limits.memory_bytes);
  prepare_product(device, kernel, part.precision, part.op_a, part.op_b, rows_of(part, kernel));
  try {
    state.result =
        device.memory.bind_result(rect_of(part.c, part.m, part.n, part.ldc, part.precision),
                                  result_sharing, !part.overwrites_c());
    state.inputs = device.memory.bind_inputs(
        rect_of(part.a, stored_rows_a(part), stored_cols_a(part), part.lda, part.precision),
        rect_of(part.b, stored_rows_b(part), stored_cols_b(part), part.ldb, part.precision),
        sharing);

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
