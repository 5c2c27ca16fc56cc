// The things that an engine makes before a call needs them: kernels, transfers, copies of operands.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <duoblas/error.hpp>

#include "engine/caller_blas.hpp"
#include "engine/decided_products.hpp"
#include "engine/engine_state.hpp"
#include "engine/learned_parts.hpp"
#include "facts/rates.hpp"
#include "gpu/lapack/factors_on_device.hpp"
#include "opencl/cache_file.hpp"
#include "opencl/compile_apart.hpp"
#include "opencl/driver_quirks.hpp"
#include "problem/inverse_routines.hpp"

namespace duoblas {
namespace {

// Correct also if the plan covers only some of C's rows.
GemmProblem gpu_part(const GemmProblem& problem, const Plan& plan) {
  return partition(plan.parts(problem).gpu, plan.axis, plan.gpu_extent).gpu;
}

// Whether there are plans in which the device works on copies of the operands.
bool may_copy(const PlanMachine& machine, Precision precision) {
  if (copies(machine.sharing)) return true;
  return machine.profile && std::ranges::any_of(machine.profile->points, [&](const auto& point) {
           return point.precision == precision &&
                  (copies(point.gpu.sharing) || copies(point.hybrid.sharing));
         });
}

// Everything that the times of calls depend on.
std::string key_of_learned(const Settings& settings, const ProfileKey& key,
                           const PlanMachine& facts) {
  std::string others;
  for (const std::string& part :
       {key.cpu, std::to_string(key.standin), settings.cpu_blas, settings.cpu_cores,
        std::to_string(static_cast<int>(settings.math)), usual_caller_blas()})
    others += '\n' + part;
  return to_text({learned_version(), key.device, key.driver,
                  cl::cache_file_name(facts.profile ? to_json(*facts.profile) : std::string()),
                  cl::cache_file_name(others)});
}

// What a first check takes longer than a call without: to keep old values in new memory, and to
// compare.
double seconds_of_keeping(Precision precision, std::int64_t rows, std::int64_t columns,
                          int threads) {
  return rates::seconds_of_keeping_a_byte / std::clamp(threads, 1, rates::most_threads_that_keep) *
         static_cast<double>(footprint(precision, rows, columns, columns));
}

}  // namespace

void Engine::recall() {
  const MachineState& machine_state = state_->open();
  if (!state_->adapts() || !machine_state.facts.has_gpu) return;
  try {
    state_->recall_on(machine_state);
  } catch (const std::bad_alloc&) {
    // This call does without, and the next one tries again.
  }
}

// It may be done again after it has failed half-way.
void Engine::State::recall_on(const MachineState& machine_state) {
  const std::lock_guard guard(recalling);
  if (has_recalled.load(std::memory_order_relaxed)) return;
  const ProfileKey key = machine.profile_key(machine_state);
  if (!learned_file)
    learned_file = std::make_unique<LearnedFile>(
        settings.cache_dir, key_of_learned(settings, key, machine_state.facts),
        key.device + '\n' + key.driver + '\n' + machine_state.gpu->info().pci_address);
  const LearnedParts known = learned_parts_from(learned_file->load()).value_or(LearnedParts());
  level3_selector.restore(known.variants);
  lapack_selector.restore(known.lapack);
  const auto store_now = [this] {
    return !learned_file->is_shared() &&
           learned_file->store(
               to_bytes({learner.kept(), level3_selector.kept(), lapack_selector.kept()}));
  };
  const auto store = [this, store_now] { give(store_now); };
  lapack_selector.tell(store, store_now);
  learner.begin_with(known.calls, machine_state.facts.match < ProfileMatch::device, store);
  has_recalled.store(true, std::memory_order_release);
}

std::shared_ptr<const ResidentMatrix> Engine::make_resident(const HostRect& matrix,
                                                            Precision precision) {
  if (matrix.span() == 0 || state_->in_child() || state_->gpu_is_unavailable() ||
      state_->request().strategy == Strategy::cpu)
    return nullptr;
  GpuSide* side = gpu();
  if (side == nullptr || std::isinf(smallest_gemm_flops(precision)) ||
      !may_copy(machine(), precision))
    return nullptr;
  const ForkGuard no_fork;
  try {
    return side->make_resident(matrix);
  } catch (const DeviceError&) {
    return nullptr;  // the products then do without
  }
}

GpuSide* Engine::opened_gpu() const {
  const MachineState* const found = state_->in_child() ? nullptr : state_->machine.found();
  return found == nullptr ? nullptr : found->gpu.get();
}

bool Engine::has_kernels(const GemmProblem& problem, const Plan& plan) const {
  const GpuSide* const side = opened_gpu();
  if (plan.strategy == Strategy::cpu || side == nullptr) return true;
  return side->has_kernels(gpu_part(problem, plan), plan.kernel, plan.sharing);
}

// A result that arrives through page-locked memory is checked before it is copied to C.
double Engine::seconds_of_first_check(const GemmProblem& problem, const Plan& plan) const noexcept {
  if (problem.overwrites_c() || !plan.uses_gpu() || plan.sharing != SharingMode::host_pointer)
    return 0;
  const GemmProblem part = gpu_part(problem, plan);
  if (!state_->checks.is_new(part, plan.kernel)) return 0;
  return seconds_of_keeping(part.precision, part.m, part.n, state_->checks.threads().threads);
}

double Engine::seconds_of_first_check(const DeviceCall& call) const noexcept {
  const Level3Problem& p = call.problem;
  if (!needs_old_c(p) || !state_->checks.is_new(p, call.plan.kernel)) return 0;
  return seconds_of_keeping(p.precision, stored_c(p).rows, p.n, state_->checks.threads().threads);
}

double Engine::seconds_of_first_check(const DeviceFactorisation& call) const noexcept {
  const LapackProblem& p = call.problem;
  if (!state_->checks.is_new(p, call.plan.kernel)) return 0;
  const double longer = inverts(p.routine) ? rates::checked_inverse_over_keeping : 1;
  return longer *
         seconds_of_keeping(p.precision, rows_of_matrix(p), p.n, state_->checks.threads().threads);
}

bool Engine::build_pays(double missed) noexcept {
  const double cost =
      build_cost(machine().device.is_cpu, static_cast<int>(cpu().limits().cores.size()));
  return state_->builds.pays(missed, cost);
}

bool Engine::check_pays(double missed, double cost) noexcept {
  return state_->first_checks.pays(missed, cost);
}

namespace {

// What a call gains by its plan; a guess for calls that explore.
double gain_of(const Plan& plan) {
  const double cpu = plan.cpu_only_seconds, guessed = guessed_gain * cpu;
  if (plan.forecast && plan.forecast->explores) return guessed;
  const double best = plan.forecast ? plan.forecast->best_seconds : plan.expected_seconds;
  return best > 0 ? std::max(0.0, cpu - best) : guessed;
}

}  // namespace

// Where nobody learns, or has an estimate, nothing is known of what calls miss.
bool Engine::may_be_paid_for(const Plan& plan) const {
  return plan.uses_gpu() && plan.cpu_only_seconds > 0 && learns() && state_->may_wait_for_kernels();
}

// Nothing is staked while a compiler is at work.
template <typename Build>
Reason Engine::why_not_built_yet(double missed, Build&& build) {
  if (background_work_is_running()) return Reason::kernels_building;
  if (!build_pays(missed)) return Reason::kernels_not_missed;
  build();
  return Reason::kernels_building;
}

namespace {

std::vector<TriedProgram> programs_of(const GpuSide& gpu, const std::vector<CallStep>& steps) {
  std::vector<TriedProgram> programs;
  for (const CallStep& step : steps)
    if (const auto* call = std::get_if<DeviceFactorisation>(&step))
      std::ranges::move(programs_beside_products(*gpu.device(), call->problem, call->width),
                        std::back_inserter(programs));
  return programs;
}

// What cannot be built is the device's to report.
bool need_trial(const GpuSide& gpu, const std::vector<CallStep>& steps) try {
  return std::ranges::any_of(programs_of(gpu, steps), [&](const TriedProgram& tried) {
    return gpu.device()->kernels.needs_trial(tried);
  });
} catch (const DeviceError&) {
  return false;
}

}  // namespace

std::optional<Reason> Engine::why_not_yet(const std::vector<CallStep>& steps, double missed) {
  const GpuSide* const side = opened_gpu();
  if (side == nullptr || !learns() || !state_->may_wait_for_kernels()) return {};
  const auto is_tried = [&](const GemmProblem& p, const Plan& plan) {
    return !plan.uses_gpu() || !side->needs_trials(gpu_part(p, plan), plan.kernel, plan.sharing);
  };
  const auto build = [&] {
    all_products(*this, steps, [&](const GemmProblem& p, const Plan& plan) {
      return !plan.uses_gpu() || finds_kernels(p, plan);
    });
    finds_programs(steps);
  };
  if (!all_products(*this, steps, is_tried) || need_trial(*side, steps))
    return why_not_built_yet(missed, build);
  const double cost = seconds_of_first_checks(*this, steps);
  if (cost > 0 && !check_pays(missed, cost)) return Reason::check_too_long;
  return {};
}

std::optional<Reason> Engine::why_not_yet(const GemmProblem& problem, const Plan& plan) {
  const GpuSide* const side = opened_gpu();
  if (side == nullptr || !may_be_paid_for(plan)) return {};
  if (side->needs_trials(gpu_part(problem, plan), plan.kernel, plan.sharing))
    return why_not_built_yet(gain_of(plan), [&] { finds_kernels(problem, plan); });
  const double cost = seconds_of_first_check(problem, plan);
  if (cost > 0 && !check_pays(gain_of(plan), cost)) return Reason::check_too_long;
  return {};
}

// Its checks keep nothing.
std::optional<Reason> Engine::why_not_yet(const StreamRoutine& routine, const Plan& plan) {
  if (!may_be_paid_for(plan) || has_program(routine)) return {};
  return why_not_built_yet(gain_of(plan), [&] { finds_program(routine); });
}

bool Engine::finds_kernels(const GemmProblem& problem, const Plan& plan) noexcept {
  try {
    if (has_kernels(problem, plan)) return true;
    state_->give([this, problem, plan] { build_kernels_apart(problem, plan); },
                 state_->priority_of_building());
  } catch (const std::bad_alloc&) {
    // A later call will find or build them.
  }
  return false;
}

bool Engine::waits_for_trials(GpuSide& gpu, const GemmProblem& problem, const Plan& plan) noexcept {
  return state_->waits_for_kernels([&] {
    return gpu.needs_trials(gpu_part(problem, plan), plan.kernel, plan.sharing) &&
           !finds_kernels(problem, plan);
  });
}

bool Engine::has_programs(const std::vector<CallStep>& steps) const {
  const GpuSide* const side = opened_gpu();
  return side == nullptr || side->device()->kernels.has_all(programs_of(*side, steps));
}

bool Engine::finds_programs(const std::vector<CallStep>& steps) noexcept {
  try {
    if (has_programs(steps)) return true;
    GpuSide& side = *opened_gpu();  // has_programs() found one
    state_->build_programs(side, programs_of(side, steps));
  } catch (const std::bad_alloc&) {
    // A later call will find or build them.
  }
  return false;
}

void Engine::build_kernels(const GemmProblem& problem, const Plan& plan) noexcept try {
  const ForkGuard no_fork;  // compilers of drivers do not survive one
  GpuSide* const side = opened_gpu();
  if (plan.strategy == Strategy::cpu || side == nullptr || state_->gpu_is_unavailable()) return;
  side->build_kernels(gpu_part(problem, plan), plan.kernel, plan.sharing);
  state_->say_wrong_kernels(*side);
  state_->note_preparation(has_kernels(problem, plan));
} catch (const std::bad_alloc&) {
  // A later call will find or build them.
}

void Engine::build_kernels_apart(const GemmProblem& problem, const Plan& plan) noexcept try {
  const GpuSide* const side = opened_gpu();
  if (side == nullptr) return;
  const ForkGuard no_fork;  // until the compiler's context is gone
  const cl::ScopedCompileApart apart(cl::quirks_of(side->info()).compiler_holds_context);
  build_kernels(problem, plan);
} catch (const std::bad_alloc&) {
  // A later call will find or build them.
}

void Engine::build_transfers(Precision precision) noexcept {
  const ForkGuard no_fork;  // it starts threads, and drivers' page locks are the parent's
  const MachineState* machine_state = state_->in_child() ? nullptr : state_->machine.found();
  if (machine_state == nullptr || machine_state->gpu == nullptr || state_->gpu_is_unavailable())
    return;
  if (may_copy(machine_state->facts, precision)) machine_state->gpu->build_pipeline();
}

}  // namespace duoblas
