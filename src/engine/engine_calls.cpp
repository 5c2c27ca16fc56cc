// The driver of calls (call.hpp): one life, whatever the call is.
//
//     admit ─> ready? ─> on both sides, or on the CPU ─> settle ─> learn
#include <cstddef>
#include <new>
#include <optional>

#include "engine/engine_state.hpp"
#include "engine/guarded_job.hpp"
#include "engine/product_call.hpp"
#include "timing/stopwatch.hpp"

namespace duoblas {
// The call was planned before its kernel was found wrong. And a call that asked for nothing waits
// for no trial; of a call's steps that was asked before the first one.
std::optional<Reason> EngineState::why_not_ready(GpuSide& gpu, Call& call, bool is_step) {
  if (call.launches_plans_kernel()) {
    const KernelParams planned = call.plan.kernel;
    if (!finds_launchable(gpu, call.plan.kernel, call.precision()))
      return Reason::no_kernel_launches;
    is_step = is_step && !call.is_job() && call.plan.kernel == planned;
  }
  if (!is_step && readiness.waits(gpu, call.launches())) return Reason::kernels_building;
  return std::nullopt;
}

bool EngineState::rests_for_numbers(const Call& call) noexcept {
  const auto kind = call.kind_of_numbers();
  return kind && jobs.backoff().rests(*kind);
}

void EngineState::compute(Call& call, Manner manner, Admission& device) {
  call.has(device);
  const bool had_it = device.pass.has_value();
  if (!call.uses_gpu()) {
    device.give_back();
  } else if (call.is_job() && !jobs.are_trusted()) {
    device.leave(Reason::gpu_was_wrong);
  } else if (!had_it && device.may_ask && !device.left) {
    health.admit(call.plan, device);
  } else if (had_it && health.is_unavailable()) {
    device.leave(health.why_unavailable());
  }
  device.may_ask = false;
  if (device.pass && manner == Manner::decided && rests_for_numbers(call))
    device.leave(Reason::such_jobs_failed);
  if (device.pass && manner == Manner::decided)
    if (const auto why = why_not_ready(*device.gpu, call, had_it)) device.leave(*why);
  if (!device.pass) return compute_alone(call, device.why_not());
  compute_on_both(call, manner, *device.gpu);
  if (call.outcome.recovered) device.leave(call.plan.reason);
}

void EngineState::compute_alone(Call& call, Reason why) {
  Plan& plan = call.plan;
  if (call.has_steps()) {  // which have plans of their own; to copy the cores takes memory
    if (plan.uses_gpu()) plan.reason = why;
    plan.strategy = Strategy::cpu;
    plan.gpu_extent = 0;
  } else if (in_child()) {
    // The opened device belongs to the parent; the CPU's part was there from the start.
    plan = cpu_plan(machine.cpu_all(), Reason::forked_child);
  } else if (plan.strategy != Strategy::cpu) {
    plan = cpu_plan(all_cores(call.precision()), why);
  }
  const Stopwatch watch;
  call.run_alone(machine.cpu());
  const double seconds = watch.seconds();
  call.outcome.times = {0, seconds, seconds, false};
  if (call.has_steps()) call.tell();
}

void EngineState::compute_on_both(Call& call, Manner manner, GpuSide& gpu) {
  Outcome& outcome = call.outcome;
  CpuSide& cpu = machine.cpu();
  call.begin_check(checks, gpu, manner);
  const unsigned growths = gpu.memory_growths();
  const std::size_t built = builds_of(gpu);
  const HybridOutcome did = on_both_sides(call, gpu, cpu);
  outcome.waited_for_memory = growths < most_growths && gpu.memory_growths() != growths;
  outcome.waited_for_kernels = builds_of(gpu) != built;
  note_result(gpu, call, did);
  settle(call, did);
}

// Of what the device did, and what that showed. The results are there: what is said of them must
// not make them a failure.
void EngineState::note_result(GpuSide& gpu, Call& call, const HybridOutcome& did) noexcept {
  if (did.check && !did.was_wrong) try {
      const double keeping = call.launches().seconds_of_first_check(checks);
      outlays.note_check(outlays.check_factor() * keeping, did.check->seconds);
    } catch (const std::bad_alloc&) {
      // Later checks tell what they take.
    }
  if (did.gpu_failure.empty() || did.was_wrong)
    if (const auto right = call.count(checks, did); right > 0 && !settings.cache_dir.empty()) try {
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
  if (const auto kind = call.kind_of_numbers()) {
    if (did.had_unsuited_numbers) jobs.backoff().failed(*kind);
    if (outcome.used_gpu) jobs.backoff().succeeded(*kind);
  }
}

void EngineState::carry_out(Call& call, Manner manner) {
  Admission device;
  carry_out(call, manner, device, true);
}

void EngineState::carry_out(Call& call, Manner manner, Admission& device, bool is_all) {
  call.outcome.products = 1;
  std::optional<Learning::Call> learned;
  if (const auto forecast = call.forecast(); forecast && manner == Manner::decided)
    learned.emplace(learning, call.plan, *forecast);
  compute(call, manner, device);
  if (is_all) device.give_back();  // nobody else waits while this call is learned from
  if (learned) learned->ended(call.outcome);
}

// Where the plan is for the first rows only, the CPU does the others afterwards.
void EngineState::carry_out(const GemmProblem& problem, Outcome& outcome,
                            const ResidentOperands& resident, Manner manner, Admission& device,
                            bool is_all) {
  const auto [first, others] = outcome.plan.parts(problem);
  if (!others.empty()) outcome.plan = outcome.plan.of_first_part(problem);
  ProductCall call(first, outcome, resident);
  carry_out(call, manner, device, is_all);
  if (others.empty()) return;
  device.give_back();
  // Not around the first part: that would be a part of another call, and no evidence.
  const CallLearner::Scope takes_all_cores(learning.learner());
  const Stopwatch watch;
  machine.cpu().run(others, all_cores(problem.precision));
  const double seconds = watch.seconds();
  outcome.times.cpu += seconds;
  outcome.times.whole += seconds;
}

}  // namespace duoblas
