#include "engine/engine.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <utility>

#include <duoblas/error.hpp>

#include "engine/background_work.hpp"
#include "engine/engine_state.hpp"
#include "engine/known_plans.hpp"
#include "memory/registered_memory.hpp"
#include "opencl/status_class.hpp"
#include "problem/host_rect.hpp"
#include "problem/partition.hpp"

namespace duoblas {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

bool any_registered(const GemmProblem& p) {
  const auto registered = [](const HostRect& r) { return is_registered(r.data, r.span()); };
  return registered(rect_of_a(p)) || registered(rect_of_b(p)) || registered(rect_of_c(p));
}

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

}  // namespace

// A fork waits for the engine's work, which may look into the registry of host memory. The
// registry's fork handlers keep it locked, so they must run after ours, and therefore be registered
// before.
void watch_forks_after_memory() {
  static constinit std::atomic_flag registered;
  if (!registered.test_and_set()) {
    registered_block_of(nullptr, 0);
    watch_forks_before_others();
  }
  watch_forks();
}

Engine::Engine(Settings settings, const RetryPauses& pauses)
    : state_(std::make_unique<State>(std::move(settings), pauses)) {}

// OpenCL objects must not be released in a forked child: the driver's threads are not there.
Engine::~Engine() {
  if (fork_generation() != state_->born_in)
    (void)state_.release();
  else
    state_->end_life();
}

void Engine::set_split(std::optional<Share> split) {
  state_->split.store(split ? pack(*split) : no_split, std::memory_order_relaxed);
}

void Engine::set_math(MathMode math) {
  state_->math.store(math, std::memory_order_relaxed);
}

void Engine::set_check(CheckMode check) {
  state_->checks.set_mode(check);
  state_->stream_checks.set_mode(check);
}

CheckCounts Engine::checks() const {
  return state_->checks.counts();
}

const Settings& Engine::settings() const {
  return state_->settings;
}

CpuSide& Engine::cpu() {
  return state_->machine.cpu();
}

GpuSide* Engine::gpu() {
  return state_->open().gpu.get();
}

std::string Engine::gpu_problem() {
  return state_->open().gpu_problem;
}

std::string Engine::passed_over() {
  return state_->open().passed_over;
}

const PlanMachine& Engine::machine() {
  return state_->open().facts;
}

ProfileKey Engine::profile_key() {
  return state_->machine.profile_key(state_->open());
}

ProfileOrigin Engine::profile_origin() {
  return state_->machine.profile_origin(state_->open());
}

void Engine::adopt(const Profile& profile) {
  state_->open();
  state_->machine.adopt(profile);
  if (!state_->in_child()) state_->learner.start_again();
}

std::string Engine::profile_problem() {
  return state_->open().profile_problem;
}

Decision Engine::decide(const GemmProblem& problem) {
  Decision decision{Who::cpu, Reason::none, {}, plan(problem), {}, {}};
  decision.who = who_of(decision.plan.strategy);
  decision.reason = decision.plan.reason;
  decision.estimate.cpu_seconds = decision.plan.cpu_only_seconds;
  return decision;
}

Plan Engine::plan(const GemmProblem& problem) {
  return plan(problem, state_->request());
}

Plan Engine::exact_plan(const GemmProblem& problem) {
  return plan(problem, state_->request().in_exact_arithmetic());
}

Plan Engine::plan(const GemmProblem& problem, const PlanRequest& wanted) {
  if (state_->in_child()) return state_->child_plan();
  const CpuConfig& cpu_all = state_->machine.cpu_all();
  if (wanted.strategy == Strategy::cpu) return cpu_plan(cpu_all, Reason::cpu_asked_for);
  if (wanted.strategy == Strategy::automatic && flops(problem) < DUOBLAS_SMALLEST_GPU_FLOPS) {
    return cpu_plan(cpu_all, Reason::too_small);
  }
  const PlanMachine& facts = state_->open().facts;
  if (state_->gpu_is_unavailable()) {
    return cpu_plan(facts.cpu_all_for(problem.precision), state_->why_unavailable());
  }
  if (wanted.math == MathMode::tf32x3) state_->say_if_math_is_missing(facts);
  Plan plan = planned(problem, facts, wanted);
  if (plan.uses_gpu()) {
    const auto kernel = state_->open().gpu->launchable(plan.kernel, problem.precision);
    if (!kernel) return cpu_plan(facts.cpu_all_for(problem.precision), Reason::no_kernel_launches);
    plan.kernel = *kernel;
  }
  if (plan.strategy != Strategy::cpu && plan.sharing == SharingMode::staged &&
      any_registered(problem))
    plan.sharing = SharingMode::pinned;
  return plan;
}

// The CPU's time is learned by the way, but not beside a compiler.
Outcome Engine::run(const GemmProblem& problem, const ResidentOperands& resident) {
  Decision decision = decide(problem);
  if (const auto why = why_not_yet(problem, decision.plan)) {
    Plan alone = cpu_plan(machine().cpu_all_for(problem.precision), *why);
    alone.expected_seconds = alone.cpu_only_seconds = decision.plan.cpu_only_seconds;
    if (*why != Reason::kernels_building) alone.forecast = decision.plan.forecast;
    if (alone.forecast) alone.forecast->explores = false;
    decision.plan = std::move(alone);
  }
  return carry_out(problem, std::move(decision), resident);
}

Outcome Engine::carry_out(const GemmProblem& problem, Decision&& decision,
                          const ResidentOperands& resident) {
  Outcome outcome = compute_and_learn(problem, std::move(decision.plan), resident);
  if (!problem.empty()) state_->logger.call(problem, outcome);
  return outcome;
}

Outcome Engine::carry_out(const GemmProblem& problem, const Decision& decision,
                          const ResidentOperands& resident) {
  return carry_out(problem, Decision(decision), resident);
}

Outcome Engine::carry_out_part(const PlannedProduct& product) {
  return compute_and_learn(product.problem, Plan(product.plan), {});
}

Outcome Engine::run_unseen(const GemmProblem& problem, const Plan& plan) {
  return compute_parts(problem, Plan(plan), {}, true, nullptr);
}

void Engine::explain(const char* text) {
  state_->logger.once(text);
}

Outcome Engine::run(const GemmProblem& problem, const Plan& plan,
                    const ResidentOperands& resident) {
  Outcome outcome = compute_parts(problem, Plan(plan), resident, true, nullptr);
  if (!problem.empty()) state_->logger.call(problem, outcome);
  return outcome;
}

void Engine::say(const Level3Problem& problem, const Decision& decision, const Outcome& outcome) {
  state_->logger.call(problem, decision, outcome);
}

void Engine::run_on_cpu(const Level3Problem& problem) {
  cpu().run(problem, state_->all_cores(problem.precision));
}

void Engine::run_on_cpu(const GemmProblem& problem) {
  cpu().run(problem, state_->all_cores(problem.precision));
}

int Engine::run_on_cpu(const LapackProblem& problem) {
  return cpu().run(problem, state_->all_cores(problem.precision));
}

void Engine::require_on_cpu(Routine routine, Precision precision) {
  cpu().require(routine, precision, state_->all_cores(precision));
}

bool Engine::has_on_cpu(Routine routine, Precision precision) {
  try {
    require_on_cpu(routine, precision);
    return true;
  } catch (const CpuBlasError&) {
    return false;
  }
}

bool Engine::has_on_cpu(LapackRoutine routine, Precision precision) {
  try {
    cpu().require(routine, precision, state_->all_cores(precision));
    return true;
  } catch (const CpuBlasError&) {
    return false;
  }
}

PlanRequest Engine::request() const {
  return state_->request();
}

bool Engine::insists_on_gpu() const {
  return !state_->in_child() && state_->request().insists_on_gpu();
}

std::optional<Reason> Engine::why_never_gpu(Precision precision) const {
  return state_->why_never_gpu(precision);
}

double Engine::estimated_cpu_seconds(const GemmProblem& problem) const {
  const MachineState* machine_state = state_->in_child() ? nullptr : state_->machine.found();
  return machine_state == nullptr ? 0
                                  : duoblas::estimated_cpu_seconds(problem, machine_state->facts);
}

double Engine::smallest_gemm_flops(Precision precision) const {
  if (state_->why_never_gpu(precision)) return never;
  if (state_->request().insists_on_gpu()) return 0;
  const MachineState* machine_state = state_->machine.found();
  if (machine_state == nullptr) return DUOBLAS_SMALLEST_GPU_FLOPS;
  return std::max(DUOBLAS_SMALLEST_GPU_FLOPS,
                  least_automatic_gpu_flops(machine_state->facts, precision));
}

Engine::State::Admission Engine::State::admit(Engine& engine, const Plan& plan) {
  return plan.uses_gpu() ? admit_to_gpu(engine, plan) : Admission{};
}

Engine::State::Admission Engine::State::admit_to_gpu(Engine& engine, const Plan& plan) {
  Admission admission;
  admission.gpu = gpu_is_unavailable() ? nullptr : engine.gpu();
  admission.rests = admission.gpu != nullptr && shortage.rests();
  if (admission.gpu == nullptr || admission.rests) return admission;
  admission.pass = gate.enter(plan, request().insists_on_gpu(), admission.on_cpu);
  // The previous holder of the pass may have lost the device, and another one may be open by now.
  if (admission.pass) admission.gpu = gpu_is_unavailable() ? nullptr : engine.gpu();
  if (admission.gpu == nullptr) admission.pass.reset();
  return admission;
}

void Engine::State::settle(Outcome& outcome, const HybridOutcome& did) {
  const Plan& plan = outcome.plan;
  outcome.times = did.times;
  outcome.check_in_times = did.check_in_times;
  outcome.used_gpu = did.gpu_failure.empty();
  if (outcome.used_gpu) gpu_has_run.store(true);
  outcome.recovered = !outcome.used_gpu;
  if (plan.cpu_only_seconds > 0) outcome.seconds_won = plan.cpu_only_seconds - outcome.times.whole;
  note_failure(outcome, did);
}

void Engine::State::note_failure(Outcome& outcome, const HybridOutcome& did) {
  if (did.gpu_hung) give_up_hung_gpu(did);
  if (outcome.used_gpu) reopening.worked();
  if (!outcome.recovered) return shortage.succeeded();
  outcome.was_shortage = !did.is_wrong() && is_shortage(did);
  outcome.was_declined = did.failed_after_submit && !did.is_wrong() && !did.gpu_hung &&
                         cl::status_class(did.gpu_error_code) == cl::StatusClass::declined;
  if (!did.is_wrong() && device_is_lost(did, shortage)) {
    reopening.lost();
    shortage.succeeded();  // it starts anew
  }
  // C is complete, so printing must not make the call fail; only done if somebody wants to read it.
  if (settings.verbose > 0) logger.once("the CPU did the GPU's part: ", did.gpu_failure);
  outcome.plan.strategy = Strategy::cpu;
  outcome.plan.gpu_extent = 0;
  outcome.plan.reason = did.is_wrong() ? Reason::gpu_was_wrong : Reason::gpu_failed;
}

Outcome Engine::compute(const GemmProblem& problem, Plan&& planned,
                        const ResidentOperands& resident, bool as_told) {
  Outcome outcome;
  outcome.plan = std::move(planned);
  outcome.products = 1;
  Plan& plan = outcome.plan;
  if (problem.empty()) return outcome;
  State::Admission admission = state_->admit(*this, plan);
  GpuSide* const gpu = admission.gpu;
  auto& pass = admission.pass;
  bool has_kernel = true, is_built = true;
  // The steps of a level-3 call were planned before a kernel of the first one was found wrong.
  if (pass && !as_told) {
    const auto kernel = gpu->launchable(plan.kernel, problem.precision);
    has_kernel = kernel.has_value();
    if (has_kernel) plan.kernel = *kernel;
    // A call that asked for nothing waits for no trial.
    if (has_kernel) is_built = !waits_for_trials(*gpu, problem, plan);
  }
  if (!pass || !has_kernel || !is_built) {
    pass.reset();
    if (state_->in_child()) {
      plan = state_->child_plan();
    } else if (plan.strategy != Strategy::cpu) {
      const Reason why = !has_kernel ? Reason::no_kernel_launches
                         : !is_built ? Reason::kernels_building
                                     : admission.why_not();
      plan = cpu_plan(machine().cpu_all_for(problem.precision), why);
    }
    outcome.times = cpu_gemm(cpu(), problem, plan.cpu);
    return outcome;
  }

  const GemmProblem gpu_part = partition(problem, plan.axis, plan.gpu_extent).gpu;
  std::optional<WantedCheck> check = state_->checks.begin(gpu_part, plan.kernel, as_told);
  const unsigned growths = gpu->memory_growths();
  const std::size_t built = gpu->built_kernels();
  const HybridOutcome did =
      hybrid_gemm(*gpu, cpu(), problem, plan, resident, check ? &*check : nullptr);
  if (check && !check->beside && !did.check_in_times)
    outcome.check_seconds = check->check.seconds();
  outcome.waited_for_memory = growths < most_growths && gpu->memory_growths() != growths;
  outcome.waited_for_kernels = gpu->built_kernels() != built;
  check.reset();
  state_->note_check(*gpu, gpu_part, plan, did);
  state_->say_trials(*gpu);
  state_->say_cache_problem(*gpu);
  state_->settle(outcome, did);
  return outcome;
}

}  // namespace duoblas
