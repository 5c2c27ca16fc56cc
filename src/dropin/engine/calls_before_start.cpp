#include "dropin/engine/calls_before_start.hpp"

#include <algorithm>
#include <cmath>
#include <exception>

namespace duoblas {

void CallsBeforeStart::add(const GemmProblem& product, double seconds, bool at_most) noexcept {
  const std::uint64_t kind = kind_of(product, {}).call;
  const std::lock_guard guard(mutex_);
  const auto place = std::ranges::find_if(
      kinds_, [kind](const Calls& calls) { return calls.kind == kind || calls.kind == 0; });
  if (place == kinds_.end() || (at_most && place->last.seconds > 0)) return;
  place->kind = kind;
  place->before_last = place->last;
  place->last = {product, seconds, at_most};
  place->last.product.a = place->last.product.b = nullptr;
  place->last.product.c = nullptr;
}

void CallsBeforeStart::tell(Engine& engine, const Call& call, bool at_most) {
  const Plan plan = engine.plans().of(call.product);
  if (!plan.forecast) return;
  constexpr std::size_t of_cpu = place_of(Timed::cpu_all);
  Forecast forecast;
  forecast.kind = plan.forecast->kind;
  forecast.modelled[of_cpu] =
      plan.cpu_only_seconds /
      std::exp(engine.learning().learned(forecast.kind).of(Timed::cpu_all).mean);
  if (at_most && call.seconds >= plan.cpu_only_seconds) return;
  CallTimes took;
  took.whole = took.seconds[of_cpu] = call.seconds;
  took.is_part = true;  // the program did this call before DuoBLAS could choose who does it
  engine.learning().learner().note(forecast.kind, forecast, took);
}

void CallsBeforeStart::tell(Engine& engine) noexcept {
  const std::lock_guard guard(mutex_);
  try {
    for (const Calls& calls : kinds_) {
      // A process's first call of a kind waits for threads, memory and caches.
      const bool is_pair = calls.before_last.seconds > 0;
      if (is_pair) tell(engine, calls.before_last, calls.before_last.at_most);
      if (calls.kind != 0) tell(engine, calls.last, calls.last.at_most || !is_pair);
    }
    kinds_.fill({});
  } catch (const std::exception&) {
    // Memory is short. These times are lost; the calls from now on are timed anyway.
  }
}

CallsBeforeStart& calls_before_start() {
  static CallsBeforeStart& one = *new CallsBeforeStart;
  return one;
}

}  // namespace duoblas
