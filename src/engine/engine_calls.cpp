// The driver of calls (call.hpp): one life, whatever the call is.
//
//     admit ─> ready? ─> on both sides, or on the CPU ─> settle ─> learn
#include <cstddef>
#include <new>
#include <optional>

#include "engine/engine_state.hpp"
#include "engine/guarded_job.hpp"
#include "gpu/device/opened_device.hpp"
#include "timing/stopwatch.hpp"

namespace duoblas {
namespace {

std::size_t builds(const GpuSide& gpu) {
  return gpu.built_kernels() + gpu.device()->kernels.builds();
}

}  // namespace

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
  DeviceHealth::Admission admission =
      call.uses_gpu() && !why ? health.admit(plan) : DeviceHealth::Admission{};
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
    health.note_wrong(gpu, call, did.gpu_failure);
  }
  health.say_trials(gpu);
  health.say_cache_problem(gpu);
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
  health.note_failure(outcome, did);
  if (did.cpu_failed && settings.verbose > 0)
    logger.once("the CPU's side failed before it had begun, and the GPU did its part");
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
