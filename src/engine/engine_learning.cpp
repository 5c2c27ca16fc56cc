// How an engine uses what calls showed to plan the next ones.
#include <algorithm>
#include <atomic>
#include <optional>
#include <utility>

#include "engine/background_work.hpp"
#include "engine/engine_state.hpp"
#include "engine/known_plans.hpp"
#include "planner/kernel_of_use.hpp"

namespace duoblas {

CallTimes call_times(const Outcome& outcome) {
  const Strategy did = outcome.plan.strategy;
  const SideTimes& times = outcome.times;
  CallTimes took;
  took.whole = times.whole;
  const auto set = [&took](Timed what, double seconds) { took.seconds[place_of(what)] = seconds; };
  if (did == Strategy::cpu) {
    set(Timed::cpu_all, times.whole);
  } else if (did == Strategy::gpu) {
    set(Timed::gpu_alone, times.whole);
  } else {
    set(Timed::gpu_side, times.gpu);
    set(Timed::cpu_side, times.cpu);
    took.gpu_at_most = times.gpu_at_most;
  }
  return took;
}

Plan Engine::planned(const GemmProblem& problem, const PlanMachine& facts,
                     const PlanRequest& wanted) {
  if (!state_->adapts()) return make_plan(problem, facts, wanted);
  if (!state_->has_recalled.load(std::memory_order_acquire)) recall();
  Circumstances now = state_->learner.circumstances();
  // What is kept belongs to the arithmetic of the settings.
  if (wanted.math != state_->settings.math) now.unusual ^= 1 + static_cast<unsigned>(wanted.math);
  const PlanKey key = plan_key(problem, facts, wanted, now, state_->learner.changes());
  if (const Plan* known = known_plan(key)) return *known;
  const CallKind kind = kind_of(problem, now);
  const LearnedTimes learned = state_->learned(kind, facts);
  Plan plan = make_plan(problem, facts, wanted, &learned);
  if (plan.forecast) plan.forecast->kind = kind;
  if (plan.forecast && plan.forecast->is_settled) keep_plan(key, plan);
  return plan;
}

namespace {

bool is_by_times(Reason reason) {
  return reason == Reason::cpu_fastest || reason == Reason::cpu_fastest_same_device;
}

}  // namespace

Plan Engine::plan_of_lapack(const GemmProblem& problem, const std::optional<GemmProblem>& narrow) {
  const auto as_product = [&]() -> Plan {
    Plan usual = exact_plan(problem);
    if (!is_by_times(usual.reason) || !request().chooses_by_speed() || !state_->adapts())
      return usual;
    const PlanMachine& facts = machine();
    const LearnedTimes learned =
        state_->learned(kind_of(problem, state_->learner.circumstances()), facts);
    std::optional<Plan> promised =
        promised_plan(problem, facts, request().in_exact_arithmetic(), learned);
    const auto kernel = promised
                            ? state_->open().gpu->launchable(promised->kernel, problem.precision)
                            : std::optional<KernelParams>();
    if (!kernel) return usual;
    promised->kernel = *kernel;
    return *promised;
  };
  Plan plan = as_product();
  if (!plan.uses_gpu()) return plan;
  KernelParams wanted = kernel_of_use(KernelUse::update, plan.kernel, problem, machine());
  if (narrow) wanted = kernel_of_use(KernelUse::narrow_update, wanted, *narrow, machine());
  if (wanted == plan.kernel) return plan;
  const auto& gpu = state_->open().gpu;
  const auto kernel = gpu ? gpu->launchable(wanted, problem.precision) : std::nullopt;
  // Where none with matrix instructions may be used, the plan's own is better than a built-in one.
  if (kernel && (*kernel == wanted || kernel->matrix != MatrixUnit::none)) plan.kernel = *kernel;
  return plan;
}

// Seconds of the CPU alone. For less no step is worth its two plans, of 2 us each.
constexpr double least_beside_work = 1e-4;

Plan Engine::plan_beside_work(const GemmProblem& problem) {
  Plan usual = plan(problem);
  if (!is_by_times(usual.reason) || !request().chooses_by_speed()) return usual;
  const PlanMachine& facts = machine();
  if (copies(facts.sharing)) return usual;  // then every plan copies (adapted_choice)
  std::optional<LearnedTimes> learned;
  if (state_->adapts())
    learned = state_->learned(kind_of(problem, state_->learner.circumstances()), facts);
  std::optional<Plan> both = shared_plan(problem, facts, request(), learned ? &*learned : nullptr);
  const bool is_worth_it =
      both && !copies(both->sharing) && both->cpu_only_seconds > least_beside_work &&
      both->expected_seconds < LapackSelector::worth_a_try * both->cpu_only_seconds;
  const auto kernel =
      is_worth_it ? state_->open().gpu->launchable(both->kernel, problem.precision) : std::nullopt;
  if (!kernel) return usual;
  both->kernel = *kernel;
  return *both;
}

std::optional<double> Engine::promised_gain(const GemmProblem& problem) {
  const PlanMachine* last = state_->machine.as_last_opened();
  if (last == nullptr) return std::nullopt;
  if (!last->profile) return 0;  // nothing is expected of the device, and the CPU computes
  if (last->match < ProfileMatch::device) return std::nullopt;
  const Plan plan = make_plan(problem, *last, request());
  if (plan.strategy == Strategy::cpu) return 0;
  if (!(plan.cpu_only_seconds > 0 && plan.expected_seconds > 0)) return std::nullopt;
  return std::max(0.0, 1 - plan.expected_seconds / plan.cpu_only_seconds);
}

bool Engine::learns() const {
  return state_->adapts();
}

LearnedTimes Engine::learned(const CallKind& kind) {
  if (!state_->has_recalled.load(std::memory_order_acquire)) recall();
  return state_->learned(kind, machine());
}

CallLearner& Engine::learner() {
  return state_->learner;
}

// The rows of C that the plan covers, then the others. `took`: the times of the first part.
Outcome Engine::compute_parts(const GemmProblem& problem, Plan&& plan,
                              const ResidentOperands& resident, bool as_told, CallTimes* took) {
  const auto [first, others] = plan.parts(problem);
  Outcome outcome = compute(first, std::move(plan), resident, as_told);
  if (took != nullptr) *took = call_times(outcome);
  if (others.empty()) return outcome;
  const SideTimes rest = cpu_gemm(cpu(), others, machine().cpu_all_for(problem.precision));
  outcome.times.cpu += rest.whole;
  outcome.times.whole += rest.whole;
  if (outcome.seconds_won) *outcome.seconds_won -= rest.whole;
  return outcome;
}

// The times of calls that were carried out as decided are evidence for later ones.
Outcome Engine::compute_and_learn(const GemmProblem& problem, Plan&& plan,
                                  const ResidentOperands& resident) {
  if (!plan.forecast) return compute_parts(problem, std::move(plan), resident, false, nullptr);
  const Forecast forecast =
      plan.entry_rows > 0 ? *plan.of_first_part(problem).forecast : *plan.forecast;
  const Strategy decided = plan.strategy;
  const double expected = plan.expected_seconds;
  // Waiting for kernels, for memory that a driver allocates, or for threads of the CPU BLAS is part
  // of starting: it says nothing about later calls. With a GPU 0.65 s of a first call kept all of
  // 80 shapes on the CPU. On two cores, 33 ms for kernels that PoCL had cached kept whole classes
  // there, and 6 ms for OpenBLAS were a third of the budget (bench_planner_regret --calls 6).
  bool starts = decided == Strategy::cpu ? !state_->cpu_alone_has_run.exchange(true)
                                         : !state_->gpu_has_run.load();
  bool beside_compiler = background_work_is_running();
  CallLearner::Scope scope(state_->learner);
  CallTimes took;
  Outcome outcome = compute_parts(problem, std::move(plan), resident, false, &took);
  beside_compiler = beside_compiler || background_work_is_running();
  const bool as_decided = outcome.plan.strategy == decided && !outcome.recovered;
  // While a driver compiles for one thread, others wait: calls of 4 ms took 0.14 to 0.2 s each,
  // which says nothing about later ones. The compiler takes a core as well.
  const bool waited = beside_compiler && expected > 0 && outcome.times.whole > expected;
  starts = starts || (outcome.waited_for_kernels && !beside_compiler);
  if (!as_decided || outcome.check_in_times || outcome.waited_for_memory || starts) return outcome;
  if (waited)
    state_->learner.note_waiting(forecast, took.whole);
  else
    scope.note(forecast, took);
  return outcome;
}

}  // namespace duoblas
