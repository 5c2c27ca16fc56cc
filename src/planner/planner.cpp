// The decision, in the order in which a reader would ask: is there anything to do, can the GPU do
// it, what did the user say, and what did tuning find?
#include "planner/planner.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "kernel_space/kernel_defaults.hpp"
#include "planner/call_estimate.hpp"
#include "planner/cheapest_way.hpp"
#include "planner/crossover.hpp"
#include "planner/way_choice.hpp"

namespace duoblas {
namespace {

// Estimates are good to a few percent; for less than this the CPU is not left.
constexpr double worthwhile = 0.98;
// The same where the nearest tuned shape is a factor of e^3 = 20 away along an axis: there laws of
// other shapes are all that there is.
constexpr double worthwhile_far_away = 0.7;
constexpr double near = 2, far = 3;

// Types whose share may stand for another's: first the one with the same components, whose rates
// are alike, then the others.
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

const ModelGroup* tuned_group(const CostModel& costs, const GemmProblem& problem) {
  for (const Precision precision : substitutes(problem.precision))
    if (const ModelGroup* group = costs.group(precision, problem.op_a, problem.op_b)) return group;
  return nullptr;
}

Plan on_all_cores(const GemmProblem& problem, const PlanMachine& machine, Reason reason) {
  return cpu_plan(machine.cpu_all_for(problem.precision), reason);
}

// A choice of the nearest tuned point for this problem; the built-in one where nothing was tuned.
TunedChoice choice_of(const CallEstimate* tuned, const TunedChoice TunedPoint::*member,
                      const GemmProblem& problem, const PlanMachine& machine) {
  if (tuned == nullptr) return untuned_choice(problem.precision, machine);
  return adapted_choice(tuned->nearest().*member, tuned->nearest(), problem, machine);
}

GpuMeans means_of(const TunedChoice& choice, const PlanMachine& machine) {
  return {choice.kernel, choice.sharing, &machine.device};
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
  // One row cannot be shared, but its columns can.
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

// Says whose times the decision rests on.
Reason borrowed_reason(Strategy strategy) {
  switch (strategy) {
    case Strategy::gpu: return Reason::gpu_fastest_same_device;
    case Strategy::hybrid: return Reason::both_fastest_same_device;
    default: return Reason::cpu_fastest_same_device;
  }
}

Plan gpu_plan(const GemmProblem& problem, const PlanMachine& machine, const CallEstimate* tuned,
              Reason reason) {
  TunedChoice choice = choice_of(tuned, &TunedPoint::gpu, problem, machine);
  choice.share = {choice.share.parts, choice.share.parts};
  return plan_choice(problem, machine, choice, reason);
}

// The best cut by the estimates; the tuned share where none leaves both sides something to do.
SharedCall best_cut(const CallEstimate& tuned, const TunedChoice& choice,
                    const GemmProblem& problem, const PlanMachine& machine) {
  const SharedCall best = tuned.balanced(means_of(choice, machine));
  if (best.cut.is_shared(problem)) return best;
  return {choice.share, planned_cut(problem, choice.kernel, choice.share)};
}

// Whether sharing, though asked for, is to be left: it takes half as long again as the GPU alone,
// or gains nothing with the least that the CPU can have, a tile or a part of the finest share. (On
// an H200 that took the CPU 2.8 times as long as all of n = 8192 took the GPU.)
bool is_no_use(const SharedCall& shared, const GemmProblem& problem, const CallEstimate& tuned,
               const GpuMeans& alone) {
  if (!shared.cut.is_shared(problem) || std::isinf(shared.seconds)) return false;
  const bool rows = shared.cut.axis == Axis::rows;
  const std::int64_t extent = shared.cut.extent(problem);
  const std::int64_t least = std::max((extent + finest_share_parts - 1) / finest_share_parts,
                                      rows ? row_tile(alone.kernel) : col_tile(alone.kernel));
  const bool is_least = extent - shared.cut.gpu_extent <= least;
  const double tolerated = is_least ? 1 - tuned.needed_gain_by_sharing() : 1.5;
  return shared.seconds > tolerated * tuned.gpu_seconds(alone);
}

// Without an estimate the sides are taken for equally fast, until calls show what they are.
Plan untuned_plan(const GemmProblem& problem, const PlanMachine& machine,
                  const LearnedTimes* learned) {
  constexpr double any_rate = 1e10;  // of which the sides' ratio does not depend
  TunedChoice choice = untuned_choice(problem.precision, machine);
  Reason reason = Reason::both_asked_untuned;
  if (learned != nullptr && learned->has_seen(Timed::gpu_side)) {
    const double odds =
        std::exp(learned->of(Timed::cpu_side).mean - learned->of(Timed::gpu_side).mean);
    const auto parts = std::lround(finest_share_parts * odds / (1 + odds));
    choice.share = {std::clamp(static_cast<int>(parts), 1, finest_share_parts - 1),
                    finest_share_parts};
    reason = Reason::share_follows_times;
  }
  Plan plan = plan_choice(problem, machine, choice, reason);
  if (learned == nullptr || plan.strategy != Strategy::hybrid) return plan;
  const PlannedCut cut{plan.axis, plan.gpu_extent};
  const double part =
      static_cast<double>(cut.gpu_extent) / static_cast<double>(cut.extent(problem));
  plan.forecast.emplace();
  plan.forecast->modelled[place_of(Timed::gpu_side)] = part * flops(problem) / any_rate;
  plan.forecast->modelled[place_of(Timed::cpu_side)] = (1 - part) * flops(problem) / any_rate;
  return plan;
}

Plan hybrid_plan(const GemmProblem& problem, const PlanMachine& machine, const CallEstimate& tuned,
                 const LearnedTimes* learned) {
  TunedChoice choice = choice_of(&tuned, &TunedPoint::hybrid, problem, machine);
  const SharedCall best = best_cut(tuned, choice, problem, machine);
  const TunedChoice alone = choice_of(&tuned, &TunedPoint::gpu, problem, machine);
  // What calls showed of the GPU beside the CPU says little of what it would take alone.
  const bool are_comparable = learned == nullptr || !learned->has_seen(Timed::gpu_side) ||
                              learned->has_seen(Timed::gpu_alone);
  if (machine.match >= ProfileMatch::device && are_comparable &&
      is_no_use(best, problem, tuned, means_of(alone, machine)))
    return gpu_plan(problem, machine, &tuned, Reason::both_asked_gpu_far_faster);
  choice.share = best.share;
  Plan plan = plan_choice(problem, machine, choice, best.cut, share_reason(machine.match));
  if (learned == nullptr || plan.strategy != Strategy::hybrid) return plan;
  plan.forecast =
      tuned.forecast({plan.axis, plan.gpu_extent}, {plan.kernel, plan.sharing, &machine.device});
  if (learned->has_seen(Timed::gpu_side)) plan.reason = Reason::share_follows_times;
  return plan;
}

// What the GPU's time must be of the CPU's, at most.
double needed_gain(const CallEstimate& tuned) {
  const double way = std::clamp((tuned.remoteness() - near) / (far - near), 0.0, 1.0);
  return worthwhile + way * (worthwhile_far_away - worthwhile);
}

// At a shape that was tuned for energy, what cost least there. Elsewhere only times are estimated.
Plan cheapest_plan(const GemmProblem& problem, const PlanMachine& machine,
                   const CallEstimate& tuned) {
  const TunedPoint& point = tuned.nearest();
  const Strategy way = cheapest_way(point);
  if (way == Strategy::cpu) return on_all_cores(problem, machine, Reason::cpu_cheapest);
  const bool alone = way == Strategy::gpu;
  const TunedChoice choice =
      choice_of(&tuned, alone ? &TunedPoint::gpu : &TunedPoint::hybrid, problem, machine);
  Plan plan =
      plan_choice(problem, machine, choice, alone ? Reason::gpu_cheapest : Reason::both_cheapest);
  plan.expected_seconds = alone ? point.gpu.seconds : point.hybrid.seconds;
  plan.cpu_only_seconds = point.cpu_all_seconds;
  return plan;
}

// What of the ways that there are is worth a look, before anybody asks who is fastest.
std::optional<Reason> why_cpu_at_once(const GemmProblem& problem, const PlanMachine& machine,
                                      const CallEstimate* tuned, const LearnedTimes* learned) {
  if (tuned == nullptr) return Reason::untuned;
  if (learned == nullptr && machine.match < ProfileMatch::device)
    return Reason::tuned_on_other_device;
  const Precision type = tuned->nearest().precision;
  const double crossover = machine.profile->crossover_flops[precision_index(type)];
  if (is_below_crossover(problem, crossover)) return Reason::below_crossover;
  return std::nullopt;
}

// The ways of a call, with what is expected of each.
struct Ways {
  TunedChoice alone, both;
  SharedCall shared;
  double cpu = 0, gpu = 0;

  Ways(const GemmProblem& problem, const PlanMachine& machine, const CallEstimate& tuned)
      : alone(choice_of(&tuned, &TunedPoint::gpu, problem, machine)),
        both(choice_of(&tuned, &TunedPoint::hybrid, problem, machine)),
        shared(best_cut(tuned, both, problem, machine)),
        cpu(tuned.cpu_seconds()),
        gpu(tuned.gpu_seconds(means_of(alone, machine))) {
    both.share = shared.share;
  }
};

Way way(const LearnedTimes& learned, Timed what, double seconds) {
  return {seconds, learned.of(what).spread, seconds * learned.worst_of(what),
          learned.has_seen(what)};
}

// Of a time that no call of the class has shown: laws are worse the farther they reach, here per e
// times the nearest tuned size. On an H200's host 2048 x 16 x 2048 took the CPU 0.36 ms, which no
// call found out, and its calls stayed on the GPU at 1.44. That the GPU may be faster than a far
// law says is not looked at: that costs more than what plain BLAS does.
constexpr double spread_of_laws = 0.3;

WaysOfCall ways_of(const Ways& ways, const LearnedTimes& learned, double remoteness) {
  WaysOfCall all{way(learned, Timed::cpu_all, ways.cpu), way(learned, Timed::gpu_alone, ways.gpu),
                 way(learned, Timed::gpu_side, ways.shared.seconds)};
  if (!all.cpu.seen) all.cpu.spread = std::hypot(all.cpu.spread, spread_of_laws * remoteness);
  all.both.spread = std::max(all.both.spread, learned.of(Timed::cpu_side).spread);
  return all;
}

Plan learned_plan(const GemmProblem& problem, const PlanMachine& machine, const CallEstimate& tuned,
                  const LearnedTimes& learned) {
  Ways ways(problem, machine, tuned);
  const WayChoice chosen =
      chosen_way(ways_of(ways, learned, tuned.remoteness()), needed_gain(tuned),
                 tuned.needed_gain_by_sharing(), learned.allowance);
  const GpuMeans both = means_of(ways.both, machine);
  SharedCall shared = ways.shared;
  Strategy strategy = chosen.way;
  if (chosen.begins_small) {
    shared = tuned.careful(both, learned.worst_of(Timed::gpu_side), learned.allowance);
    strategy = shared.cut.is_shared(problem) ? Strategy::hybrid : Strategy::cpu;
    ways.both.share = shared.share;
  }
  const bool finds_out = strategy != Strategy::cpu ? chosen.explores || chosen.begins_small
                                                   : chosen.explores && !chosen.begins_small;
  Plan plan;
  PlannedCut cut{Axis::rows, 0};
  GpuMeans means = both;
  if (strategy == Strategy::cpu) {
    plan = on_all_cores(problem, machine, Reason::cpu_fastest);
    plan.expected_seconds = ways.cpu;
  } else if (strategy == Strategy::hybrid) {
    cut = shared.cut;
    plan = plan_choice(problem, machine, ways.both, cut, Reason::both_fastest);
    plan.expected_seconds = shared.seconds;
  } else {
    cut.gpu_extent = problem.m;
    means = means_of(ways.alone, machine);
    plan = gpu_plan(problem, machine, &tuned, Reason::gpu_fastest);
    plan.expected_seconds = ways.gpu;
  }
  plan.cpu_only_seconds = ways.cpu;
  plan.forecast = tuned.forecast(cut, means);
  // What begins small is charged for what it takes longer than the CPU.
  plan.forecast->explores = finds_out;
  plan.forecast->is_settled = chosen.is_settled;
  plan.forecast->best_seconds = chosen.begins_small ? ways.cpu : chosen.best_seconds;
  if (!chosen.begins_small && chosen.best != Strategy::cpu)
    plan.forecast->best = chosen.best == Strategy::gpu ? Timed::gpu_alone : Timed::cpu_side;
  if (finds_out) plan.reason = Reason::finding_out;
  return plan;
}

Plan automatic_plan(const GemmProblem& problem, const PlanMachine& machine,
                    const CallEstimate* tuned, const std::optional<Share>& split,
                    const LearnedTimes* learned) {
  if (const auto why = why_cpu_at_once(problem, machine, tuned, learned))
    return on_all_cores(problem, machine, *why);
  if (!split && tuned->is_tuned() && tuned->nearest().goal != Goal::throughput)
    return cheapest_plan(problem, machine, *tuned);
  if (learned != nullptr && !split) return learned_plan(problem, machine, *tuned, *learned);

  Ways ways(problem, machine, *tuned);
  const bool shares = ways.shared.seconds <= (1 - tuned->needed_gain_by_sharing()) * ways.gpu;
  const double fastest = shares ? ways.shared.seconds : ways.gpu;
  if (!(fastest < needed_gain(*tuned) * ways.cpu))
    return on_all_cores(problem, machine, Reason::cpu_fastest);
  if (split) {
    ways.both.share = *split;
    return plan_choice(problem, machine, ways.both, Reason::split_given);
  }
  Plan plan = shares
                  ? plan_choice(problem, machine, ways.both, ways.shared.cut, Reason::both_fastest)
                  : gpu_plan(problem, machine, tuned, Reason::gpu_fastest);
  plan.expected_seconds = fastest;
  plan.cpu_only_seconds = ways.cpu;
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
    default: {
      Plan plan = automatic_plan(problem, machine, tuned, request.split, learned);
      if (tuned && !request.split && machine.match == ProfileMatch::device &&
          plan.reason != Reason::finding_out)
        plan.reason = borrowed_reason(plan.strategy);
      return plan;
    }
  }
}

/// What tuning says of a problem, while this lives. Nothing where the type's kin was not tuned.
class TunedEstimate {
 public:
  TunedEstimate(const GemmProblem& problem, const PlanMachine& machine,
                const LearnedTimes* learned = nullptr) {
    if (!machine.profile) return;
    if (!machine.costs) made_here_.emplace(*machine.profile);
    const CostModel& costs = machine.costs ? *machine.costs : *made_here_;
    if (const ModelGroup* group = tuned_group(costs, problem))
      estimate_.emplace(costs, *group, *machine.profile, problem, learned);
  }
  const CallEstimate* get() const { return estimate_ ? &*estimate_ : nullptr; }

 private:
  std::optional<CostModel> made_here_;
  std::optional<CallEstimate> estimate_;
};

Plan exact_plan(const GemmProblem& problem, const PlanMachine& machine, const PlanRequest& request,
                const LearnedTimes* learned) {
  if (problem.empty()) return on_all_cores(problem, machine, Reason::no_elements);
  if (request.strategy == Strategy::cpu)
    return on_all_cores(problem, machine, Reason::cpu_asked_for);
  if (!machine.has_gpu) return on_all_cores(problem, machine, Reason::no_device);
  if (is_double(problem.precision) && !machine.device.has_fp64)
    return on_all_cores(problem, machine, Reason::no_double_precision);
  return plan_on_gpu(problem, machine, request, TunedEstimate(problem, machine, learned).get(),
                     learned);
}

// From this depth on a sum's own roundings outweigh what one product loses by being split.
constexpr std::int64_t least_depth_of_tf32x3 = 64;

std::optional<KernelParams> opt_in_kernel(const GemmProblem& problem, const PlanMachine& machine,
                                          MathMode math) {
  if (math != MathMode::tf32x3 || problem.precision != Precision::s ||
      problem.k < least_depth_of_tf32x3)
    return std::nullopt;
  return tf32x3_kernel(machine.device);
}

}  // namespace

Plan make_plan(const GemmProblem& problem, const PlanMachine& machine, const PlanRequest& request,
               const LearnedTimes* learned) {
  Plan plan = exact_plan(problem, machine, request, learned);
  if (plan.strategy == Strategy::cpu) return plan;
  if (const auto kernel = opt_in_kernel(problem, machine, request.math)) plan.kernel = *kernel;
  return request.split ? plan : with_shareable_cut(problem, std::move(plan), machine.shared_bytes);
}

KernelParams gpu_kernel(const GemmProblem& problem, const PlanMachine& machine, MathMode math) {
  if (const auto kernel = opt_in_kernel(problem, machine, math)) return *kernel;
  const TunedPoint* tuned = machine.profile ? nearest_point(*machine.profile, problem) : nullptr;
  if (tuned == nullptr) return default_kernel(problem.precision, machine.device);
  return adapted_choice(tuned->gpu, *tuned, problem, machine).kernel;
}

double estimated_cpu_seconds(const GemmProblem& problem, const PlanMachine& machine) {
  if (problem.empty() || problem.only_scales_c()) return 0;
  const TunedEstimate tuned(problem, machine);
  const double seconds = tuned.get() == nullptr ? 0 : tuned.get()->cpu_seconds();
  return std::isfinite(seconds) ? seconds : 0;
}

}  // namespace duoblas
