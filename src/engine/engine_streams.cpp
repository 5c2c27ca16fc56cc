// Memory-bound calls: planned by their bytes, and by the times of such calls.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <exception>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <duoblas/error.hpp>

#include "engine/engine_state.hpp"
#include "engine/hybrid_stream.hpp"
#include "gpu/device/opened_device.hpp"
#include "gpu/streams/update_in_place.hpp"
#include "planner/stream_plan.hpp"
#include "timing/stopwatch.hpp"

namespace duoblas {
namespace {

static_assert(most_kept_ahead == most_kept_at_once);

StreamCall stream_call(const StreamRoutine& routine, const PlanMachine& facts, const GpuSide& gpu) {
  const bool resident = routine.is_resident(gpu);
  StreamCall call;
  call.precision = routine.precision();
  call.outputs = routine.outputs();
  call.unit = routine.unit(gpu);
  call.bytes = routine.bytes();
  if (!copies(facts.sharing)) call.kept_bytes = routine.kept_bytes();
  call.device_copies = copies(facts.sharing) && !resident;
  call.device_has_it = copies(facts.sharing) && resident;
  return call;
}

enum class Wanted { all, but_spare };

bool has(const GpuSide& gpu, const std::vector<TriedProgram>& programs, Wanted wanted) {
  const KernelCache& kernels = gpu.device()->kernels;
  return std::ranges::all_of(programs, [&](const TriedProgram& tried) {
    return (wanted == Wanted::but_spare && tried.is_spare) || kernels.has(tried.number);
  });
}

}  // namespace

Plan Engine::plan(const StreamRoutine& routine) {
  if (state_->in_child()) return state_->child_plan();
  const CpuConfig& cpu_all = state_->machine.cpu_all();
  const PlanRequest wanted = state_->request();
  if (wanted.strategy == Strategy::cpu) return cpu_plan(cpu_all, Reason::cpu_asked_for);
  if (routine.is_trivial()) return cpu_plan(cpu_all, Reason::only_scales);
  if (wanted.chooses_by_speed() && routine.bytes() < smallest_stream_bytes)
    return cpu_plan(cpu_all, Reason::too_small);
  const MachineState& machine_state = state_->open();
  const PlanMachine& facts = machine_state.facts;
  const CpuConfig& all_cores = facts.cpu_all_for(routine.precision());
  if (!facts.has_gpu) return cpu_plan(all_cores, facts.without_gpu);
  if (state_->gpu_is_unavailable()) return cpu_plan(all_cores, state_->why_unavailable());
  if (wanted.chooses_by_speed() && State::are_refused(*machine_state.gpu, routine))
    return cpu_plan(all_cores, Reason::gpu_failed_before);
  const StreamCall call = stream_call(routine, facts, *machine_state.gpu);
  const StreamRates rates = stream_rates(call, facts);
  if (!state_->adapts()) return make_stream_plan(call, facts, wanted, rates, nullptr);
  if (!state_->has_recalled.load(std::memory_order_acquire)) recall();
  const CallKind kind = kind_of_stream(routine.number(), routine.outputs(), routine.terms(),
                                       state_->learner.circumstances());
  const LearnedTimes known = state_->learned(kind, facts);
  Plan plan = make_stream_plan(call, facts, wanted, rates, &known);
  if (plan.forecast) plan.forecast->kind = kind;
  return plan;
}

Decision Engine::decide(const StreamRoutine& routine) {
  Decision decision;
  decision.plan = plan(routine);
  decision.who = who_of(decision.plan.strategy);
  decision.reason = decision.plan.reason;
  decision.estimate.cpu_seconds = decision.plan.cpu_only_seconds;
  decision.forecast = decision.plan.forecast;
  return decision;
}

Outcome Engine::run(const StreamRoutine& routine) {
  Outcome outcome;
  outcome.products = 1;
  if (routine.outputs() == 0) return outcome;
  Decision decision = decide(routine);
  if (const auto why = why_not_yet(routine, decision.plan))
    decision.plan = cpu_plan(machine().cpu_all_for(routine.precision()), *why);
  return carry_out(routine, std::move(decision));
}

Outcome Engine::carry_out(const StreamRoutine& routine, Decision&& decision) {
  return compute(routine, std::move(decision.plan), false);
}

Outcome Engine::run(const StreamRoutine& routine, const Plan& plan) {
  return compute(routine, Plan(plan), true);
}

Outcome Engine::compute(const StreamRoutine& routine, Plan&& given, bool as_told) {
  Outcome outcome;
  outcome.products = 1;
  if (routine.outputs() == 0) return outcome;
  Plan& plan = outcome.plan = std::move(given);
  const auto forecast = plan.forecast;
  const Strategy decided = plan.strategy;
  CallLearner::Scope scope(state_->learner);
  State::Admission admission = state_->admit(*this, plan);
  const bool waits =
      !as_told && admission.pass && state_->waits_for_program(*admission.gpu, routine);
  if (waits) admission.pass.reset();
  if (plan.uses_gpu() && !admission.pass) {
    const Reason why = waits ? Reason::kernels_building : admission.why_not();
    plan = cpu_plan(machine().cpu_all_for(routine.precision()), why);
  }
  bool beside_compiler = background_work_is_running();
  const bool starts = admission.pass ? compute_with_gpu(routine, *admission.gpu, outcome)
                                     : compute_on_cpu(routine, outcome);
  const bool as_decided = plan.strategy == decided && !outcome.recovered;
  beside_compiler = beside_compiler || background_work_is_running();
  if (forecast && as_decided && !as_told && !starts && !beside_compiler)
    scope.note(*forecast, call_times(outcome));
  state_->logger.call(routine, outcome);
  return outcome;
}

bool Engine::compute_on_cpu(const StreamRoutine& routine, Outcome& outcome) {
  const Stopwatch watch;
  routine.run(cpu(), outcome.plan.cpu, {0, routine.outputs()}, nullptr);
  outcome.times.cpu = outcome.times.whole = watch.seconds();
  return !state_->cpu_alone_has_run.exchange(true);
}

bool Engine::compute_with_gpu(const StreamRoutine& routine, GpuSide& gpu, Outcome& outcome) {
  Plan& plan = outcome.plan;
  KernelCache& kernels = gpu.device()->kernels;
  const unsigned builds = kernels.builds();
  StreamCheck check = state_->stream_checks.begin(routine.number());
  // Another thread may convict these programs meanwhile; then another kernel is used.
  std::vector<TriedProgram> programs;
  try {
    if (check.wanted) programs = routine.programs(gpu);
  } catch (const std::bad_alloc&) {
    check = {};  // a check that finds no memory later has no result either
  }
  // This must happen before the device changes anything in place.
  if (plan.strategy == Strategy::hybrid) routine.require(cpu(), plan.cpu);
  const StreamOutcome did = hybrid_stream(gpu, cpu(), routine, plan, check);
  // A call that keeps all old values for a check takes longer than others.
  const bool starts = builds != kernels.builds() || check.all || did.cpu_failed ||
                      (check.wanted && routine.kept_bytes() > 0);
  try {
    if (did.was_wrong) state_->note_wrong(gpu, routine, programs, did.gpu_failure);
    state_->say_trials(gpu);
  } catch (const std::bad_alloc&) {
    // The results are there: what is said of them must not make them a failure.
  }
  state_->settle(outcome, did);
  if (did.cpu_failed && state_->settings.verbose > 0)
    state_->logger.once("the CPU's side failed before it had begun, and the GPU did its part");
  if (did.was_wrong) plan.reason = Reason::gpu_was_wrong;
  return starts;
}

std::optional<double> Engine::promised_gain(const StreamRoutine& routine) {
  const PlanMachine* last = state_->machine.as_last_opened();
  if (!state_->knows_streams(last)) return 0;
  if (last == nullptr) return std::nullopt;
  return expected_stream_gain(*last, routine.precision(), stream_rates({}, *last));
}

std::optional<Reason> Engine::why_never_stream(Precision precision) const {
  const PlanRequest wanted = request();
  if (state_->in_child()) return Reason::forked_child;
  if (wanted.strategy == Strategy::cpu) return Reason::cpu_asked_for;
  if (state_->gpu_is_unavailable()) return state_->why_unavailable();
  if (wanted.insists_on_gpu()) return std::nullopt;
  const MachineState* machine_state = state_->machine.found();
  const PlanMachine* facts =
      machine_state != nullptr ? &machine_state->facts : state_->machine.as_last_opened();
  if (facts == nullptr) return Reason::device_not_known;
  if (const auto why = duoblas::why_never_stream(*facts, precision)) return why;
  return state_->knows_streams(facts) ? std::nullopt : std::optional(Reason::untuned);
}

double Engine::smallest_bytes(Precision precision) const {
  if (why_never_stream(precision)) return std::numeric_limits<double>::infinity();
  return insists_on_gpu() ? 0 : smallest_stream_bytes;
}

void Engine::require_on_cpu(const StreamRoutine& routine, const Plan& plan) {
  routine.require(cpu(), plan.cpu);
}

Plan Engine::cpu_alone(Precision precision, Reason reason) const {
  return cpu_plan(state_->all_cores(precision), reason);
}

bool Engine::has_program(const StreamRoutine& routine) {
  GpuSide* const side = gpu();
  return side == nullptr || has(*side, routine.programs(*side), Wanted::but_spare);
}

bool Engine::finds_program(const StreamRoutine& routine) {
  GpuSide* const side = gpu();
  return side == nullptr || !state_->waits_for_program(*side, routine);
}

bool Engine::State::waits_for_program(GpuSide& gpu, const StreamRoutine& routine) noexcept {
  return waits_for_kernels([&] {
    std::vector<TriedProgram> programs = routine.programs(gpu);
    if (has(gpu, programs, Wanted::all)) return false;
    const bool waits = !has(gpu, programs, Wanted::but_spare);
    build_programs(gpu, std::move(programs));
    return waits;
  });
}

void Engine::State::build_programs(GpuSide& gpu, std::vector<TriedProgram>&& programs) noexcept {
  build_in_background(gpu, [programs = std::move(programs)](GpuSide& side) {
    try {
      side.device()->kernels.prepare(programs);
      return true;
    } catch (const std::exception&) {
      return false;  // calls find it out of use, or try again
    }
  });
}

// Whether the rates are measured or learned.
bool Engine::State::knows_streams(const PlanMachine* facts) const {
  return adapts() || (facts != nullptr && stream_rates({}, *facts).measured);
}

bool Engine::State::are_refused(GpuSide& gpu, const StreamRoutine& routine) {
  const KernelCache& kernels = gpu.device()->kernels;
  const auto any_is = [&] {
    return kernels.has_refused() &&
           std::ranges::any_of(routine.programs(gpu), [&](const TriedProgram& tried) {
             return !tried.is_spare && kernels.refuses(tried.number);
           });
  };
  if (!any_is()) return false;
  routine.forget_choice(gpu);
  return any_is();
}

void Engine::State::note_wrong(GpuSide& gpu, const StreamRoutine& routine,
                               const std::vector<TriedProgram>& computed,
                               const std::string& failure) {
  for (const TriedProgram& tried : computed) gpu.device()->kernels.convict(tried, failure);
  wrong_kernels.fetch_add(1);
  routine.forget_choice(gpu);
  char line[600];
  std::snprintf(line, sizeof line,
                "%.100s on %s: %.300s. The CPU computed it again, and %s. Earlier results of this "
                "kernel that were not checked may be wrong (DUOBLAS_CHECK=always checks every one)",
                routine.text().c_str(), gpu.info().name.c_str(), failure.c_str(),
                is_distrusted() ? "computes everything from now on"
                                : "this kernel is not used any more in this process");
  logger.wrong_result(line);
}

}  // namespace duoblas
