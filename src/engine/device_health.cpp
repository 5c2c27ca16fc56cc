#include "engine/device_health.hpp"

#include <cstdio>
#include <new>

#include <duoblas/error.hpp>

#include "engine/engine_state.hpp"
#include "opencl/status_class.hpp"
#include "opencl/wait_deadline.hpp"

namespace duoblas {
namespace {

bool is_shortage(const HybridOutcome& outcome) {
  return cl::status_class(outcome.gpu_error_code) == cl::StatusClass::passing_shortage;
}

}  // namespace

DeviceHealth::DeviceHealth(EngineState& engine, const RetryPauses& pauses)
    : engine_(engine),
      reopening_({[this] { return engine_.machine.reopen(); },
                  [this](const char* what) { engine_.logger.once(what); }},
                 pauses) {}

bool DeviceHealth::is_unavailable() const {
  return reopening_.is_unavailable() || cl::driver_hangs() || is_distrusted();
}

// One kernel with a wrong result is the fault of the compiler or the kernel; two are the fault of
// the device. But not if both failed in their trials: those computed nothing for the user, and a
// compiler errs in many kernels alike.
bool DeviceHealth::is_distrusted() const {
  const int rejected = wrong_kernels_.load(std::memory_order_relaxed);
  return rejected > 0 && rejected + failed_trials_.load(std::memory_order_relaxed) > 1;
}

void DeviceHealth::admit(const Plan& plan, Admission& admission) {
  admission.gpu = is_unavailable() ? nullptr : engine_.open().gpu.get();
  admission.rests = admission.gpu != nullptr && shortage_.rests();
  if (admission.gpu == nullptr || admission.rests) return;
  admission.pass = gate_.enter(plan, engine_.plans.request().insists_on_gpu(), admission.on_cpu);
  // The previous holder of the pass may have lost the device, and another one may be open by now.
  if (admission.pass) admission.gpu = is_unavailable() ? nullptr : engine_.open().gpu.get();
  if (admission.gpu == nullptr) admission.give_back();
}

void DeviceHealth::worked() {
  reopening_.worked();
  shortage_.succeeded();
}

// Counts the shortage, if it is one. Short memory, a kernel that the driver refuses, and work that
// DuoBLAS declined say nothing about the device, even if another thread finds them. Any other error
// means a lost device. So does the repetition of an error that drivers also report for lost
// devices.
bool DeviceHealth::is_lost(const HybridOutcome& outcome) {
  const int code = outcome.gpu_error_code;
  if (!is_shortage(outcome)) return cl::status_class(code) == cl::StatusClass::device_lost;
  shortage_.failed();
  if (!cl::means_lost_if_repeated(code)) return false;
  if (outcome.failed_after_submit) shortage_.wait_failed();
  return shortage_.is_hopeless();
}

// Completes the plan, too, if the CPU did the GPU's part.
void DeviceHealth::note_failure(Outcome& outcome, const HybridOutcome& did) {
  if (did.gpu_hung) give_up_hung(did);
  if (outcome.used_gpu) reopening_.worked();
  if (outcome.used_gpu && !outcome.recovered) shortage_.succeeded();
  if (!outcome.recovered || did.gpu_failure.empty()) return;  // of its steps that was noted
  outcome.was_shortage = !did.was_wrong && is_shortage(did);
  outcome.was_declined = did.failed_after_submit && !did.was_wrong && !did.gpu_hung &&
                         cl::status_class(did.gpu_error_code) == cl::StatusClass::declined;
  if (!did.was_wrong && is_lost(did)) {
    reopening_.lost();
    shortage_.succeeded();  // it starts anew
  }
  // C is complete, so printing must not make the call fail; only done if somebody wants to read it.
  if (engine_.settings.verbose > 0)
    engine_.logger.once("the CPU did the GPU's part: ", did.gpu_failure);
  outcome.plan.strategy = Strategy::cpu;
  outcome.plan.gpu_extent = 0;
  outcome.plan.reason = did.was_wrong              ? Reason::gpu_was_wrong
                        : did.had_unsuited_numbers ? Reason::numbers_unsuited
                                                   : Reason::gpu_failed;
}

void DeviceHealth::note_wrong(GpuSide& gpu, Call& call, const std::string& failure) noexcept {
  try {
    if (call.reject(gpu, failure)) wrong_kernels_.fetch_add(1);
  } catch (const std::bad_alloc&) {
    wrong_kernels_.store(2);  // nothing can be kept of this kernel alone
  }
  say_wrong(gpu, call.suspect(engine_.checks), failure);
}

// Nothing was computed with them.
void DeviceHealth::say_wrong_kernels(GpuSide& gpu) noexcept try {
  for (const WrongKernel& wrong : gpu.take_wrong()) {
    failed_trials_.fetch_add(1);
    const std::string line =
        wrong.text + (is_distrusted() ? ". The CPU computes everything from now on"
                                      : ". This kernel is not used");
    if (wrong.is_news)
      engine_.logger.wrong_result(line.c_str());
    else
      engine_.logger.once(line);
  }
} catch (const std::bad_alloc&) {
  // A failure here does not matter for the result.
}

void DeviceHealth::say_trials(GpuSide& gpu) noexcept try {
  if (gpu.trials() == trials_said_.load(std::memory_order_relaxed)) return;
  trials_said_.store(gpu.trials(), std::memory_order_relaxed);
  say_wrong_kernels(gpu);
  if (engine_.settings.verbose > 0 && !engine_.plans.request().chooses_by_speed())
    engine_.logger.once(
        "kernels are tried before their first use, for which calls wait that were told to use the "
        "GPU (once for a driver: DUOBLAS_CACHE_DIR remembers it)");
} catch (const std::bad_alloc&) {
  // A later call says it: the results are there.
}

// The result is there, and is not to be computed once more because this finds no memory.
void DeviceHealth::say_cache_problem(const GpuSide& gpu) noexcept try {
  if (engine_.settings.verbose < 1) return;
  const std::string problem = gpu.cache_problem();
  if (!problem.empty()) engine_.logger.once("compiled kernels are not kept on disk: ", problem);
} catch (const std::bad_alloc&) {
  // A later call says it.
}

void DeviceHealth::say_wrong(const GpuSide& gpu, const Suspect& suspect,
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
  engine_.logger.wrong_result(line);
}

// Printed at every level of verbosity, since from now on nothing of the device is released.
void DeviceHealth::give_up_hung(const HybridOutcome& did) {
  char line[400];  // C may be there: what is said of it must not fail
  std::snprintf(line, sizeof line, "%s; this process computes on the CPU from now on",
                did.gpu_failure.c_str());
  engine_.logger.always(line);
  if (did.c_is_out_of_reach)
    throw DeviceError(did.gpu_failure +
                      "; it may still write to C, which is not what it should be. "
                      "DUOBLAS_STRATEGY=cpu does without the GPU");
}

}  // namespace duoblas
