#include "gpu/device/opened_device.hpp"

#include <exception>
#include <string>
#include <utility>

#include "gpu/device/device_limits_of.hpp"
#include "gpu/device/device_probe.hpp"
#include "gpu/device/transfer_pipeline.hpp"
#include "gpu/product/kernel_trial.hpp"
#include "opencl/driver_build.hpp"
#include "opencl/wait_deadline.hpp"

namespace duoblas {
namespace {

// Called before the first wait.
cl::Context patient(cl::Context context, const GpuBounds& bounds) {
  context.wait_deadline()->set_base(
      bounds.deadline_seconds.value_or(default_deadline(context.device().info)));
  return context;
}

// The facts about the driver's compiler that its version does not tell.
std::string identity_of(const cl::Device& device, const Verification& verification) {
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
                           const Verification& verification)
    : context(patient(cl::Context(device), bounds)),
      queue(context, profiling),
      memory(context, queue),
      limits(device_limits(device.info, memory_limit)),
      timestamps(profiling),
      pace(bounds.launch_seconds.value_or(default_launch_seconds(device.info))),
      kernels(context, folders, identity_of(device, verification), bounds.clock),
      routines(context, folders, identity_of(device, verification), bounds.clock) {
  set_trials(verification, folders.kernel_dir);
  probe_device(context, queue, folders.cache_dir, folders.kernel_dir, limits);
  panels.set(limits);
}

OpenedDevice::OpenedDevice(cl::QueueInContext opened, const GpuFolders& folders,
                           const GpuBounds& bounds, const Verification& verification)
    : context(std::move(opened.context)),
      queue(std::move(opened.queue)),
      memory(context, queue),
      limits(device_limits(context.device().info, 0)),
      timestamps(false),
      pace(bounds.launch_seconds.value_or(default_launch_seconds(context.device().info))),
      may_wait(false),
      kernels(context, folders, identity_of(context.device(), verification), bounds.clock),
      routines(context, folders, identity_of(context.device(), verification), bounds.clock) {
  set_trials(verification, folders.kernel_dir);
  probe_device(context, queue, folders.cache_dir, folders.kernel_dir, limits);
  panels.set(limits);
}

void OpenedDevice::set_trials(const Verification& verification, const std::string& kernel_dir) {
  if (verification.wanted)
    verifier = std::make_unique<KernelVerifier>(context.device(), verification, kernel_dir);
  KernelCache::Trials trials;
  trials.warm_up = [this](const KernelVariant& variant, BuiltKernels& built) {
    warm_up(*this, variant, built);
  };
  trials.what_is_wrong = [this](const KernelVariant& variant, BuiltKernels& built,
                                std::uint64_t seed) {
    return what_is_wrong(*this, variant, built, seed);
  };
  kernels.set_trials(std::move(trials), verifier.get());
  routines.set_verifier(verifier.get());
}

DeviceLimits OpenedDevice::free_limits() const {
  DeviceLimits left = limits;
  // 0 means no limit. Prepared matrices leave room for more (resident_matrix.cpp).
  if (left.memory_bytes > 0) left.memory_bytes -= resident_bytes.load();
  return left;
}

OpenedDevice::~OpenedDevice() = default;

void OpenedDevice::refuse_if_hung() const {
  if (const auto& deadline = context.wait_deadline(); deadline->is_over()) deadline->give_up(0);
}

void OpenedDevice::expect(const GemmProblem& part, const KernelParams& kernel) {
  context.wait_deadline()->expect(
      launch_seconds(part, {part.m, part.n}, likely_rate(pace, kernel, part.precision)));
}

void OpenedDevice::expect(const BatchProblem& part, const KernelParams& kernel) {
  const double rate = likely_rate(pace, kernel, part.precision);
  double seconds = 0;
  for (const auto& [shape, a, b, c, count] : part.groups)
    seconds += static_cast<double>(count) * launch_seconds(shape, {shape.m, shape.n}, rate);
  context.wait_deadline()->expect(seconds);
}

void OpenedDevice::drain() noexcept {
  try {
    queue.finish();
  } catch (const std::exception&) {
    // A device that cannot even finish is lost; nothing else can be waited for.
  }
  tickets_are_zeros.store(false);
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
