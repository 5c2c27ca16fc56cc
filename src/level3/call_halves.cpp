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

/// Planned products, and smaller calls of the routine, of which nothing is decided yet.
using Halves = std::vector<std::variant<PlannedProduct, Level3Problem>>;

Halves planned_halves(Engine& engine, const Level3Problem& p) {
  Halves halves;
  for (const Step& step : halved(p, halfway(order(p))))
    if (const auto* product = std::get_if<GemmProblem>(&step))
      halves.emplace_back(PlannedProduct{*product, engine.plans().of(*product)});
    else
      halves.emplace_back(std::get<Level3Problem>(step));
  return halves;
}

/// Why the planned halves are slower than the routine, or gain too little; nothing: they gain.
std::optional<Reason> why_not(Engine& engine, const Level3Problem& p, const Halves& halves) {
  double gain = 0, slowest = 0;
  int products = 0;
  bool finds_out = false;
  for (const auto& half : halves) {
    const auto* product = std::get_if<PlannedProduct>(&half);
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

/// Why halving does not pay; nothing: it does, by these halves.
std::optional<Reason> why_not_halved(Engine& engine, const Level3Problem& p, Halves& halves) {
  if (flops(p) < smallest_flops(engine, p.routine, p.precision))
    return engine.plans().why_never_gpu(p.precision).value_or(Reason::below_crossover);
  if (order(p) < smallest_halved) return Reason::too_small;
  if (is_too_short(engine, p)) return Reason::below_crossover;
  halves = planned_halves(engine, p);
  return why_not(engine, p, halves);
}

/// The kind of the first product that is the CPU's.
std::optional<CallKind> left_to_cpu(const Halves& halves) {
  for (const auto& half : halves)
    if (const auto* product = std::get_if<PlannedProduct>(&half);
        product != nullptr && !product->plan.uses_gpu())
      return product->plan.forecast ? std::optional(product->plan.forecast->kind) : std::nullopt;
  return std::nullopt;
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
    Halves halves;
    const auto declined = why_not_halved(engine_, p, halves);
    if (!declined) {
      add(halves);
    } else if (whole) {
      call_.declined = declined;
      call_.left = left_to_cpu(halves);
    }
    return !declined;
  }

  void add(const Halves& halves) {
    for (const auto& half : halves)
      if (const auto* call = std::get_if<Level3Problem>(&half))
        add(*call);
      else
        call_.steps.push_back(std::get<PlannedProduct>(half));
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
