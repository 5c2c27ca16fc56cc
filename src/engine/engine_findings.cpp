// What an engine finds out about kernels and the device while it works: what that means for later
// calls, and what the user is told.
#include <atomic>
#include <cstdio>
#include <new>
#include <string>

#include <duoblas/error.hpp>

#include "engine/engine_state.hpp"
#include "kernel_space/kernel_defaults.hpp"
#include "opencl/wait_deadline.hpp"

namespace duoblas {

void Engine::State::note_preparation(bool worked) noexcept {
  if (worked)
    vain_preparations.store(0, std::memory_order_relaxed);
  else
    vain_preparations.fetch_add(1, std::memory_order_relaxed);
  if (cl::driver_hangs())
    logger.always(
        "the device did not end a kernel's trial (DUOBLAS_GPU_DEADLINE): it or its driver hangs; "
        "this process computes on the CPU from now on");
}

// Nothing was computed with them.
void Engine::State::say_wrong_kernels(GpuSide& gpu) noexcept try {
  for (const WrongKernel& wrong : gpu.take_wrong()) {
    failed_trials.fetch_add(1);
    const std::string line =
        wrong.text + (is_distrusted() ? ". The CPU computes everything from now on"
                                      : ". This kernel is not used");
    if (wrong.is_news)
      logger.wrong_result(line.c_str());
    else
      logger.once(line);
  }
} catch (const std::bad_alloc&) {
  // A failure here does not matter for the result.
}

void Engine::State::say_trials(GpuSide& gpu) {
  if (gpu.trials() == trials_said.load(std::memory_order_relaxed)) return;
  trials_said.store(gpu.trials(), std::memory_order_relaxed);
  say_wrong_kernels(gpu);
  if (settings.verbose > 0 && !request().chooses_by_speed())
    logger.once(
        "kernels are tried before their first use, for which calls wait that were told to use the "
        "GPU (once for a driver: DUOBLAS_CACHE_DIR remembers it)");
}

// The result is there, and is not to be computed once more because this finds no memory.
void Engine::State::say_cache_problem(const GpuSide& gpu) noexcept try {
  if (settings.verbose < 1) return;
  const std::string problem = gpu.cache_problem();
  if (!problem.empty()) logger.once("compiled kernels are not kept on disk: ", problem);
} catch (const std::bad_alloc&) {
  // A later call says it.
}

void Engine::State::say_if_math_is_missing(const PlanMachine& facts) {
  if (settings.verbose < 1 || !facts.has_gpu || tf32x3_kernel(Precision::s, facts.device)) return;
  logger.once("tf32x3: this device has no TF32 matrix instructions; products are exact");
}

template <typename Convict>
void Engine::State::say_conviction(GpuSide& gpu, Precision precision, const KernelParams& kernel,
                                   const HybridOutcome& did, Convict&& convict) {
  try {
    if (convict()) wrong_kernels.fetch_add(1);
  } catch (const std::bad_alloc&) {
    wrong_kernels.store(2);  // nothing can be kept of this kernel alone
  }
  const auto unchecked = checks.unchecked(kernel, precision);
  char line[700];
  std::snprintf(line, sizeof line,
                "%cgemm on %s: %.300s. The CPU computed it again, and %s. %llu earlier results of "
                "this kernel in this process were not checked and may be wrong "
                "(DUOBLAS_CHECK=always checks every one)",
                letter(precision), gpu.info().name.c_str(), did.gpu_failure.c_str(),
                is_distrusted() ? "computes everything from now on"
                                : "this kernel is not used any more in this process",
                static_cast<unsigned long long>(unchecked));
  logger.wrong_result(line);
}

void Engine::State::note_check(GpuSide& gpu, const GemmProblem& part, const Plan& plan,
                               const HybridOutcome& did) {
  const KernelParams& kernel = plan.kernel;
  if (did.gpu_failure.empty() || did.is_wrong())
    if (const auto right = checks.ended(part, kernel, did); right > 0 && keeps_verdicts())
      give([&gpu, part, kernel, sharing = plan.sharing, right] {
        gpu.add_checked(part, kernel, sharing, right);
      });
  if (!did.is_wrong()) return;
  say_conviction(gpu, part.precision, kernel, did,
                 [&] { return gpu.convict(part, kernel, plan.sharing, did.gpu_failure); });
}

void Engine::State::note_check(GpuSide& gpu, const BatchProblem& part, const Plan& plan,
                               const HybridOutcome& did) {
  if (did.gpu_failure.empty() || did.is_wrong())
    checks.ended(part.largest()->shape, plan.kernel, did);
  if (!did.is_wrong()) return;
  say_conviction(gpu, part.precision, plan.kernel, did,
                 [&] { return gpu.convict(part, plan.sharing, did.gpu_failure); });
}

// Printed at every level of verbosity, since from now on nothing of the device is released.
void Engine::State::give_up_hung_gpu(const HybridOutcome& did) {
  char line[400];  // C may be there: what is said of it must not fail
  std::snprintf(line, sizeof line, "%s; this process computes on the CPU from now on",
                did.gpu_failure.c_str());
  logger.always(line);
  if (did.c_is_out_of_reach)
    throw DeviceError(did.gpu_failure +
                      "; it may still write to C, which is not what it should be. "
                      "DUOBLAS_STRATEGY=cpu does without the GPU");
}

}  // namespace duoblas
