#include "level3/blocked_level3.hpp"

#include <algorithm>
#include <new>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "engine/cpu_blas.hpp"
#include "engine/readiness.hpp"
#include "level3/call_steps.hpp"
#include "timing/stopwatch.hpp"

namespace duoblas {
namespace {

// The sides that have a part in some product.
Who who_of(const std::vector<CallStep>& steps) {
  Who who = Who::cpu;
  for (const CallStep& step : steps) {
    const auto* product = std::get_if<PlannedProduct>(&step);
    if (product == nullptr || !product->plan.uses_gpu()) continue;
    // The rest of the call is the CPU's in any case.
    who = steps.size() == 1 ? duoblas::who_of(product->plan.strategy) : Who::both;
  }
  return who;
}

// \pre the step failed for want of memory, and has written nothing.
template <typename PlannedStep>
Outcome done_without_memory(Engine& engine, const PlannedStep& step, Level3Device& device) {
  Outcome outcome;
  outcome.plan.reason = Reason::short_memory;
  outcome.products = 1;
  outcome.recovered = outcome.was_declined = step.plan.uses_gpu();
  const Stopwatch watch;
  const auto on_cpu = [&] { run_on_cpu(engine, Step(step.problem)); };
  device.without_device(std::cref(on_cpu));
  outcome.times.cpu = outcome.times.whole = watch.seconds();
  return outcome;
}

Outcome done(Engine& engine, const PlannedProduct& product, Level3Device& device) try {
  return device.carry_out(product);
} catch (const std::bad_alloc&) {
  return done_without_memory(engine, product, device);
}

Outcome done(Engine& engine, const DeviceCall& call, Level3Device& device) try {
  return carry_out(engine, call, device);
} catch (const std::bad_alloc&) {
  // Where the CPU BLAS needs copies, those of a part may have failed when others were written.
  if (widest_ld(call.problem) > cpu_blas_limits.leading_dimension) throw;
  return done_without_memory(engine, call, device);
}

void carry_out(Engine& engine, const CallStep& step, Level3Device& device) {
  if (const auto* product = std::get_if<PlannedProduct>(&step))
    device.add(done(engine, *product, device));
  else if (const auto* job = std::get_if<DeviceCall>(&step))
    device.add(done(engine, *job, device));
  else
    device.without_device([&] { carry_out(engine, std::get<RoutineStep>(step)); });
}

// By which the call is admitted: the steps that use the device before the CPU BLAS does one, for
// which the device is given back. If there are none, products ask for themselves.
Plan plan_of_first_steps(const Decision& decision) {
  Plan first;
  first.reason = decision.reason;
  for (const CallStep& step : decision.steps) {
    const Plan* const of_step = plan_of(step);
    if (of_step == nullptr) break;
    first.expected_seconds += of_step->expected_seconds;
    first.cpu_only_seconds += of_step->cpu_only_seconds;
    if (first.uses_gpu() || !of_step->uses_gpu()) continue;
    first.strategy = of_step->strategy;
    first.gpu_extent = of_step->gpu_extent;
  }
  return first;
}

Decision on_cpu(Engine& engine, const Level3Problem& p, const RoutineLimits& limits) {
  Decision decision;
  decision.reason = Reason::routine_fastest;
  decision.steps = steps_on_cpu(engine, limits, {p});
  return decision;
}

/// The halves, or the CPU BLAS's own routine where these do not gain.
Decision by_halves(std::vector<CallStep>&& steps, std::optional<Reason> declined) {
  Decision decision;
  decision.steps = std::move(steps);
  decision.reason = Reason::routine_fastest;
  if (const PlannedProduct* first = first_of<PlannedProduct>(decision.steps)) {
    decision.plan = first->plan;
    decision.reason = first->plan.reason;
  }
  decision.who = who_of(decision.steps);
  // What does not gain as a whole is the CPU's, also where it is so large that it is split.
  if (declined) {
    decision.who = Who::cpu;
    decision.reason = *declined;
  }
  return decision;
}

/// A decision for the device's jobs. \pre there is one.
Decision decided(std::vector<CallStep> steps) {
  Decision decision;
  const DeviceCall& job = *first_of<DeviceCall>(steps);
  decision.who = job.gpu_extent < divided_extent(job.problem) ? Who::both : Who::gpu;
  decision.plan = job.plan;
  decision.reason = job.plan.reason;
  decision.steps = std::move(steps);
  return decision;
}

double expected_of(const Engine& engine, const Decision& decision) {
  const DeviceCall* const job = first_of<DeviceCall>(decision.steps);
  return job != nullptr ? job->plan.expected_seconds : expected_seconds(engine, decision.steps);
}

// The learner bounds what that costs.
bool finds_out(const std::vector<CallStep>& steps) {
  return std::ranges::any_of(steps, [](const CallStep& step) {
    const auto* product = std::get_if<PlannedProduct>(&step);
    return product != nullptr && product->plan.forecast && product->plan.forecast->explores;
  });
}

/// The decision for halves or the CPU, or for another way that is faster.
Decision compared(Engine& engine, const Level3Problem& p, const RoutineLimits& limits,
                  Decision&& decision) {
  const bool halves = decision.uses_gpu();
  SecondsOfWays ways{estimated_cpu_seconds(engine, p), 0,
                     halves ? expected_seconds(engine, decision.steps) : 0};
  if (halves && ways.halves <= 0) return std::move(decision);
  const bool may_be_plain = !finds_out(decision.steps);
  Way way = Way::job;
  auto steps = device_steps(engine, p, [&](double seconds) {
    ways.job = seconds;
    way = choose_way(engine, p, ways, may_be_plain);
    return way == Way::job;
  });
  if (!steps.empty()) return decided(std::move(steps));
  ways.job = 0;
  if (halves && way == Way::job) way = choose_way(engine, p, ways, may_be_plain);
  if (halves && way == Way::plain) return on_cpu(engine, p, limits);
  return std::move(decision);
}

}  // namespace

Decision decide(Engine& engine, const Level3Problem& p, const RoutineLimits& limits,
                Level3Mode mode) {
  if (p.changes_nothing()) {
    Decision nothing;
    nothing.reason = p.empty() ? Reason::no_elements : Reason::only_scales;
    return nothing;
  }
  const bool is_open = mode == Level3Mode::any;
  if (mode == Level3Mode::job || (is_open && engine.plans().insists_on_gpu()))
    if (auto steps = device_steps(engine, p); !steps.empty()) return decided(std::move(steps));
  CallHalves halves = halves_of_call(engine, limits, p);
  Decision decision = by_halves(std::move(halves.steps), halves.declined);
  if (!engine.plans().request().chooses_by_speed()) return decision;
  const bool is_large = flops(p) >= smallest_flops(engine, p.routine, p.precision);
  if (is_open && !engine.plans().insists_on_gpu() && is_large && !is_too_short(engine, p))
    decision = compared(engine, p, limits, std::move(decision));
  if (decision.uses_gpu())
    decision.estimate = {estimated_cpu_seconds(engine, p), expected_of(engine, decision)};
  else if (halves.left)  // nothing of such a call would ever show whether that is still so
    engine.learning().learner().note_left(*halves.left, estimated_cpu_seconds(engine, p));
  return decision;
}

Outcome carry_out(Engine& engine, const Level3Problem& p, const Decision& decision) {
  if (decision.steps.empty()) {
    Outcome nothing;
    nothing.plan.reason = decision.reason;
    return nothing;
  }
  const CallClass learned = call_class(engine, p);
  const Stopwatch watch;
  require_on_cpu(engine, p.routine, p.precision);
  const auto steps = [&](Level3Device& device) {
    for (const CallStep& step : decision.steps) carry_out(engine, step, device);
  };
  Outcome outcome = engine.carry_out(p.precision, decision.steps, plan_of_first_steps(decision),
                                     std::cref(steps));
  outcome.times.whole = watch.seconds() - outcome.check_seconds;
  if (engine.learning().is_on() && engine.plans().request().chooses_by_speed())
    remember(engine, p, decision, outcome, learned);
  engine.log().call(p, decision, outcome);
  return outcome;
}

Outcome run_level3(Engine& engine, const Level3Problem& p, const RoutineLimits& limits,
                   Level3Mode mode) {
  if (!p.changes_nothing()) require_on_cpu(engine, p.routine, p.precision);
  Decision decision = decide(engine, p, limits, mode);
  if (mode == Level3Mode::any && decision.uses_gpu() && decision.estimate.cpu_seconds > 0 &&
      engine.plans().request().chooses_by_speed()) {
    const auto missed = [&] {
      const Way way = first_of<DeviceCall>(decision.steps) != nullptr ? Way::job : Way::halves;
      return engine.learning().as_seen(call_class(engine, p), way, decision.estimate).gain();
    };
    if (const auto why =
            engine.readiness().why_not(Launches(decision.steps), Patience::for_disk, missed)) {
      decision = on_cpu(engine, p, limits);
      decision.reason = *why;
    }
  }
  return carry_out(engine, p, decision);
}

}  // namespace duoblas
