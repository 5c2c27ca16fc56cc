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

// Nothing was computed with them.
void EngineState::say_wrong_kernels(GpuSide& gpu) noexcept try {
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

void EngineState::say_trials(GpuSide& gpu) {
  if (gpu.trials() == trials_said.load(std::memory_order_relaxed)) return;
  trials_said.store(gpu.trials(), std::memory_order_relaxed);
  say_wrong_kernels(gpu);
  if (settings.verbose > 0 && !plans.request().chooses_by_speed())
    logger.once(
        "kernels are tried before their first use, for which calls wait that were told to use the "
        "GPU (once for a driver: DUOBLAS_CACHE_DIR remembers it)");
}

// The result is there, and is not to be computed once more because this finds no memory.
void EngineState::say_cache_problem(const GpuSide& gpu) noexcept try {
  if (settings.verbose < 1) return;
  const std::string problem = gpu.cache_problem();
  if (!problem.empty()) logger.once("compiled kernels are not kept on disk: ", problem);
} catch (const std::bad_alloc&) {
  // A later call says it.
}

void EngineState::say_if_math_is_missing(const PlanMachine& facts) {
  if (settings.verbose < 1 || !facts.has_gpu || tf32x3_kernel(Precision::s, facts.device)) return;
  logger.once("tf32x3: this device has no TF32 matrix instructions; products are exact");
}

void EngineState::say_wrong(const GpuSide& gpu, const Suspect& suspect,
                            const std::string& failure) noexcept {
  const char* const instead = suspect.instead != nullptr ? suspect.instead
                              : is_distrusted()
                                  ? "computes everything from now on"
                                  : "this kernel is not used any more in this process";
  char earlier[160];
  if (suspect.unchecked)
    std::snprintf(earlier, sizeof earlier,
                  "%llu earlier results of %s in this process were not checked and",
                  static_cast<unsigned long long>(*suspect.unchecked), suspect.results);
  else
    std::snprintf(earlier, sizeof earlier, "Earlier results of %s that were not checked",
                  suspect.results);
  char line[1000];
  std::snprintf(line, sizeof line,
                "%s%s on %.200s%s: %.300s. The CPU computed it again, and %s. %.150s may be wrong "
                "(DUOBLAS_CHECK=always checks every one)",
                suspect.call, suspect.with, gpu.info().name.c_str(), suspect.as, failure.c_str(),
                instead, earlier);
  logger.wrong_result(line);
}

// Printed at every level of verbosity, since from now on nothing of the device is released.
void EngineState::give_up_hung_gpu(const HybridOutcome& did) {
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
