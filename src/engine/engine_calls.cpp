// The driver of calls (call.hpp): one life, whatever the call is.
//
//     admit ─> ready? ─> on both sides, or on the CPU ─> settle ─> learn
#include <cstddef>
#include <new>
#include <optional>

#include "engine/engine_state.hpp"
#include "engine/guarded_job.hpp"
#include "gpu/device/opened_device.hpp"
#include "opencl/status_class.hpp"
#include "timing/stopwatch.hpp"

namespace duoblas {
namespace {

bool is_shortage(const HybridOutcome& outcome) {
  return cl::status_class(outcome.gpu_error_code) == cl::StatusClass::passing_shortage;
}

// Counts the shortage, if it is one. Short memory, a kernel that the driver refuses, and work that
// DuoBLAS declined say nothing about the device, even if another thread finds them. Any other error
// means a lost device. So does the repetition of an error that drivers also report for lost
// devices.
bool device_is_lost(const HybridOutcome& outcome, ShortageBackoff& shortage) {
  const int code = outcome.gpu_error_code;
  if (!is_shortage(outcome)) return cl::status_class(code) == cl::StatusClass::device_lost;
  shortage.failed();
  if (!cl::means_lost_if_repeated(code)) return false;
  if (outcome.failed_after_submit) shortage.wait_failed();
  return shortage.is_hopeless();
}

std::size_t builds(const GpuSide& gpu) {
  return gpu.built_kernels() + gpu.device()->kernels.builds();
}

}  // namespace

EngineState::Admission EngineState::admit(const Plan& plan) {
  Admission admission;
  admission.gpu = gpu_is_unavailable() ? nullptr : open().gpu.get();
  admission.rests = admission.gpu != nullptr && shortage.rests();
  if (admission.gpu == nullptr || admission.rests) return admission;
  admission.pass = gate.enter(plan, plans.request().insists_on_gpu(), admission.on_cpu);
  // The previous holder of the pass may have lost the device, and another one may be open by now.
  if (admission.pass) admission.gpu = gpu_is_unavailable() ? nullptr : open().gpu.get();
  if (admission.gpu == nullptr) admission.pass.reset();
  return admission;
}

// The steps of a call were planned before a kernel of the first one was found wrong. And a call
// that asked for nothing waits for no trial.
std::optional<Reason> EngineState::why_not_ready(GpuSide& gpu, Call& call) {
  if (call.launches_plans_kernel()) {
    const auto kernel = gpu.launchable(call.plan.kernel, call.precision());
    if (!kernel) return Reason::no_kernel_launches;
    call.plan.kernel = *kernel;
  }
  if (readiness.waits(gpu, call.launches())) return Reason::kernels_building;
  return std::nullopt;
}

void EngineState::compute(Call& call, Manner manner) {
  Plan& plan = call.plan;
  Outcome& outcome = call.outcome;
  CpuSide& cpu = machine.cpu();
  std::optional<Reason> why;
  if (call.is_job() && !jobs.are_trusted()) why = Reason::gpu_was_wrong;
  Admission admission = call.uses_gpu() && !why ? admit(plan) : Admission{};
  if (admission.pass && manner == Manner::decided) why = why_not_ready(*admission.gpu, call);
  if (!admission.pass || why) {
    admission.pass.reset();
    if (in_child())
      plan = child_plan();
    else if (plan.strategy != Strategy::cpu)
      plan = cpu_plan(all_cores(call.precision()), why.value_or(admission.why_not()));
    const Stopwatch watch;
    call.run_alone(cpu);
    const double seconds = watch.seconds();
    outcome.times = {0, seconds, seconds, false};
    return;
  }
  GpuSide& gpu = *admission.gpu;
  call.begin_check(checks, gpu, manner);
  call.require(cpu);
  const unsigned growths = gpu.memory_growths();
  const std::size_t built = builds(gpu);
  const HybridOutcome did = on_both_sides(call, gpu, cpu);
  outcome.waited_for_memory =
      did.cpu_failed || (growths < most_growths && gpu.memory_growths() != growths);
  outcome.waited_for_kernels = builds(gpu) != built;
  note_result(gpu, call, did);
  settle(call, did);
}

// Of what the device did, and what that showed. The results are there: what is said of them must
// not make them a failure.
void EngineState::note_result(GpuSide& gpu, Call& call, const HybridOutcome& did) noexcept {
  if (did.gpu_failure.empty() || did.was_wrong)
    if (const auto right = call.count(checks, did); right > 0 && keeps_verdicts()) try {
        if (auto evidence = call.evidence(gpu, right)) give(std::move(evidence));
      } catch (const std::bad_alloc&) {
        // Later results are evidence, too.
      }
  if (did.was_wrong) {
    if (call.is_job()) jobs.distrust();
    try {
      if (call.convict(gpu, did.gpu_failure)) wrong_kernels.fetch_add(1);
    } catch (const std::bad_alloc&) {
      wrong_kernels.store(2);  // nothing can be kept of this kernel alone
    }
    say_wrong(gpu, call.suspect(checks), did.gpu_failure);
  }
  try {
    say_trials(gpu);
  } catch (const std::bad_alloc&) {
    // A later call says it.
  }
  say_cache_problem(gpu);
}

void EngineState::settle(Call& call, const HybridOutcome& did) {
  Outcome& outcome = call.outcome;
  outcome.times = did.times;
  outcome.check_seconds = did.check_seconds;
  outcome.check_in_times = did.check_in_times;
  outcome.used_gpu = did.gpu_failure.empty();
  outcome.recovered = !outcome.used_gpu;
  const double alone = outcome.plan.cpu_only_seconds;
  if (alone > 0) outcome.seconds_won = alone - outcome.times.whole;
  call.tell();
  if (outcome.used_gpu) learning.device_has_run();
  note_failure(outcome, did);
  if (did.cpu_failed && settings.verbose > 0)
    logger.once("the CPU's side failed before it had begun, and the GPU did its part");
}

// Completes the plan, too, if the CPU did the GPU's part.
void EngineState::note_failure(Outcome& outcome, const HybridOutcome& did) {
  if (did.gpu_hung) give_up_hung_gpu(did);
  if (outcome.used_gpu) reopening.worked();
  if (!outcome.recovered) return shortage.succeeded();
  if (did.gpu_failure.empty()) return;  // one of its steps failed, and that was noted
  outcome.was_shortage = !did.was_wrong && is_shortage(did);
  outcome.was_declined = did.failed_after_submit && !did.was_wrong && !did.gpu_hung &&
                         cl::status_class(did.gpu_error_code) == cl::StatusClass::declined;
  if (!did.was_wrong && device_is_lost(did, shortage)) {
    reopening.lost();
    shortage.succeeded();  // it starts anew
  }
  // C is complete, so printing must not make the call fail; only done if somebody wants to read it.
  if (settings.verbose > 0) logger.once("the CPU did the GPU's part: ", did.gpu_failure);
  outcome.plan.strategy = Strategy::cpu;
  outcome.plan.gpu_extent = 0;
  outcome.plan.reason = did.was_wrong ? Reason::gpu_was_wrong : Reason::gpu_failed;
}

namespace {

void run_others(Call& call, CpuSide& cpu, const CpuConfig& all) {
  if (!call.has_others()) return;
  Outcome& outcome = call.outcome;
  const Stopwatch watch;
  call.run_others(cpu, all);
  const double seconds = watch.seconds();
  outcome.times.cpu += seconds;
  outcome.times.whole += seconds;
  if (outcome.seconds_won) *outcome.seconds_won -= seconds;
}

}  // namespace

void EngineState::carry_out(Call& call, Manner manner) {
  call.outcome.products = 1;
  std::optional<Learning::Call> learned;
  if (const auto forecast = call.forecast(); forecast && manner == Manner::decided)
    learned.emplace(learning, call.plan, *forecast);
  compute(call, manner);
  const CallTimes took = learned ? call_times(call.outcome) : CallTimes{};
  run_others(call, machine.cpu(), all_cores(call.precision()));
  if (learned) learned->ended(call.outcome, took);
}

}  // namespace duoblas
