#include "engine/device_jobs.hpp"

#include <new>

#include <duoblas/error.hpp>

#include "engine/engine_state.hpp"
#include "gpu/device/opened_device.hpp"
#include "gpu/lapack/panels_on_device.hpp"
#include "gpu/level3/level3_job.hpp"

namespace duoblas {

bool DeviceJobs::takes_at_once(const Level3Problem& problem, const KernelParams& kernel) const {
  const GpuSide* const side = engine_.opened_gpu();
  return side != nullptr && are_trusted() &&
         takes_level3(*side->device(), problem, kernel, block_sizes(order(problem)));
}

bool DeviceJobs::takes_at_once(const DeviceFactorisation& call) const {
  const GpuSide* const side = engine_.opened_gpu();
  if (side == nullptr || !are_trusted()) return false;
  const OpenedDevice& device = *side->device();
  if (is_double(call.problem.precision) && !device.context.device().info.has_fp64) return false;
  return device_bytes(call.problem, call.plan.kernel, call.width, device.free_limits()).has_value();
}

bool DeviceJobs::makes_panels(const DeviceFactorisation& call) const {
  const GpuSide* const side = engine_.opened_gpu();
  return side != nullptr && suits_panels(*side->device(), call.problem, call.width);
}

std::shared_ptr<const ResidentMatrix> DeviceJobs::make_resident(const HostRect& matrix,
                                                                Precision precision) {
  if (matrix.span() == 0 || EngineState::in_child() || engine_.health.is_unavailable() ||
      engine_.plans.request().strategy == Strategy::cpu)
    return nullptr;
  GpuSide* side = engine_.open().gpu.get();
  if (side == nullptr || std::isinf(engine_.plans.smallest_gemm_flops(precision)) ||
      !may_copy(engine_.open().facts, precision))
    return nullptr;
  const ForkGuard no_fork;
  try {
    return side->make_resident(matrix);
  } catch (const DeviceError&) {
    return nullptr;  // the products then do without
  }
}

bool JobBackoff::rests(const JobKind& job) noexcept {
  const std::lock_guard guard(mutex_);
  const auto found = failing_.find(job);
  return found != failing_.end() && found->second.rests();
}

void JobBackoff::failed(const JobKind& job, int longest_rest) noexcept try {
  const std::lock_guard guard(mutex_);
  failing_[job].failed(longest_rest);
} catch (const std::bad_alloc&) {
  // It is tried again.
}

void JobBackoff::succeeded(const JobKind& job) noexcept {
  const std::lock_guard guard(mutex_);
  failing_.erase(job);
}

}  // namespace duoblas
