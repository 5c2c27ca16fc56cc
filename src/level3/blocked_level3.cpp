#include "level3/blocked_level3.hpp"

#include <algorithm>
#include <cstdint>
#include <new>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "engine/build_policy.hpp"
#include "level3/call_steps.hpp"
#include "level3/narrow_copy.hpp"
#include "level3/smallest_flops.hpp"
#include "timing/stopwatch.hpp"

namespace duoblas {
namespace {

// Diagonal blocks below this are the CPU's in any case: a call of the CPU BLAS for them takes less
// than the launch of the product that halving them would give.
constexpr std::int64_t smallest_halved = 128;

// Where the GPU is insisted on, three levels: 7/8 of the work are products then. Tests and
// conformance suites have tiny matrices, large ones would have too large a rest.
constexpr std::int64_t insisted_levels = 8;
constexpr std::int64_t least_insisted = 8, most_insisted = 1024;

/// The largest order that is left to the CPU BLAS where the GPU is insisted on.
std::int64_t insisted_leaf(const Level3Problem& whole) {
  return std::clamp(order(whole) / insisted_levels, least_insisted, most_insisted);
}

/// What the CPU BLAS loses by halving: it is slower on small matrices, and the halves' products
/// show by how much. `product` is the CPU's time for one of these.
double halving_loss(double call, double share, int products, double product) {
  return std::max(0.0, (products + 2 * share) * product - call);
}

/// A step of a halved call: a product that is planned, or a smaller call of the routine.
using HalvedStep = std::variant<PlannedProduct, Level3Problem>;

/// The halves of a call where halving it pays, or why it does not.
struct Halving {
  std::vector<HalvedStep> steps;
  std::optional<Reason> declined;
  /// Of a product that is the CPU's by what is known of its kind.
  std::optional<CallKind> left = {};
};

std::vector<HalvedStep> planned_halves(Engine& engine, const Level3Problem& p) {
  std::vector<HalvedStep> steps;
  for (const Step& step : halved(p, halfway(order(p)))) {
    if (const auto* product = std::get_if<GemmProblem>(&step))
      steps.emplace_back(PlannedProduct{*product, engine.plan(*product)});
    else
      steps.emplace_back(std::get<Level3Problem>(step));
  }
  return steps;
}

/// Why the planned halves are slower than the routine, or gain too little; nothing: they gain.
std::optional<Reason> why_not(Engine& engine, const Level3Problem& p,
                              const std::vector<HalvedStep>& halves) {
  double gain = 0, slowest = 0;
  int products = 0;
  bool finds_out = false;
  for (const HalvedStep& step : halves) {
    const auto* product = std::get_if<PlannedProduct>(&step);
    if (product == nullptr) continue;
    const Plan& plan = product->plan;
    if (plan.strategy == Strategy::cpu) return plan.reason;
    // The learner bounds what that costs; else no product of such calls would ever be seen.
    finds_out |= plan.forecast && plan.forecast->explores;
    // Plans that are not by the cost model have no estimates.
    if (plan.expected_seconds <= 0 || plan.cpu_only_seconds <= 0) return std::nullopt;
    if (finds_out) continue;
    if (plan.expected_seconds >= worthwhile * plan.cpu_only_seconds) return Reason::routine_fastest;
    gain += plan.cpu_only_seconds - plan.expected_seconds;
    slowest = std::max(slowest, plan.cpu_only_seconds);
    ++products;
  }
  if (finds_out) return std::nullopt;
  const double call = estimated_cpu_seconds(engine, p);
  if (call > 0) {
    const double share = flops(p) / flops(whole_product(p));
    gain -= halving_loss(call, share, products, slowest);
  }
  if (gain > std::max(least_gain_seconds, least_gain_share * call)) return std::nullopt;
  return Reason::routine_fastest;
}

Halving gaining_halving(Engine& engine, const Level3Problem& p) {
  if (flops(p) < smallest_flops(engine, p.routine, p.precision))
    return {{}, engine.why_never_gpu(p.precision).value_or(Reason::below_crossover)};
  if (order(p) < smallest_halved) return {{}, Reason::too_small};
  if (is_too_short(engine, p)) return {{}, Reason::below_crossover};
  Halving halving{planned_halves(engine, p), std::nullopt};
  halving.declined = why_not(engine, p, halving.steps);
  for (const HalvedStep& step : halving.steps) {
    const auto* product = std::get_if<PlannedProduct>(&step);
    if (product == nullptr || product->plan.uses_gpu()) continue;
    if (product->plan.forecast) halving.left = product->plan.forecast->kind;
    break;
  }
  return halving;
}

/// One call on its way through the recursion: what is left are steps.
class Blocking {
 public:
  Blocking(Engine& engine, const LeafLimits& limits, const Level3Problem& whole)
      : engine_(engine), limits_(limits) {
    if (engine.insists_on_gpu()) insisted_leaf_ = insisted_leaf(whole);
  }

  void add(const Level3Problem& p) {
    if (p.changes_nothing()) return;
    if (const auto scaled = as_scaling(p)) return add_product(*scaled);
    if (p.only_scales_c() || !add_halves(p)) add_leaf(p);
  }

  std::vector<CallStep> take_steps() { return std::move(steps_); }
  /// Why the whole call was not halved, where it was not.
  std::optional<Reason> declined() const { return declined_; }
  /// As Halving::left, then.
  const std::optional<CallKind>& left() const { return left_; }

 private:
  // False: it is not to be halved.
  bool add_halves(const Level3Problem& p) {
    const bool whole = std::exchange(is_whole_, false);
    if (insisted_leaf_) {
      if (order(p) <= *insisted_leaf_) return false;
      add(planned_halves(engine_, p));
      return true;
    }
    const Halving halving = gaining_halving(engine_, p);
    if (halving.declined) {
      if (whole) declined_ = halving.declined;
      if (whole) left_ = halving.left;
      return false;
    }
    add(halving.steps);
    return true;
  }

  void add(const std::vector<HalvedStep>& halves) {
    for (const HalvedStep& step : halves) {
      if (const auto* product = std::get_if<PlannedProduct>(&step))
        steps_.emplace_back(*product);
      else
        add(std::get<Level3Problem>(step));
    }
  }

  void add_product(const GemmProblem& product) {
    steps_.emplace_back(PlannedProduct{product, engine_.plan(product)});
  }

  // The CPU BLAS's, in as many calls as its integers and a waiting fork ask for.
  void add_leaf(const Level3Problem& p) {
    const auto parts = divided_leaf(p, limits_);
    if (!parts) {
      steps_.emplace_back(RoutineStep{p, limits_.leading_dimension});
      return;
    }
    for (const Step& part : *parts)
      if (const auto* product = std::get_if<GemmProblem>(&part))
        add_product(*product);
      else
        add(std::get<Level3Problem>(part));
  }

  Engine& engine_;
  const LeafLimits limits_;
  std::optional<std::int64_t> insisted_leaf_;
  bool is_whole_ = true;
  std::optional<Reason> declined_;
  std::optional<CallKind> left_;
  std::vector<CallStep> steps_;
};

const PlannedProduct* first_product(const std::vector<CallStep>& steps) {
  for (const CallStep& step : steps)
    if (const auto* product = std::get_if<PlannedProduct>(&step)) return product;
  return nullptr;
}

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

/// Adds up what the products of a call did.
class Account {
 public:
  /// Needs no memory: a part of the call has been done.
  void add(Outcome&& did) {
    if (outcome_.products == 0) outcome_.plan = std::move(did.plan);
    outcome_.add_part(did);
    outcome_.job_times += did.job_times;
    outcome_.times.cpu += did.times.cpu;
    if (!did.used_gpu && !did.recovered) return;
    all_are_estimated_ &= did.seconds_won.has_value();
    won_ += did.seconds_won.value_or(0);
    outcome_.seconds_won = all_are_estimated_ ? std::optional(won_) : std::nullopt;
  }
  Outcome& outcome() { return outcome_; }
  Outcome take() { return std::move(outcome_); }

 private:
  Outcome outcome_;
  double won_ = 0;
  bool all_are_estimated_ = true;
};

// \pre the step failed for want of memory, and has written nothing.
Outcome done_without_memory(Engine& engine, const Step& step, bool uses_gpu) {
  Outcome outcome;
  outcome.plan.reason = Reason::short_memory;
  outcome.products = 1;
  outcome.recovered = outcome.was_declined = uses_gpu;
  const Stopwatch watch;
  run_on_cpu(engine, step);
  outcome.times.cpu = outcome.times.whole = watch.seconds();
  return outcome;
}

Outcome done(Engine& engine, const PlannedProduct& product) try {
  return engine.carry_out_part(product);
} catch (const std::bad_alloc&) {
  return done_without_memory(engine, product.problem, product.plan.uses_gpu());
}

Outcome done(Engine& engine, const DeviceCall& call) try {
  return carry_out(engine, call);
} catch (const std::bad_alloc&) {
  // Where the CPU BLAS needs copies, those of a part may have failed when others were written.
  if (widest_ld(call.problem) > cpu_blas_limits.leading_dimension) throw;
  return done_without_memory(engine, call.problem, true);
}

/// Seconds that the steps are expected to take; 0: not known.
double expected_seconds(const Engine& engine, const std::vector<CallStep>& steps) {
  double sum = 0;
  for (const CallStep& step : steps) {
    const auto* product = std::get_if<PlannedProduct>(&step);
    const double seconds = product == nullptr
                               ? estimated_cpu_seconds(engine, std::get<RoutineStep>(step).problem)
                           : product->plan.uses_gpu() ? product->plan.expected_seconds
                                                      : product->plan.cpu_only_seconds;
    if (seconds <= 0) return 0;
    sum += seconds;
  }
  return sum;
}

Decision on_cpu(Engine& engine, const Level3Problem& p, const LeafLimits& limits) {
  Decision decision;
  decision.reason = Reason::routine_fastest;
  decision.steps = steps_on_cpu(engine, limits, {p});
  return decision;
}

/// A decision for the device's jobs. \pre there is one.
Decision decided(std::vector<CallStep> steps) {
  Decision decision;
  const DeviceCall& job = *first_job(steps);
  decision.who = job.gpu_extent < divided_extent(job.problem) ? Who::both : Who::gpu;
  decision.plan = job.plan;
  decision.reason = job.plan.reason;
  decision.steps = std::move(steps);
  return decision;
}

}  // namespace

Decision decide(Engine& engine, const Level3Problem& p, const LeafLimits& limits, Level3Mode mode) {
  Decision decision;
  decision.reason = p.empty() ? Reason::no_elements : Reason::only_scales;
  if (p.changes_nothing()) return decision;
  const bool is_open = mode == Level3Mode::any || mode == Level3Mode::judged_by_caller;
  if (mode == Level3Mode::job || (is_open && engine.insists_on_gpu()))
    if (auto steps = device_steps(engine, p, {}); !steps.empty()) return decided(std::move(steps));
  Blocking blocking(engine, limits, p);
  blocking.add(p);
  decision.steps = blocking.take_steps();
  decision.reason = Reason::routine_fastest;
  if (const PlannedProduct* first = first_product(decision.steps)) {
    decision.plan = first->plan;
    decision.reason = first->plan.reason;
  }
  decision.who = who_of(decision.steps);
  // What does not gain as a whole is the CPU's, also where it is so large that it is split.
  if (blocking.declined()) {
    decision.who = Who::cpu;
    decision.reason = *blocking.declined();
  }
  if (!engine.request().chooses_by_speed()) return decision;
  if (is_open && !engine.insists_on_gpu() &&
      flops(p) >= smallest_flops(engine, p.routine, p.precision) && !is_too_short(engine, p)) {
    const bool halves = decision.uses_gpu();
    const AlternativeToJob other{
        halves ? expected_seconds(engine, decision.steps) : estimated_cpu_seconds(engine, p),
        halves, mode == Level3Mode::judged_by_caller};
    if (auto steps = device_steps(engine, p, other); !steps.empty())
      decision = decided(std::move(steps));
    // Estimates chose the device. A job beside no halves has been compared.
    if (mode == Level3Mode::any && halves && other.seconds > 0 && engine.learns() &&
        !device_beats_cpu(engine, p, decision.steps, other.seconds))
      decision = on_cpu(engine, p, limits);
  }
  if (decision.uses_gpu())
    decision.estimate.cpu_seconds = estimated_cpu_seconds(engine, p);
  else if (blocking.left())  // nothing of such a call would ever show whether that is still so
    engine.learner().note_left(*blocking.left(), estimated_cpu_seconds(engine, p));
  return decision;
}

Outcome carry_out(Engine& engine, const Level3Problem& p, const Decision& decision) {
  Account account;
  account.outcome().plan.reason = decision.reason;
  if (decision.steps.empty()) return account.take();
  const CallsAre calls = calls_are(engine);
  const Stopwatch watch;
  engine.require_on_cpu(p.routine, p.precision);
  for (const CallStep& step : decision.steps) {
    if (const auto* product = std::get_if<PlannedProduct>(&step))
      account.add(done(engine, *product));
    else if (const auto* call = std::get_if<DeviceCall>(&step))
      account.add(done(engine, *call));
    else
      carry_out(engine, std::get<RoutineStep>(step));
  }
  Outcome& outcome = account.outcome();
  outcome.times.whole = watch.seconds() - outcome.check_seconds;
  if (engine.learns() && engine.request().chooses_by_speed())
    remember(engine, p, decision, outcome, calls);
  engine.say(p, decision, outcome);
  return account.take();
}

std::vector<PlannedProduct> likely_products(Engine& engine, const Level3Problem& p) {
  std::vector<PlannedProduct> products;
  if (p.changes_nothing() || p.only_scales_c()) return products;
  for (const CallStep& step : decide(engine, p, cpu_blas_limits, Level3Mode::halves).steps)
    if (const auto* product = std::get_if<PlannedProduct>(&step)) products.push_back(*product);
  for (const CallStep& step : device_steps(engine, p, {}))
    if (const auto* product = std::get_if<PlannedProduct>(&step)) {
      products.push_back(*product);
    } else {
      const auto of_job = engine.products_of(std::get<DeviceCall>(step));
      products.insert(products.end(), of_job.begin(), of_job.end());
    }
  return products;
}

Outcome run_level3(Engine& engine, const Level3Problem& p, const LeafLimits& limits,
                   Level3Mode mode) {
  if (!p.changes_nothing()) engine.require_on_cpu(p.routine, p.precision);
  Decision decision = decide(engine, p, limits, mode);
  const double cpu = decision.estimate.cpu_seconds;
  if (mode == Level3Mode::any && decision.uses_gpu() && cpu > 0 &&
      engine.request().chooses_by_speed()) {
    const DeviceCall* job = first_job(decision.steps);
    const double device =
        job != nullptr ? job->plan.expected_seconds : expected_seconds(engine, decision.steps);
    const double guessed = guessed_gain * cpu;
    const double missed = device > 0 ? std::max(guessed, cpu - device) : guessed;
    if (const auto why = engine.why_not_yet(decision.steps, missed)) {
      decision = on_cpu(engine, p, limits);
      decision.reason = *why;
    }
  }
  return carry_out(engine, p, decision);
}

}  // namespace duoblas
