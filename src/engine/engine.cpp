#include "engine/engine.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "engine/engine_state.hpp"
#include "memory/registered_memory.hpp"
#include "profile/profile_part.hpp"

namespace duoblas {

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
    : state_(std::make_unique<EngineState>(std::move(settings), pauses)) {}

// OpenCL objects must not be released in a forked child: the driver's threads are not there.
Engine::~Engine() {
  if (fork_generation() != state_->born_in)
    (void)state_.release();
  else
    state_->end_life();
}

ResultChecks& Engine::checks() const {
  return state_->checks;
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

const PlanMachine& Engine::machine() {
  return state_->open().facts;
}

std::string MachineFacts::gpu_problem() {
  return engine_.open().gpu_problem;
}

std::string MachineFacts::passed_over() {
  return engine_.open().passed_over;
}

std::string MachineFacts::profile_problem() {
  return engine_.open().profile_problem;
}

std::string MachineFacts::tuning_advice() {
  const MachineState* found = engine_.machine.found();
  const PlanMachine* facts = found != nullptr ? &found->facts : engine_.machine.as_last_opened();
  return facts != nullptr && facts->has_gpu ? duoblas::tuning_advice(*facts) : "";
}

std::string MachineFacts::of_rank() {
  const MachineState* const found = engine_.machine.found();
  if (found == nullptr) return "no call was large enough for a device";
  if (found->gpu == nullptr) return "no device: " + found->gpu_problem;
  const cl::DeviceInfo& device = found->gpu->info();
  std::string text = "device " + std::to_string(device.index) + ", " + device.name;
  if (found->sharers > 1)
    text += ", which up to " + std::to_string(found->sharers) + " ranks share";
  text += "; " + std::to_string(engine_.machine.cpu().limits().threads) + " of the cores; ";
  std::string digests;
  for (const Arithmetic arithmetic : arithmetics_of(found->facts.device))
    if (const auto& tuned = found->facts.tuned(arithmetic); tuned.profile)
      digests += (digests.empty() ? "plans of profile " : " and ") + profile_digest(*tuned.profile);
  return text + (digests.empty() ? "no profile" : digests);
}

ProfileKey MachineFacts::profile_key(Arithmetic arithmetic) {
  ProfileKey key = engine_.machine.profile_key(engine_.open());
  key.arithmetic = arithmetic;
  return key;
}

ProfileOrigin MachineFacts::profile_origin() {
  return engine_.machine.profile_origin(engine_.open());
}

void MachineFacts::adopt(const Profile& profile) {
  engine_.open();
  engine_.machine.adopt(profile);
  if (!EngineState::in_child()) engine_.learning.learner().start_again();
}

Decision Engine::decide(const GemmProblem& problem) {
  Decision decision{Who::cpu, Reason::none, {}, state_->plans.of(problem), {}};
  decision.follow_plan();
  return decision;
}

// The CPU's time is learned by the way, but not beside a compiler.
Outcome Engine::run(const GemmProblem& problem, const ResidentOperands& resident) {
  Decision decision = decide(problem);
  if (const auto why = state_->why_not(Launches(problem, decision.plan), decision.plan)) {
    Plan alone = cpu_plan(machine().cpu_all_for(problem.precision), *why);
    alone.expected_seconds = alone.cpu_only_seconds = decision.plan.cpu_only_seconds;
    if (*why != Reason::kernels_building) alone.forecast = decision.plan.forecast;
    if (alone.forecast) alone.forecast->explores = false;
    decision.plan = std::move(alone);
  }
  return carry_out(problem, std::move(decision), resident);
}

Outcome EngineState::carry_out(const GemmProblem& problem, Plan&& plan,
                               const ResidentOperands& resident, Manner manner) {
  Outcome outcome;
  outcome.products = 1;
  outcome.plan = std::move(plan);
  if (problem.empty()) return outcome;
  Admission device;
  carry_out(problem, outcome, resident, manner, device, true);
  return outcome;
}

Outcome Engine::carry_out(const GemmProblem& problem, Decision&& decision,
                          const ResidentOperands& resident) {
  Outcome outcome = state_->carry_out(problem, std::move(decision.plan), resident, Manner::decided);
  if (!problem.empty()) state_->logger.call(problem, outcome);
  return outcome;
}

Outcome Engine::carry_out(const PlannedProduct& product) {
  return state_->carry_out(product.problem, Plan(product.plan), {}, Manner::told);
}

Outcome Engine::run(const GemmProblem& problem, const Plan& plan,
                    const ResidentOperands& resident) {
  Outcome outcome = state_->carry_out(problem, Plan(plan), resident, Manner::told);
  if (!problem.empty()) state_->logger.call(problem, outcome);
  return outcome;
}

Logger& Engine::log() const {
  return state_->logger;
}

MachineFacts& Engine::facts() const {
  return state_->facts;
}

Plans& Engine::plans() const {
  return state_->plans;
}

Learning& Engine::learning() const {
  return state_->learning;
}

DeviceJobs& Engine::jobs() const {
  return state_->jobs;
}

Readiness& Engine::readiness() const {
  return state_->readiness;
}

Outlays& Engine::outlays() const {
  return state_->outlays;
}

std::optional<Reason> EngineState::why_not(const Launches& launches, const Plan& plan) {
  if (!plan.uses_gpu() || plan.cpu_only_seconds <= 0) return {};
  const auto missed = [&] { return estimate_of(plan).gain(); };
  return readiness.why_not(launches, Patience::for_disk, std::cref(missed));
}

bool may_copy(const PlanMachine& machine, Precision precision) {
  if (copies(machine.sharing)) return true;
  const auto& profile = machine.tuned(precision).profile;
  return profile && std::ranges::any_of(profile->points, [&](const auto& point) {
           return point.precision == precision &&
                  (copies(point.gpu.sharing) || copies(point.hybrid.sharing));
         });
}

}  // namespace duoblas
