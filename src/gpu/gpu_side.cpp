#include "gpu/gpu_side.hpp"

#include <limits>
#include <utility>

#include <duoblas/error.hpp>

#include "gpu/gpu_job_state.hpp"
#include "gpu/launch.hpp"
#include "gpu/opened_device.hpp"
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

// Sets a kernel's arguments one after another, in the types that kernels/README.md names.
class Arguments {
 public:
  Arguments(cl::Kernel& kernel, Precision precision) : kernel_(kernel), precision_(precision) {}

  Arguments& size(std::int64_t value) {
    kernel_.set_argument(next_++, static_cast<int>(value));
    return *this;
  }

  Arguments& scalar(std::complex<double> value) {
    switch (precision_) {
      case Precision::s: kernel_.set_argument(next_++, static_cast<float>(value.real())); break;
      case Precision::d: kernel_.set_argument(next_++, value.real()); break;
      case Precision::c: kernel_.set_argument(next_++, std::complex<float>(value)); break;
      case Precision::z: kernel_.set_argument(next_++, value); break;
    }
    return *this;
  }

  Arguments& operand(const BoundOperand& operand) {
    const std::size_t element = element_size(precision_);
    buffer(*operand.buffer);
    kernel_.set_argument(next_++, std::uint64_t{operand.offset_bytes / element});
    kernel_.set_argument(next_++, std::uint64_t{operand.pitch_bytes / element});
    return *this;
  }

  Arguments& buffer(const cl::Buffer& value) {
    kernel_.set_argument(next_++, value);
    return *this;
  }

 private:
  cl::Kernel& kernel_;
  Precision precision_;
  unsigned next_ = 0;
};

void check_sizes(const GemmProblem& part, const cl::DeviceInfo& info) {
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  if (part.m > most || part.n > most || part.k > most) {
    throw DeviceError("m, n and k up to 2^31 - 1 fit a kernel; the CPU has to do it");
  }
  if (is_double(part.precision) && !info.has_fp64) {
    throw DeviceError(info.name + " has no double precision; the CPU has to do it");
  }
}

std::shared_ptr<const cl::Buffer> packed_buffer(PackedBuffer& kept, const cl::Context& context,
                                                std::size_t bytes) {
  const cl::DeviceInfo& info = context.device().info;
  if (bytes > info.max_allocation_bytes) {
    throw DeviceError("a packed operand of " + std::to_string(bytes) + " bytes is larger than " +
                      info.name + " can allocate at once; the CPU has to do it");
  }
  return kept.at_least(context, bytes);
}

}  // namespace

OpenedDevice::OpenedDevice(const cl::Device& device, const std::string& cache_dir,
                           const std::string& kernel_dir)
    : context(device),
      queue(context),
      memory(context, queue),
      limits(limits_of(device.info)),
      kernels(context, cache_dir, kernel_dir) {}

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

GpuSide::GpuSide(const cl::Device& device, const GpuFolders& folders)
    : state_(std::make_unique<State>()) {
  state_->device = std::make_shared<OpenedDevice>(device, folders.cache_dir, folders.kernel_dir);
}

GpuSide::~GpuSide() = default;

GpuJob GpuSide::submit(const GemmProblem& part, const KernelParams& kernel, SharingMode sharing,
                       SharingMode result_sharing) {
  GpuJob job;
  if (part.empty()) return job;
  job.state_ = std::make_unique<GpuJob::State>();
  GpuJob::State& state = *job.state_;
  if (part.only_scales_c()) {
    scale_c(part);
    state.stop_clock();
    return job;
  }
  OpenedDevice& device = *state_->device;
  check_sizes(part, device.context.device().info);
  state.device = state_->device;

  const std::lock_guard guard(device.mutex);
  const KernelVariant variant = normalised({kernel, part.precision, part.op_a, part.op_b});
  BuiltKernels& built = device.kernels.get(variant);
  const Launch ranges = launch(variant, static_cast<int>(part.m), static_cast<int>(part.n),
                               static_cast<int>(part.k), device.limits.compute_units);
  try {
    state.result =
        device.memory.bind_result(rect_of(part.c, part.m, part.n, part.ldc, part.precision),
                                  result_sharing, !part.overwrites_c());
    state.inputs = device.memory.bind_inputs(
        rect_of(part.a, stored_rows_a(part), stored_cols_a(part), part.lda, part.precision),
        rect_of(part.b, stored_rows_b(part), stored_cols_b(part), part.ldb, part.precision),
        sharing);

    BoundOperand a = state.inputs.a;
    BoundOperand b = state.inputs.b;
    if (ranges.packs_a) {
      state.packed_a = packed_buffer(device.packed_a, device.context, ranges.packed_a_bytes);
      Arguments(built.pack_a, part.precision)
          .size(part.m)
          .size(part.k)
          .operand(a)
          .buffer(*state.packed_a);
      a = {state.packed_a, 0, 0};
      device.queue.enqueue(built.pack_a, ranges.pack_a);
    }
    if (ranges.packs_b) {
      state.packed_b = packed_buffer(device.packed_b, device.context, ranges.packed_b_bytes);
      Arguments(built.pack_b, part.precision)
          .size(part.n)
          .size(part.k)
          .operand(b)
          .buffer(*state.packed_b);
      b = {state.packed_b, 0, 0};
      device.queue.enqueue(built.pack_b, ranges.pack_b);
    }
    Arguments(built.product, part.precision)
        .size(part.m)
        .size(part.n)
        .size(part.k)
        .scalar(part.alpha)
        .operand(a)
        .operand(b)
        .scalar(part.beta)
        .operand(state.result->operand());
    state.done = device.queue.submit(built.product, ranges.product);
    state.pending = true;
  } catch (...) {
    state.undo();
    throw;
  }
  return job;
}

void GpuSide::prepare(const KernelParams& kernel, Precision precision, Op op_a, Op op_b) {
  const std::lock_guard guard(state_->device->mutex);
  state_->device->kernels.get(normalised({kernel, precision, op_a, op_b}));
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
