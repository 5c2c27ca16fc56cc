#include "planner/automatic_plan.hpp"

#include <algorithm>
#include <cmath>

#include "planner/plan_choice.hpp"
#include "planner/point_timings.hpp"
#include "planner/strategy_choice.hpp"

namespace duoblas {
namespace {

// The same if the nearest tuned shape is a factor of e^3 = 20 away along an axis, where the
// estimate rests on time models of other shapes alone.
constexpr double worthwhile_far_away = 0.7, far = 3;

// A crossover was measured on cubes. It is the smallest of the tuner's sizes, which are at most 1.5
// times apart, at which the GPU gains. Estimates decide down to half of that extent: other shapes
// may gain there, and a tuning that was disturbed at one size puts the crossover above it (on two
// cores at n = 512, where both sides did dgemm in 0.6 of the CPU's time).
constexpr double well_below = 2.0 * 2.0 * 2.0;

double crossover_of(const GemmProblem& problem, const PlanMachine& machine,
                    const CallEstimate& tuned) {
  const Profile& profile = *machine.tuned(problem.precision).profile;
  return profile.crossover_flops[precision_index(tuned.nearest().precision)];
}

bool is_well_below_crossover(const GemmProblem& problem, const PlanMachine& machine,
                             const CallEstimate& tuned) {
  return flops(problem) * well_below <= crossover_of(problem, machine, tuned);
}

// The GPU's time must be at most this part of the CPU's.
double needed_gain(const PlanMachine& machine, const CallEstimate& tuned) {
  const bool is_doubtful = machine.is_part || tuned.log_distance() > far;
  return is_doubtful ? worthwhile_far_away : worthwhile_if_long;
}

// The strategy that cost least, at a shape that was tuned for energy. Elsewhere only times are
// estimated.
Plan cheapest_plan(const GemmProblem& problem, const PlanMachine& machine,
                   const CallEstimate& tuned) {
  const TunedPoint& point = tuned.nearest();
  const Strategy strategy = least_cost_strategy(point);
  if (strategy == Strategy::cpu) return on_all_cores(problem, machine, Reason::cpu_cheapest);
  const bool alone = strategy == Strategy::gpu;
  const TunedChoice choice =
      choice_of(&tuned, alone ? &TunedPoint::gpu : &TunedPoint::hybrid, problem, machine);
  Plan plan =
      plan_choice(problem, machine, choice, alone ? Reason::gpu_cheapest : Reason::both_cheapest);
  plan.expected_seconds = alone ? point.gpu.seconds : point.hybrid.seconds;
  plan.cpu_only_seconds = point.cpu_all_seconds;
  return plan;
}

// Whether the call can be left to the CPU without estimating the strategies.
std::optional<Reason> why_cpu_at_once(const GemmProblem& problem, const PlanMachine& machine,
                                      const CallEstimate* tuned, const LearnedTimes* learned) {
  if (tuned == nullptr) return Reason::untuned;
  if (learned == nullptr && machine.tuned(problem.precision).match < ProfileMatch::device)
    return Reason::tuned_on_other_device;
  if (is_well_below_crossover(problem, machine, *tuned)) return Reason::below_crossover;
  return std::nullopt;
}

// The strategies of a call, with the times that are expected of them.
struct Alternatives {
  TunedChoice alone, both;
  GpuConfig of_alone, of_both;
  SplitCall split_call;
  double cpu = 0, gpu = 0;
  double gpu_part = 0.5;  ///< of C, where both work
  Alternatives(const GemmProblem& problem, const PlanMachine& machine, const CallEstimate& tuned)
      : alone(choice_of(&tuned, &TunedPoint::gpu, problem, machine)),
        both(choice_of(&tuned, &TunedPoint::hybrid, problem, machine)),
        of_alone(gpu_config_of(alone, problem, machine)),
        of_both(gpu_config_of(both, problem, machine)),
        split_call(best_partition(tuned, both, problem, of_both)),
        cpu(tuned.cpu_seconds()),
        gpu(tuned.gpu_seconds(of_alone)) {
    alone.share.gpu_parts = alone.share.parts;
    both.share = split_call.share;
    if (split_call.partition.is_split(problem)) gpu_part = split_call.partition.gpu_part(problem);
  }
};

StrategyEstimates estimates_of(const Alternatives& alternatives, const LearnedTimes& learned) {
  return {estimate_of_strategy(learned, Timed::cpu_all, alternatives.cpu),
          estimate_of_strategy(learned, Timed::gpu_alone, alternatives.gpu),
          estimate_of_both(learned, alternatives.split_call.seconds,
                           std::log(alternatives.gpu_part), std::log(1 - alternatives.gpu_part))};
}

// How a call begins if its GPU part may take too long.
struct Beginning {
  Strategy strategy = Strategy::cpu;
  SplitCall split_call;
  EntryRows entry;  ///< 0 rows: of all of C

  Beginning(const GemmProblem& problem, const GpuConfig& both, const CallEstimate& tuned,
            const LearnedTimes& learned) {
    const double worst = learned.worst_of(Timed::gpu_side);
    split_call = tuned.careful(both, worst, learned.allowance);
    entry = tuned.entry(both, worst, learned.allowance);
    if (entry.seconds < split_call.seconds)
      split_call = entry.at;
    else
      entry.rows = 0;
    if (entry.rows > 0 || split_call.partition.is_split(problem)) strategy = Strategy::hybrid;
  }
};

Plan learned_plan(const GemmProblem& problem, const PlanMachine& machine, const CallEstimate& tuned,
                  const LearnedTimes& learned) {
  Alternatives alternatives(problem, machine, tuned);
  const StrategyEstimates all = estimates_of(alternatives, learned);
  const StrategyChoice chosen = choose_strategy(all, needed_gain(machine, tuned),
                                                tuned.needed_gain_by_sharing(), learned.allowance);
  SplitCall split_call = alternatives.split_call;
  Strategy strategy = chosen.strategy;
  EntryRows entry;
  if (chosen.begins_small) {
    const Beginning small(problem, alternatives.of_both, tuned, learned);
    strategy = small.strategy;
    split_call = small.split_call;
    entry = small.entry;
    alternatives.both.share = split_call.share;
  }
  const bool finds_out = chosen.begins_small ? strategy != Strategy::cpu : chosen.explores;
  const bool on_cpu = strategy == Strategy::cpu, shares = strategy == Strategy::hybrid;
  const PlannedPartition partition =
      shares ? split_call.partition : PlannedPartition{Axis::rows, on_cpu ? 0 : problem.m};
  Plan plan =
      on_cpu   ? on_all_cores(problem, machine, Reason::cpu_fastest)
      : shares ? plan_choice(problem, machine, alternatives.both, partition, Reason::both_fastest)
               : plan_choice(problem, machine, alternatives.alone, partition, Reason::gpu_fastest);
  plan.expected_seconds = on_cpu   ? alternatives.cpu
                          : shares ? split_call.seconds
                                   : alternatives.gpu;
  plan.cpu_only_seconds = alternatives.cpu;
  if (entry.rows > 0) {
    plan.entry_rows = entry.rows;
    plan.expected_seconds = entry.seconds;
    plan.forecast = entry.forecast;
  } else {
    plan.forecast =
        tuned.forecast(partition, shares ? alternatives.of_both : alternatives.of_alone);
    // A call that begins small is charged for the time by which it exceeds the CPU's.
    plan.forecast->best_seconds = chosen.begins_small ? alternatives.cpu : chosen.best_seconds;
  }
  plan.forecast->explores = finds_out;
  plan.forecast->is_settled = chosen.is_settled;
  if (!chosen.begins_small && chosen.best != Strategy::cpu)
    plan.forecast->best = chosen.best == Strategy::gpu ? Timed::gpu_alone : Timed::cpu_side;
  if (finds_out) plan.reason = Reason::finding_out;
  return plan;
}

}  // namespace

Plan automatic_plan(const GemmProblem& problem, const PlanMachine& machine,
                    const CallEstimate* tuned, const std::optional<Share>& split,
                    const LearnedTimes* learned) {
  if (const auto why = why_cpu_at_once(problem, machine, tuned, learned))
    return on_all_cores(problem, machine, *why);
  if (!split && tuned->is_tuned() && tuned->nearest().goal != Goal::throughput)
    return cheapest_plan(problem, machine, *tuned);
  if (split) {
    if (!promises_gain(problem, machine, *tuned))
      return on_all_cores(problem, machine, Reason::cpu_fastest);
    TunedChoice both = choice_of(tuned, &TunedPoint::hybrid, problem, machine);
    both.share = *split;
    return plan_choice(problem, machine, both, Reason::split_given);
  }
  if (learned != nullptr) return learned_plan(problem, machine, *tuned, *learned);
  Plan plan = learned_plan(problem, machine, *tuned, as_measured());
  plan.forecast.reset();
  return plan;
}

bool promises_gain(const GemmProblem& problem, const PlanMachine& machine,
                   const CallEstimate& tuned) {
  if (is_well_below_crossover(problem, machine, tuned)) return false;
  const Alternatives alternatives(problem, machine, tuned);
  const double shared = alternatives.split_call.seconds, alone = alternatives.gpu;
  const double fastest = shared <= (1 - tuned.needed_gain_by_sharing()) * alone ? shared : alone;
  return fastest < needed_gain(machine, tuned) * alternatives.cpu;
}

std::optional<Reason> why_never_gpu(const PlanMachine& machine, Precision precision) {
  if (!machine.has_gpu) return machine.without_gpu;
  if (!machine.device.multiplies(precision)) return Reason::no_double_precision;
  const ProfileInUse& tuned = machine.tuned(precision);
  if (!tuned.profile || tuned.profile->points.empty()) return Reason::untuned;
  if (!machine.learns && tuned.match < ProfileMatch::device) return Reason::tuned_on_other_device;
  return std::nullopt;
}

double least_automatic_gpu_flops(const PlanMachine& machine, Precision precision) {
  double least = endless;
  if (why_never_gpu(machine, precision)) return least;
  // Which type replaces an untuned one depends on the ops.
  const Profile& tuned = *machine.tuned(precision).profile;
  for (const TunedPoint& point : tuned.points)
    least = std::min(least, tuned.crossover_flops[precision_index(point.precision)]);
  return least / well_below;
}

}  // namespace duoblas
