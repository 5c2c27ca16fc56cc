#include "gpu/device/opened_device.hpp"

#include <algorithm>
#include <exception>
#include <string>
#include <utility>

#include "gpu/device/device_limits_of.hpp"
#include "gpu/device/transfer_pipeline.hpp"
#include "opencl/device.hpp"
#include "opencl/wait_deadline.hpp"

namespace duoblas {
namespace {

cl::QueueInContext opened(const cl::Device& device, const GpuBounds& bounds, bool profiling) {
  cl::Context context(device);
  // Before the first wait.
  context.wait_deadline()->set_base(
      bounds.deadline_seconds.value_or(default_deadline(device.info)));
  cl::Queue queue(context, profiling);
  return {std::move(context), std::move(queue)};
}

double launch_bound_of(const cl::Context& context, const GpuBounds& bounds) {
  return bounds.launch_seconds.value_or(default_launch_seconds(context.device().info));
}

// The facts about the driver's compiler that its version does not tell.
std::string identity_of_driver(const cl::Device& device, const Verification& verification) {
  return cl::driver_build(device) + '\0' + verification.compiler_environment;
}

// The guess for launches is slow for any GPU; a deadline of 20 times that (cl::WaitDeadline) would
// be useless.
double likely_rate(const LaunchPace& pace, const KernelParams& kernel, Precision precision) {
  constexpr double ordinary = 5;
  return pace.rate(kernel, precision).value_or(ordinary * pace.rate_or_guess(kernel, precision));
}

}  // namespace

OpenedDevice::OpenedDevice(const cl::Device& device, const GpuFolders& folders, bool profiling,
                           std::size_t memory_limit, const GpuBounds& bounds,
                           const Verification& verification, const ProductTrials& trials)
    : OpenedDevice(opened(device, bounds, profiling), {profiling, true, memory_limit}, folders,
                   bounds, verification, trials) {}

OpenedDevice::OpenedDevice(cl::QueueInContext of_program, const GpuFolders& folders,
                           const GpuBounds& bounds, const Verification& verification,
                           const ProductTrials& trials)
    : OpenedDevice(std::move(of_program), {false, false, 0}, folders, bounds, verification,
                   trials) {}

OpenedDevice::OpenedDevice(cl::QueueInContext opened, const Mode& mode, const GpuFolders& folders,
                           const GpuBounds& bounds, const Verification& verification,
                           const ProductTrials& trials)
    : TargetDevice(std::move(opened.context),
                   device_limits(opened.context.device().info, mode.memory_limit),
                   launch_bound_of(opened.context, bounds)),
      queue(std::move(opened.queue)),
      memory(context, queue),
      pace(launch_bound),
      may_wait(mode.may_wait),
      kernels(*this, folders, identity_of_driver(context.device(), verification), bounds.clock),
      timestamps_(mode.profiling) {
  kernels.try_all(trials, verification);
  probe_device(context, queue, folders.cache_dir, folders.kernel_dir, limits);
  panels.set(limits);
}

OpenedDevice::~OpenedDevice() = default;

TransferPipeline& OpenedDevice::pipeline() {
  if (pipeline_ == nullptr) pipeline_ = TransferPipeline::make(*this);
  return *pipeline_;
}

void OpenedDevice::let_go() noexcept {
  std::unique_ptr<TransferPipeline> ended;  // its products take the mutex
  const std::lock_guard guard(mutex);
  ended = std::move(pipeline_);
  scratch.release();
}

bool OpenedDevice::has_room_to_stay(std::size_t bytes) const {
  return limits.memory_bytes == 0 || resident_bytes_.load() + bytes <= limits.memory_bytes / 2;
}

DeviceLimits OpenedDevice::free_limits() const {
  DeviceLimits left = limits;
  // 0 means no limit. Prepared matrices leave room for more (resident_matrix.cpp).
  if (left.memory_bytes > 0) left.memory_bytes -= resident_bytes_.load();
  return left;
}

void OpenedDevice::refuse_if_hung() const {
  if (const auto& deadline = context.wait_deadline(); deadline->is_over()) deadline->give_up(0);
}

void OpenedDevice::expect(const GemmProblem& part, const KernelParams& kernel) {
  context.wait_deadline()->expect(
      launch_seconds(part, {part.m, part.n}, likely_rate(pace, kernel, part.precision)));
}

KernelsEnd OpenedDevice::wait_for_kernels(const cl::Event& last, const EarlierKernels& earlier,
                                          const Stopwatch& since_start, double enqueued) {
  const bool waited = queue.wait(last);
  require_all(queue, earlier);
  const double seen = since_start.seconds();
  if (!timestamps_.is_available()) return {seen, !waited};
  const auto running = cl::seconds_since_enqueue(last);
  const EndOfKernels end{running ? enqueued + *running : 0, seen, waited};
  if (timestamps_.believes(end) && !waited) return {std::min(end.told, seen), false};
  return {seen, !waited};
}

void OpenedDevice::drain() noexcept {
  try {
    queue.finish();
  } catch (const std::exception&) {
    // A device that cannot even finish is lost; nothing else can be waited for.
  }
  scratch.tickets.spoil();
}

void OpenedDevice::rethrow_drained(bool may_write_c) {
  try {
    try {
      throw;
    } catch (const cl::DeviceHung&) {
      throw;
    } catch (...) {
      refuse_if_hung();
      throw;
    }
  } catch (cl::DeviceHung& hung) {
    hung.may_write_c = may_write_c;
    throw;
  }
}

}  // namespace duoblas
