// The decision, in the order of a reader's questions: is there anything to do, can the GPU do it,
// what did the user ask for, and what did tuning find?
#include "planner/planner.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "kernel_space/kernel_defaults.hpp"
#include "planner/automatic_plan.hpp"
#include "planner/call_estimate.hpp"
#include "planner/plan_choice.hpp"
#include "planner/strategy_choice.hpp"
#include "planner/untuned_plan.hpp"

namespace duoblas {
namespace {

// The types whose share may replace another's: first the one with the same components, whose rates
// are similar, then the others.
std::array<Precision, 4> substitutes(Precision precision) {
  using enum Precision;
  switch (precision) {
    case s: return {s, c, d, z};
    case d: return {d, z, s, c};
    case c: return {c, s, z, d};
    case z: return {z, d, c, s};
  }
  return {s, d, c, z};
}

Plan forced_plan(const GemmProblem& problem, const PlanMachine& machine, const CallEstimate* tuned,
                 Share split) {
  TunedChoice choice = choice_of(tuned, &TunedPoint::hybrid, problem, machine);
  choice.share = split;
  if (split.gpu_parts <= 0) return on_all_cores(problem, machine, Reason::split_leaves_gpu_nothing);
  Plan plan;
  plan.share = split;
  plan.kernel = choice.kernel;
  plan.sharing = choice.sharing;
  plan.cpu = machine.cpu_for(problem.precision);
  plan.reason = Reason::split_given;
  // One row cannot be split, but its columns can.
  plan.axis = problem.m == 1 && problem.n > 1 ? Axis::columns : Axis::rows;
  const std::int64_t extent = plan.axis == Axis::rows ? problem.m : problem.n;
  plan.gpu_extent = forced_gpu_extent(extent, split);
  if (plan.gpu_extent == 0) return on_all_cores(problem, machine, Reason::split_leaves_gpu_nothing);
  plan.strategy = plan.gpu_extent == extent ? Strategy::gpu : Strategy::hybrid;
  return plan;
}

Reason share_reason(ProfileMatch match) {
  if (match == ProfileMatch::exact) return Reason::both_asked_share_tuned;
  return Reason::both_asked_share_borrowed;
}

// The reason that names whose times the decision rests on.
Reason borrowed_reason(Strategy strategy) {
  switch (strategy) {
    case Strategy::gpu: return Reason::gpu_fastest_same_device;
    case Strategy::hybrid: return Reason::both_fastest_same_device;
    default: return Reason::cpu_fastest_same_device;
  }
}

// Whether hybrid, though asked for, is useless: it takes half as long again as the GPU alone, or
// gains nothing although the CPU has only its least part, a tile or one part of the finest share.
// (Once that least part took the CPU 2.8 times as long as all of n = 8192 took the GPU.)
bool is_no_use(const SplitCall& split_call, const GemmProblem& problem, const CallEstimate& tuned,
               const KernelParams& kernel, double of_gpu) {
  if (!split_call.partition.is_split(problem) || std::isinf(split_call.seconds)) return false;
  const bool rows = split_call.partition.axis == Axis::rows;
  const std::int64_t extent = split_call.partition.extent(problem);
  const std::int64_t least = std::max((extent + finest_share_parts - 1) / finest_share_parts,
                                      rows ? row_tile(kernel) : col_tile(kernel));
  const bool is_least = extent - split_call.partition.gpu_extent <= least;
  const double tolerated = is_least ? 1 - tuned.needed_gain_by_sharing() : 1.5;
  return split_call.seconds > tolerated * of_gpu;
}

Forecast forecast_of(const CallEstimate& tuned, const Plan& plan, const PlanMachine& machine) {
  return tuned.forecast({plan.axis, plan.gpu_extent}, {plan.kernel, plan.sharing, &machine.device});
}

Plan hybrid_plan(const GemmProblem& problem, const PlanMachine& machine, const CallEstimate& tuned,
                 const LearnedTimes* learned) {
  TunedChoice choice = choice_of(&tuned, &TunedPoint::hybrid, problem, machine);
  const SplitCall best =
      best_partition(tuned, choice, problem, gpu_config_of(choice, problem, machine));
  const TunedChoice alone = choice_of(&tuned, &TunedPoint::gpu, problem, machine);
  // What calls showed of one side says little about the GPU alone. And a product that the GPU does
  // alone shows nothing of the CPU: on two busy cores one slow call of the CPU's would decide all
  // later ones.
  const bool are_comparable = !tuned.follows_calls() || learned->has_seen(Timed::gpu_alone);
  const double of_gpu = tuned.gpu_seconds(gpu_config_of(alone, problem, machine));
  const ProfileMatch match = machine.tuned(problem.precision).match;
  const bool may_be_no_use = match >= ProfileMatch::device;
  const bool no_use =
      may_be_no_use && are_comparable && is_no_use(best, problem, tuned, alone.kernel, of_gpu);
  // Nor do calls of both sides show the GPU alone. What is recalled of it may be a call of another
  // process, whose GPU was slow.
  const auto is_due = [&](const Prospect& other, double seconds) {
    return is_try_due(other, seconds, budget_of(learned->allowance));
  };
  const bool may_try = may_be_no_use && learned != nullptr && learned->has_seen(Timed::gpu_alone);
  const bool tries =
      may_try &&
      (no_use ? is_due(estimate_of_both(*learned, best.seconds), of_gpu)
              : is_due(estimate_of_strategy(*learned, Timed::gpu_alone, of_gpu), best.seconds));
  const bool on_gpu = no_use != tries;
  choice.share = best.share;
  Plan plan = on_gpu ? gpu_plan(problem, machine, &tuned, Reason::both_asked_gpu_far_faster)
                     : plan_choice(problem, machine, choice, best.partition, share_reason(match));
  if (learned == nullptr || (!on_gpu && plan.strategy != Strategy::hybrid)) return plan;
  plan.forecast = forecast_of(tuned, plan, machine);
  if (!on_gpu && learned->has_seen(Timed::gpu_side)) plan.reason = Reason::share_follows_times;
  if (!tries) return plan;
  plan.reason = Reason::finding_out;
  plan.forecast->explores = true;
  plan.forecast->best = on_gpu ? Timed::cpu_side : Timed::gpu_alone;
  plan.forecast->best_seconds = on_gpu ? best.seconds : of_gpu;
  return plan;
}

Plan plan_by_speed(const GemmProblem& problem, const PlanMachine& machine,
                   const PlanRequest& request, const CallEstimate* tuned,
                   const LearnedTimes* learned) {
  Plan plan = automatic_plan(problem, machine, tuned, request.split, learned);
  const ProfileMatch match = machine.tuned(problem.precision).match;
  if (tuned && !request.split && match == ProfileMatch::device &&
      plan.reason != Reason::finding_out)
    plan.reason = borrowed_reason(plan.strategy);
  return plan;
}

Plan plan_on_gpu(const GemmProblem& problem, const PlanMachine& machine, const PlanRequest& request,
                 const CallEstimate* tuned, const LearnedTimes* learned) {
  if (request.forces_split()) return forced_plan(problem, machine, tuned, *request.split);
  if (problem.only_scales_c()) return on_all_cores(problem, machine, Reason::only_scales);
  switch (request.strategy) {
    case Strategy::gpu: return gpu_plan(problem, machine, tuned, Reason::gpu_asked_for);
    case Strategy::hybrid:
      return tuned == nullptr ? untuned_plan(problem, machine, learned)
                              : hybrid_plan(problem, machine, *tuned, learned);
    default: return plan_by_speed(problem, machine, request, tuned, learned);
  }
}

/// The tuned estimate of a problem, for the lifetime of this object. Nothing if no such type was
/// tuned.
class TunedEstimate {
 public:
  TunedEstimate(const GemmProblem& problem, const PlanMachine& machine,
                const LearnedTimes* learned = nullptr) {
    const ProfileInUse& known = machine.tuned(problem.precision);
    if (!known.profile) return;
    if (!known.costs) made_here_ = std::make_unique<CostModel>(*known.profile);
    const CostModel& costs = known.costs ? *known.costs : *made_here_;
    if (const ModelGroup* group = tuned_group(costs, problem))
      estimate_.emplace(costs, *group, *known.profile, problem, learned);
  }
  const CallEstimate* get() const { return estimate_ ? &*estimate_ : nullptr; }

 private:
  std::unique_ptr<CostModel> made_here_;  // 12 KB, which a thread's stack may not have
  std::optional<CallEstimate> estimate_;
};

Plan exact_plan(const GemmProblem& problem, const PlanMachine& machine, const PlanRequest& request,
                const LearnedTimes* learned) {
  if (problem.empty()) return on_all_cores(problem, machine, Reason::no_elements);
  if (request.strategy == Strategy::cpu)
    return on_all_cores(problem, machine, Reason::cpu_asked_for);
  if (!machine.has_gpu) return on_all_cores(problem, machine, machine.without_gpu);
  if (!machine.device.multiplies(problem.precision))
    return on_all_cores(problem, machine, Reason::no_double_precision);
  return plan_on_gpu(problem, machine, request, TunedEstimate(problem, machine, learned).get(),
                     learned);
}

std::optional<KernelParams> opt_in_kernel(const GemmProblem& problem, const PlanMachine& machine,
                                          MathMode math) {
  if (math != MathMode::tf32x3) return std::nullopt;
  return tf32x3_kernel(problem, machine.device);
}

// Gives the plan the caller's arithmetic, and a partition near by whose rows of C a driver can
// share. A split that the user gave stays: its results are to be the same wherever C lies.
void fit_to_request(const GemmProblem& problem, const PlanMachine& machine,
                    const PlanRequest& request, Plan& plan) {
  const GemmProblem planned = plan.parts(problem).gpu;
  if (const auto kernel = opt_in_kernel(planned, machine, request.math)) plan.kernel = *kernel;
  if (!request.split && plan.strategy == Strategy::hybrid && plan.axis == Axis::rows &&
      !copies(plan.sharing))
    plan.gpu_extent =
        shareable_rows(planned, plan.gpu_extent, row_tile(plan.kernel), machine.shared_bytes);
}

}  // namespace

Plan make_plan(const GemmProblem& problem, const PlanMachine& machine, const PlanRequest& request,
               const LearnedTimes* learned) {
  Plan plan = exact_plan(problem, machine, request, learned);
  if (plan.strategy != Strategy::cpu) fit_to_request(problem, machine, request, plan);
  return plan;
}

std::optional<Plan> shared_plan(const GemmProblem& problem, const PlanMachine& machine,
                                const PlanRequest& request, const LearnedTimes* learned) {
  const TunedEstimate tuned(problem, machine, learned);
  if (tuned.get() == nullptr || problem.empty() || problem.only_scales_c()) return std::nullopt;
  TunedChoice choice = choice_of(tuned.get(), &TunedPoint::hybrid, problem, machine);
  const SplitCall best =
      best_partition(*tuned.get(), choice, problem, gpu_config_of(choice, problem, machine));
  if (!best.partition.is_split(problem) || !std::isfinite(best.seconds)) return std::nullopt;
  choice.share = best.share;
  Plan plan = plan_choice(problem, machine, choice, best.partition, Reason::both_fastest);
  fit_to_request(problem, machine, request, plan);
  if (plan.strategy != Strategy::hybrid) return std::nullopt;
  plan.expected_seconds = best.seconds;
  plan.cpu_only_seconds = tuned.get()->cpu_seconds();
  return plan;
}

std::optional<Plan> promised_plan(const GemmProblem& problem, const PlanMachine& machine,
                                  const PlanRequest& request, const LearnedTimes& learned) {
  if (problem.empty() || problem.only_scales_c()) return std::nullopt;
  const TunedEstimate promised(problem, machine), tuned(problem, machine, &learned);
  if (promised.get() == nullptr || !promises_gain(problem, machine, *promised.get()))
    return std::nullopt;
  const TunedChoice alone = choice_of(tuned.get(), &TunedPoint::gpu, problem, machine);
  Plan plan = gpu_plan(problem, machine, tuned.get(), Reason::gpu_fastest);
  fit_to_request(problem, machine, request, plan);
  plan.expected_seconds = learned.excess_of(Timed::gpu_alone) *
                          tuned.get()->gpu_seconds(gpu_config_of(alone, problem, machine));
  plan.cpu_only_seconds = tuned.get()->cpu_seconds();
  return plan;
}

KernelParams gpu_kernel(const GemmProblem& problem, const PlanMachine& machine, MathMode math) {
  if (const auto kernel = opt_in_kernel(problem, machine, math)) return *kernel;
  const auto& profile = machine.tuned(problem.precision).profile;
  const TunedPoint* tuned = profile ? nearest_point(*profile, problem) : nullptr;
  if (tuned == nullptr) return built_in_kernel(KernelUse::resident, problem, machine.device);
  const KernelParams planned = adapted_choice(tuned->gpu, *tuned, problem, machine).kernel;
  return kernel_of_use(KernelUse::resident, planned, problem, machine);
}

const ModelGroup* tuned_group(const CostModel& costs, const GemmProblem& problem) {
  for (const Precision precision : substitutes(problem.precision))
    if (const ModelGroup* group = costs.group(precision, problem.op_a, problem.op_b)) return group;
  return nullptr;
}

Forecast forecast_on_gpu(const GemmProblem& problem, const PlanMachine& machine) {
  const TunedEstimate tuned(problem, machine);
  if (tuned.get() == nullptr) return untuned_forecast(problem, {Axis::rows, problem.m});
  const Plan plan = gpu_plan(problem, machine, tuned.get(), Reason::gpu_fastest);
  return forecast_of(*tuned.get(), plan, machine);
}

double estimated_cpu_seconds(const GemmProblem& problem, const PlanMachine& machine) {
  if (problem.empty() || problem.only_scales_c()) return 0;
  const TunedEstimate tuned(problem, machine);
  const double seconds = tuned.get() == nullptr ? 0 : tuned.get()->cpu_seconds();
  return std::isfinite(seconds) ? seconds : 0;
}

}  // namespace duoblas
