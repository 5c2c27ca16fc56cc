// The decision, in the order in which a reader would ask: is there anything to do, can the GPU do
// it, what did the user say, and what did tuning find?
#include "plan/planner.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "plan/kernel_defaults.hpp"
#include "plan/plan_cost.hpp"

namespace duoblas {
namespace {

// Estimates are good to a few percent; for less than this the CPU is not left.
constexpr double worthwhile = 0.98;

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

const TunedPoint* tuned_point(const PlanMachine& machine, GemmProblem problem) {
  if (!machine.profile) return nullptr;
  for (const Precision precision : substitutes(problem.precision)) {
    problem.precision = precision;
    if (const TunedPoint* point = nearest_point(*machine.profile, problem)) return point;
  }
  return nullptr;
}

Plan on_all_cores(const GemmProblem& problem, const PlanMachine& machine, std::string_view reason) {
  return cpu_plan(machine.cpu_all_for(problem.precision), reason);
}

// The part that the plan gives to the GPU, as one buffer per operand.
bool fits(const GemmProblem& problem, const Plan& plan, const DeviceLimits& device) {
  if (plan.strategy == Strategy::cpu) return true;
  const GemmProblem part = cut(problem, plan.axis, plan.gpu_extent).gpu;
  constexpr std::int64_t max_int = std::numeric_limits<std::int32_t>::max();
  if (part.m > max_int || part.n > max_int || part.k > max_int) return false;
  const std::int64_t largest =
      std::max({footprint(part.precision, stored_rows_a(part), stored_cols_a(part), part.lda),
                footprint(part.precision, stored_rows_b(part), stored_cols_b(part), part.ldb),
                footprint(part.precision, part.m, part.n, part.ldc)});
  return static_cast<std::uint64_t>(largest) <= device.max_allocation_bytes;
}

Plan if_it_fits(const GemmProblem& problem, const PlanMachine& machine, const Plan& plan) {
  if (fits(problem, plan, machine.device)) return plan;
  return on_all_cores(problem, machine, "the GPU's part is larger than the device can allocate");
}

TunedChoice choice_of(const TunedPoint* point, const TunedChoice TunedPoint::*member,
                      const GemmProblem& problem, const PlanMachine& machine) {
  if (point == nullptr) return untuned_choice(problem.precision, machine);
  return adapted_choice(point->*member, *point, problem, machine);
}

Plan forced_plan(const GemmProblem& problem, const PlanMachine& machine, const TunedPoint* point,
                 Share split) {
  TunedChoice choice = choice_of(point, &TunedPoint::hybrid, problem, machine);
  choice.share = split;
  if (split.gpu_parts <= 0)
    return on_all_cores(problem, machine, "the split gives the CPU everything");
  Plan plan;
  plan.share = split;
  plan.kernel = choice.kernel;
  plan.sharing = choice.sharing;
  plan.cpu = machine.cpu_for(problem.precision);
  plan.reason = "the split was given";
  // One row cannot be shared, but its columns can.
  plan.axis = problem.m == 1 && problem.n > 1 ? Axis::columns : Axis::rows;
  const std::int64_t extent = plan.axis == Axis::rows ? problem.m : problem.n;
  plan.gpu_extent = forced_gpu_extent(extent, split);
  if (plan.gpu_extent == 0)
    return on_all_cores(problem, machine, "the split gives the CPU everything");
  plan.strategy = plan.gpu_extent == extent ? Strategy::gpu : Strategy::hybrid;
  return plan;
}

std::string_view share_reason(const TunedPoint* point, ProfileMatch match) {
  if (point == nullptr) return "both sides were asked for; nothing was tuned: half each";
  if (match == ProfileMatch::exact) return "both sides were asked for; the share was tuned";
  return "both sides were asked for; the share is that of another machine's profile";
}

// Says whose times the decision rests on.
std::string_view borrowed_reason(Strategy strategy) {
  switch (strategy) {
    case Strategy::gpu:
      return "the GPU alone is fastest, as tuned on this device with another driver or CPU";
    case Strategy::hybrid:
      return "both sides together are fastest, as tuned on this device with another driver or CPU";
    default: return "the CPU alone is fastest, as tuned on this device with another driver or CPU";
  }
}

Plan automatic_plan(const GemmProblem& problem, const PlanMachine& machine, const TunedPoint* point,
                    const std::optional<Share>& split) {
  if (point == nullptr)
    return on_all_cores(problem, machine, "this machine was not tuned (run \"duoblas tune\")");
  if (machine.match < ProfileMatch::device)
    return on_all_cores(problem, machine,
                        "the profile is that of another device (run \"duoblas tune\")");
  const double crossover = machine.profile->crossover_flops[precision_index(point->precision)];
  if (flops(problem) < crossover)
    return on_all_cores(problem, machine,
                        "below the size from which the GPU is worth its overhead");
  const CallTimes times = estimate_times(*point, problem, crossover);
  const double threshold = worthwhile * times.cpu_all;
  if (!(std::min(times.hybrid, times.gpu) < threshold))
    return on_all_cores(problem, machine, "the CPU alone is fastest at this shape");
  if (split) {
    TunedChoice choice = adapted_choice(point->hybrid, *point, problem, machine);
    choice.share = *split;
    return plan_choice(problem, machine, choice, "the split was given");
  }
  Plan plan;
  if (times.gpu < times.hybrid) {
    TunedChoice choice = adapted_choice(point->gpu, *point, problem, machine);
    choice.share = {choice.share.parts, choice.share.parts};
    plan = plan_choice(problem, machine, choice, "the GPU alone is fastest at this shape");
  } else {
    plan = plan_choice(problem, machine, adapted_choice(point->hybrid, *point, problem, machine),
                       "both sides together are fastest at this shape");
  }
  plan.expected_seconds = std::min(times.gpu, times.hybrid);
  plan.cpu_only_seconds = times.cpu_all;
  return plan;
}

Plan exact_plan(const GemmProblem& problem, const PlanMachine& machine,
                const PlanRequest& request) {
  if (problem.empty()) return on_all_cores(problem, machine, "C has no element");
  if (request.strategy == Strategy::cpu)
    return on_all_cores(problem, machine, "the CPU was asked for");
  if (!machine.has_gpu) return on_all_cores(problem, machine, "there is no OpenCL device to use");
  if (is_double(problem.precision) && !machine.device.has_fp64)
    return on_all_cores(problem, machine, "the device has no double precision");
  const TunedPoint* point = tuned_point(machine, problem);
  if (request.forced())
    return if_it_fits(problem, machine, forced_plan(problem, machine, point, *request.split));
  if (problem.only_scales_c())
    return on_all_cores(problem, machine, "there is no product: C is only scaled");

  switch (request.strategy) {
    case Strategy::gpu: {
      TunedChoice choice = choice_of(point, &TunedPoint::gpu, problem, machine);
      choice.share = {choice.share.parts, choice.share.parts};
      return if_it_fits(problem, machine,
                        plan_choice(problem, machine, choice, "the GPU was asked for"));
    }
    case Strategy::hybrid:
      return if_it_fits(
          problem, machine,
          plan_choice(problem, machine, choice_of(point, &TunedPoint::hybrid, problem, machine),
                      share_reason(point, machine.match)));
    default: {
      Plan plan = automatic_plan(problem, machine, point, request.split);
      if (point && !request.split && machine.match == ProfileMatch::device)
        plan.reason = borrowed_reason(plan.strategy);
      return if_it_fits(problem, machine, plan);
    }
  }
}

// From this depth on a sum's own roundings outweigh what one product loses by being split.
constexpr std::int64_t least_depth_of_tf32x3 = 64;

}  // namespace

Plan make_plan(const GemmProblem& problem, const PlanMachine& machine, const PlanRequest& request) {
  Plan plan = exact_plan(problem, machine, request);
  if (request.math == MathMode::tf32x3 && problem.precision == Precision::s &&
      problem.k >= least_depth_of_tf32x3 && plan.strategy != Strategy::cpu) {
    if (const auto kernel = tf32x3_kernel(machine.device)) plan.kernel = *kernel;
  }
  return plan;
}

}  // namespace duoblas
