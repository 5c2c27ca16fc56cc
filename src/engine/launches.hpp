// What a call launches on the device: kernels of products, and other programs. A call that asked
// for nothing does not wait for a compiler or a trial (readiness.hpp).
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "engine/result_checks.hpp"
#include "gpu/gpu_side.hpp"
#include "gpu/kernels/kernel_cache.hpp"
#include "planner/decision.hpp"
#include "problem/gemv_problem.hpp"

namespace duoblas {

/// Whether the device launches this kernel, or another one where it has refused it, which `kernel`
/// becomes. Asked when a plan is made, and once more when its product is about to begin: kernels
/// may have been rejected meanwhile.
inline bool finds_launchable(const GpuSide& gpu, KernelParams& kernel,
                             Precision precision) noexcept {
  if (!gpu.has_refused()) return true;
  const auto found = gpu.launchable(kernel, precision);
  if (found) kernel = *found;
  return found.has_value();
}

/// Programs that were built for the device so far, or loaded.
std::size_t builds_of(const GpuSide& gpu);

struct DeviceBuild {
  /// Builds and tries something. It refers to nothing of the call. Returns whether it worked, or is
  /// known to be useless.
  std::function<bool(GpuSide&)> work;
  /// Whether some of it is tried; else it is loaded, where trials are kept.
  bool needs_trial = false;
};

/// Lives as long as what it was made from. Reads no operand.
class Launches {
 public:
  Launches(const GemmProblem& product, const Plan& plan) : product_(&product), plan_(&plan) {}
  explicit Launches(const GemvProblem& gemv) : gemv_(&gemv) {}
  /// Of a call of level 3 or LAPACK.
  explicit Launches(const std::vector<CallStep>& steps) : steps_(&steps) {}

  /// Whether all is built and tried, or known to be useless: the call would wait for nothing.
  bool are_there(const GpuSide& gpu) const;
  /// Whether the call would wait for a trial. What an earlier process tried is loaded, which is
  /// quick.
  bool need_trials(const GpuSide& gpu) const;
  /// Whether something is wanted without which the call can be done.
  bool lack_spares(const GpuSide& gpu) const;
  /// A piece of work for each thing that is missing: one, however often the call launches it.
  /// \throws std::bad_alloc.
  std::vector<DeviceBuild> builds(const GpuSide& gpu) const;
  /// The seconds that a check of first results takes to keep what it needs; 0: none is due, or it
  /// keeps nothing. An estimate.
  double seconds_of_first_check(ResultChecks& checks) const noexcept;

 private:
  /// Each once.
  std::vector<KernelVariant> kernels(const GpuSide& gpu) const;
  std::vector<TriedProgram> programs(const GpuSide& gpu) const;

  const GemmProblem* product_ = nullptr;
  const Plan* plan_ = nullptr;
  const GemvProblem* gemv_ = nullptr;
  const std::vector<CallStep>* steps_ = nullptr;
};

/// One product for each kernel of such a call, with its plan.
std::vector<PlannedProduct> products_of(const DeviceCall& call);
std::vector<PlannedProduct> products_of(const DeviceFactorisation& call);

}  // namespace duoblas
