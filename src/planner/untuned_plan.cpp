#include "planner/untuned_plan.hpp"

#include <algorithm>
#include <cmath>

#include "kernel_space/kernel_defaults.hpp"
#include "planner/plan_choice.hpp"
#include "planner/strategy_choice.hpp"

namespace duoblas {
namespace {

// Without an estimate: of this rate the sides' ratio does not depend.
constexpr double any_rate = 1e10;

double untuned_seconds(const LearnedTimes& learned, Timed what, double flops_of_it) {
  return std::exp(learned.of(what).mean) * flops_of_it / any_rate;
}

// The split that leaves the slower side least; one side has all where there is none.
PlannedPartition least_split(const GemmProblem& problem, const KernelParams& kernel, Share share) {
  const int step = 2 * share.gpu_parts > share.parts ? -1 : 1;
  for (; share.gpu_parts > 0 && share.gpu_parts < share.parts; share.gpu_parts += step)
    if (const auto at = planned_partition(problem, kernel, share); at.is_split(problem)) return at;
  return planned_partition(problem, kernel, share);
}

}  // namespace

Forecast untuned_forecast(const GemmProblem& problem, const PlannedPartition& at) {
  const PartitionedProblem parts = partition(problem, at.axis, at.gpu_extent);
  Forecast forecast;
  const auto set = [&](Timed what, const GemmProblem& part) {
    forecast.modelled[place_of(what)] = flops(part) / any_rate;
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
  choice.kernel = default_kernel(problem.precision, machine.device, problem.m, problem.n);
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
  bool looks = false;
  double of_one = 0;
  Timed one = Timed::cpu_all;
  if (!is_split) {
    const PlannedPartition both = least_split(problem, choice.kernel, choice.share);
    const bool is_gpu = partition.gpu_extent > 0;
    if (is_gpu) one = Timed::gpu_alone;
    const Timed beside = is_gpu ? Timed::gpu_side : Timed::cpu_side;
    of_one = untuned_seconds(*learned, learned->has_seen(one) ? one : beside, flops(problem));
    const auto parts = duoblas::partition(problem, both.axis, both.gpu_extent);
    looks = both.is_split(problem) &&
            is_look_due(*learned,
                        std::max(untuned_seconds(*learned, Timed::gpu_side, flops(parts.gpu)),
                                 untuned_seconds(*learned, Timed::cpu_side, flops(parts.cpu))),
                        of_one);
    if (looks) partition = both;
  }
  Plan plan =
      plan_choice(problem, machine, choice, partition, looks ? Reason::finding_out : reason);
  plan.forecast = untuned_forecast(problem, partition);
  plan.forecast->explores = looks;
  plan.forecast->best = one;
  plan.forecast->best_seconds = of_one;
  return plan;
}

}  // namespace duoblas
