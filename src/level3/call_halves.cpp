// A level-3 call by halves: which products, and what is left to the CPU BLAS.
#include <algorithm>
#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include "level3/blocked_level3.hpp"
#include "level3/call_steps.hpp"
#include "problem/halving.hpp"

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
std::int64_t insisted_order(const Level3Problem& whole) {
  return std::clamp(order(whole) / insisted_levels, least_insisted, most_insisted);
}

/// What the CPU BLAS loses by halving: it is slower on small matrices, and the halves' products
/// show by how much. `product` is the CPU's time for one of these.
double halving_loss(double call, double share, int products, double product) {
  return std::max(0.0, (products + 2 * share) * product - call);
}

/// The halves, with planned products. Of the smaller calls of the routine nothing is decided yet.
std::vector<CallStep> planned_halves(Engine& engine, const Level3Problem& p) {
  std::vector<CallStep> steps;
  for (const Step& step : halved(p, halfway(order(p))))
    if (const auto* product = std::get_if<GemmProblem>(&step))
      steps.emplace_back(PlannedProduct{*product, engine.plans().of(*product)});
    else
      steps.emplace_back(RoutineStep{std::get<Level3Problem>(step)});
  return steps;
}

/// Why the planned halves are slower than the routine, or gain too little; nothing: they gain.
std::optional<Reason> why_not(Engine& engine, const Level3Problem& p,
                              const std::vector<CallStep>& halves) {
  double gain = 0, slowest = 0;
  int products = 0;
  bool finds_out = false;
  for (const CallStep& step : halves) {
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
  // Products are half of a call.
  if (gains(call - gain, call, 0.5)) return std::nullopt;
  return Reason::routine_fastest;
}

/// The halves, and why halving does not pay, where it does not.
CallHalves judged_halves(Engine& engine, const Level3Problem& p) {
  if (flops(p) < smallest_flops(engine, p.routine, p.precision))
    return {{}, engine.plans().why_never_gpu(p.precision).value_or(Reason::below_crossover), {}};
  if (order(p) < smallest_halved) return {{}, Reason::too_small, {}};
  if (is_too_short(engine, p)) return {{}, Reason::below_crossover, {}};
  CallHalves halves{planned_halves(engine, p), {}, {}};
  halves.declined = why_not(engine, p, halves.steps);
  for (const CallStep& step : halves.steps) {
    const auto* product = std::get_if<PlannedProduct>(&step);
    if (product == nullptr || product->plan.uses_gpu()) continue;
    if (product->plan.forecast) halves.left = product->plan.forecast->kind;
    break;
  }
  return halves;
}

/// One call on its way through the recursion: what is left are steps.
class Blocking {
 public:
  Blocking(Engine& engine, const RoutineLimits& limits, const Level3Problem& whole)
      : engine_(engine), limits_(limits) {
    if (engine.plans().insists_on_gpu()) insisted_order_ = insisted_order(whole);
  }

  void add(const Level3Problem& p) {
    if (p.only_scales_c() || !add_halves(p)) add_routine(p);
  }

  CallHalves take() { return std::move(call_); }

 private:
  // False: it is not to be halved.
  bool add_halves(const Level3Problem& p) {
    const bool whole = std::exchange(is_whole_, false);
    if (insisted_order_) {
      if (order(p) <= *insisted_order_) return false;
      add(planned_halves(engine_, p));
      return true;
    }
    const CallHalves halves = judged_halves(engine_, p);
    if (!halves.declined) {
      add(halves.steps);
    } else if (whole) {
      call_.declined = halves.declined;
      call_.left = halves.left;
    }
    return !halves.declined;
  }

  void add(const std::vector<CallStep>& halves) {
    for (const CallStep& step : halves)
      if (const auto* call = std::get_if<RoutineStep>(&step))
        add(call->problem);
      else
        call_.steps.push_back(step);
  }

  // The CPU BLAS's, in as many calls as its integers and a waiting fork ask for.
  void add_routine(const Level3Problem& p) {
    divide(
        p, limits_,
        [&](const GemmProblem& product) {
          call_.steps.emplace_back(PlannedProduct{product, engine_.plans().of(product)});
        },
        [&](const RoutineStep& routine) { call_.steps.emplace_back(routine); });
  }

  Engine& engine_;
  const RoutineLimits limits_;
  std::optional<std::int64_t> insisted_order_;
  bool is_whole_ = true;
  CallHalves call_;
};

}  // namespace

CallHalves halves_of_call(Engine& engine, const RoutineLimits& limits, const Level3Problem& p) {
  Blocking blocking(engine, limits, p);
  blocking.add(p);
  return blocking.take();
}

}  // namespace duoblas
