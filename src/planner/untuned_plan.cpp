#include "planner/untuned_plan.hpp"

#include <algorithm>
#include <cmath>

#include "facts/rates.hpp"
#include "kernel_space/kernel_defaults.hpp"
#include "planner/plan_choice.hpp"
#include "planner/strategy_choice.hpp"

namespace duoblas {
namespace {

// Any rate would do, because the ratio of the sides' times does not depend on it.
double untuned_seconds(const LearnedTimes& learned, Timed what, double flops_of_it) {
  return std::exp(learned.of(what).mean) * flops_of_it / rates::flops_per_second_of_core;
}

// The split that leaves the slower side least; one side has all where there is none.
PlannedPartition least_split(const GemmProblem& problem, const KernelParams& kernel, Share share) {
  const int step = 2 * share.gpu_parts > share.parts ? -1 : 1;
  for (; share.gpu_parts > 0 && share.gpu_parts < share.parts; share.gpu_parts += step)
    if (const auto at = planned_partition(problem, kernel, share); at.is_split(problem)) return at;
  return planned_partition(problem, kernel, share);
}

// Of all of C by one side.
double alone_seconds(const GemmProblem& problem, Timed alone, const LearnedTimes& learned) {
  const Timed beside = alone == Timed::gpu_alone ? Timed::gpu_side : Timed::cpu_side;
  return untuned_seconds(learned, learned.has_seen(alone) ? alone : beside, flops(problem));
}

Prospect estimate_of_split(const GemmProblem& problem, const PlannedPartition& both,
                           const LearnedTimes& learned) {
  const PartitionedProblem parts = partition(problem, both.axis, both.gpu_extent);
  return estimate_of_both(learned,
                          std::max(untuned_seconds(learned, Timed::gpu_side, flops(parts.gpu)),
                                   untuned_seconds(learned, Timed::cpu_side, flops(parts.cpu))));
}

}  // namespace

Forecast untuned_forecast(const GemmProblem& problem, const PlannedPartition& at) {
  const PartitionedProblem parts = partition(problem, at.axis, at.gpu_extent);
  Forecast forecast;
  const auto set = [&](Timed what, const GemmProblem& part) {
    forecast.modelled[place_of(what)] = flops(part) / rates::flops_per_second_of_core;
  };
  if (at.is_split(problem)) {
    set(Timed::gpu_side, parts.gpu);
    set(Timed::cpu_side, parts.cpu);
  } else if (at.gpu_extent > 0) {
    set(Timed::gpu_alone, problem);
  } else {
    set(Timed::cpu_all, problem);
  }
  return forecast;
}

Plan untuned_plan(const GemmProblem& problem, const PlanMachine& machine,
                  const LearnedTimes* learned) {
  TunedChoice choice = untuned_choice(problem.precision, machine);
  choice.kernel = built_in_kernel(KernelUse::call, problem, machine.device);
  Reason reason = Reason::both_asked_untuned;
  if (learned != nullptr && learned->has_seen(Timed::gpu_side)) {
    const double odds =
        std::exp(learned->of(Timed::cpu_side).mean - learned->of(Timed::gpu_side).mean);
    const auto parts = std::lround(finest_share_parts * odds / (1 + odds));
    choice.share = {std::clamp(static_cast<int>(parts), 1, finest_share_parts - 1),
                    finest_share_parts};
    reason = Reason::share_follows_times;
  }
  PlannedPartition partition = planned_partition(problem, choice.kernel, choice.share);
  const bool is_split = partition.is_split(problem);
  if (learned == nullptr || !(is_split || learned->has_seen(Timed::gpu_side)))
    return plan_choice(problem, machine, choice, partition, reason);
  // Both sides may be tried with a part of C, although the share rounds to one side alone.
  const Timed alone = partition.gpu_extent > 0 ? Timed::gpu_alone : Timed::cpu_all;
  const double of_one = alone_seconds(problem, alone, *learned);
  const PlannedPartition both = least_split(problem, choice.kernel, choice.share);
  const bool tries =
      !is_split && both.is_split(problem) &&
      is_try_due(estimate_of_split(problem, both, *learned), of_one, budget_of(learned->allowance));
  if (tries) {
    partition = both;
    reason = Reason::finding_out;
  }
  Plan plan = plan_choice(problem, machine, choice, partition, reason);
  plan.forecast = untuned_forecast(problem, partition);
  plan.forecast->explores = tries;
  if (tries) {
    plan.forecast->best = alone;
    plan.forecast->best_seconds = of_one;
  }
  return plan;
}

}  // namespace duoblas
