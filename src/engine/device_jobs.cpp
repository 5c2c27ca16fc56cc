#include "engine/device_jobs.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <new>
#include <utility>

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

std::unique_ptr<ResultCheck> DeviceJobs::begin_check(const DeviceFactorisation& call) noexcept {
  return engine_.checks.begin(call.problem, call.plan.kernel);
}

bool DeviceJobs::undid_wrong(const DeviceFactorisation& call, ResultCheck* check,
                             Outcome& outcome) noexcept {
  if (!outcome.used_gpu || outcome.recovered) return false;
  HybridOutcome did;
  did.times = outcome.times;
  try {
    if (check != nullptr) {
      CheckVerdict verdict = check->compare();
      did.check = CheckedResult{std::move(verdict), check->seconds()};
    }
  } catch (const std::exception&) {
    // A check that finds no memory has no result.
  }
  if (check != nullptr) outcome.check_seconds += check->seconds();
  engine_.checks.ended(call.problem, call.plan.kernel, did);
  did.was_wrong = did.check && did.check->verdict.wrong;
  if (!did.was_wrong) return false;
  check->restore();
  distrust();
  outcome.used_gpu = false;
  outcome.recovered = true;
  did.gpu_failure = "is wrong";  // short enough to need no memory
  try {
    did.gpu_failure = "its result is wrong: " + check->describe(*did.check->verdict.wrong);
    engine_.note_failure(outcome, did);
  } catch (const std::bad_alloc&) {
    // The call is done again without a message.
  }
  Suspect suspect;
  std::snprintf(suspect.call, sizeof suspect.call, "%c%s", letter(call.problem.precision),
                name(call.problem.routine));
  suspect.with = " with the matrix";
  suspect.results = "such calls";
  suspect.instead = "such calls are done product by product from now on";
  suspect.unchecked = engine_.checks.unchecked_jobs();
  engine_.say_wrong(*engine_.machine.found()->gpu, suspect, did.gpu_failure);
  return true;
}

std::shared_ptr<const ResidentMatrix> DeviceJobs::make_resident(const HostRect& matrix,
                                                                Precision precision) {
  if (matrix.span() == 0 || EngineState::in_child() || engine_.gpu_is_unavailable() ||
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

}  // namespace duoblas
