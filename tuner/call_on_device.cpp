#include "tuner/call_on_device.hpp"

#include <algorithm>
#include <memory>
#include <mutex>

#include <duoblas/error.hpp>

#include "gpu/device/opened_device.hpp"
#include "gpu/gpu_side.hpp"
#include "problem/host_rect.hpp"
#include "profile/profile.hpp"
#include "timing/stopwatch.hpp"

namespace duoblas {
namespace {

OpenedDevice& opened_device_of(Engine& engine) {
  GpuSide* gpu = engine.gpu();
  if (gpu == nullptr) throw DeviceError("there is no device: " + engine.facts().gpu_problem());
  return *gpu->device();
}

}  // namespace

CallOnDevice::CallOnDevice(Engine& engine, const GemmProblem& problem)
    : device_(opened_device_of(engine)), problem_(problem) {
  const std::lock_guard lock(device_.mutex);
  operands_.a = on_device(rect_of_a(problem), true);
  operands_.b = on_device(rect_of_b(problem), true);
  operands_.c = on_device(rect_of_c(problem), false);
  operands_.aligned_a = operands_.a.pitch_bytes % 16 == 0;
  operands_.aligned_b = operands_.b.pitch_bytes % 16 == 0;
}

BoundOperand CallOnDevice::on_device(const HostRect& rect, bool is_copied) {
  BoundOperand operand;
  const auto buffer =
      std::make_shared<cl::Buffer>(device_.context.allocate(rect.span(), cl::Access::read_write));
  if (is_copied)
    device_.queue.write(*buffer, rect.data, {1, rect.span(), rect.span(), rect.span(), 0}, true);
  operand.buffer = buffer;
  operand.pitch_bytes = rect.pitch;
  return operand;
}

std::optional<CallSample> CallOnDevice::sample(const KernelParams& kernel, Sides sides,
                                               int repeats) {
  GemmProblem problem = problem_;
  if (sides == Sides::update) {
    problem.k = std::min(problem.k, steps_of_tuned_update);
    problem.beta = 1;
  }
  const std::lock_guard lock(device_.mutex);
  const Stopwatch watch;
  try {
    for (int i = 1; i <= repeats; ++i) {
      scratch_.asked_for = i == repeats;
      scratch_.splits_last_tiles = sides == Sides::device;
      const cl::Event end = submit_product(device_, problem, kernel, operands_, scratch_);
      if (i == repeats) device_.queue.wait(end);
    }
  } catch (const DeviceError&) {
    return std::nullopt;
  }
  const double seconds = watch.seconds() / repeats;
  return CallSample{seconds, seconds, 0, 0};
}

}  // namespace duoblas
