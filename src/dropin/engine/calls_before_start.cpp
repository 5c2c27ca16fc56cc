#include "dropin/engine/calls_before_start.hpp"

#include <algorithm>
#include <cmath>
#include <exception>

#include "dropin/engine/lapack_program.hpp"
#include "dropin/engine/program_call.hpp"
#include "engine/background_work.hpp"
#include "lapack/lapack_call.hpp"
#include "level3/blocked_level3.hpp"
#include "level3/call_steps.hpp"
#include "problem/problem_of_call.hpp"

namespace duoblas {

CallsBeforeStart::Calls* CallsBeforeStart::of(std::uint64_t kind) noexcept {
  const auto place = std::ranges::find_if(
      kinds_, [kind](const Calls& calls) { return calls.kind == kind || calls.kind == 0; });
  if (place == kinds_.end()) return nullptr;
  place->kind = kind;
  return &*place;
}

void CallsBeforeStart::note(const duoblas_blas_call& call) noexcept {
  if (is_stream(call.routine)) return;
  const GemmProblem product = product_of(call);
  // A day at one teraflop/s. By sizes of a damaged file plans would have endless steps.
  if (product.only_scales_c() || flops(product) > 1e17) return;
  const std::uint64_t kind = kind_of(product, {}).call;
  const std::lock_guard guard(mutex_);
  // Products are of class 0; two routines with the same product inside must not meet.
  Calls* const calls = of(kind ^ static_cast<std::uint64_t>(call.routine - DUOBLAS_GEMM));
  if (calls == nullptr || flops(product_of(calls->call)) >= flops(product)) return;
  calls->call = call_of(call_numbers(call)).value_or(calls->call);
}

void CallsBeforeStart::add(const GemmProblem& product, double seconds, bool at_most) noexcept {
  const std::uint64_t kind = kind_of(product, {}).call;
  const std::lock_guard guard(mutex_);
  Calls* const place = of(kind);
  if (place == nullptr || (at_most && place->last.seconds > 0)) return;
  place->before_last = place->last;
  place->last = {without_matrices(product), seconds, at_most};
}

std::optional<GemmProblem> CallsBeforeStart::largest_product() noexcept {
  const std::lock_guard guard(mutex_);
  const auto flops_of = [](const Calls& calls) { return flops(product_of(calls.call)); };
  const Calls& largest = *std::ranges::max_element(kinds_, {}, flops_of);
  if (flops_of(largest) == 0) return {};
  return without_matrices(product_of(largest.call));
}

std::vector<KnownCall> CallsBeforeStart::known(const std::vector<CallNumbers>& earlier) {
  for (const CallNumbers& numbers : earlier)
    if (const auto call = call_of(numbers)) note(*call);
  const std::lock_guard guard(mutex_);
  std::vector<KnownCall> known;
  for (const Calls& calls : kinds_)
    if (const GemmProblem product = product_of(calls.call); flops(product) > 0)
      known.push_back({account_class(product), call_numbers(calls.call)});
  return known;
}

void CallsBeforeStart::tell(Engine& engine, const Time& time, bool at_most) {
  const Plan plan = engine.plans().of(time.product);
  if (!plan.forecast) return;
  constexpr std::size_t of_cpu = place_of(Timed::cpu_all);
  Forecast forecast;
  forecast.kind = plan.forecast->kind;
  forecast.modelled[of_cpu] =
      plan.cpu_only_seconds /
      std::exp(engine.learning().learned(forecast.kind).of(Timed::cpu_all).mean);
  if (at_most && time.seconds >= plan.cpu_only_seconds) return;
  CallTimes took;
  took.whole = took.seconds[of_cpu] = time.seconds;
  took.is_part = true;  // the program did this call before DuoBLAS could choose who does it
  engine.learning().learner().note(forecast.kind, forecast, took);
}

void CallsBeforeStart::tell(Engine& engine) noexcept {
  const std::lock_guard guard(mutex_);
  try {
    for (Calls& calls : kinds_) {
      // A process's first call of a kind waits for threads, memory and caches.
      const bool is_pair = calls.before_last.seconds > 0;
      if (is_pair) tell(engine, calls.before_last, calls.before_last.at_most);
      if (calls.last.seconds > 0) tell(engine, calls.last, calls.last.at_most || !is_pair);
      calls.last = calls.before_last = {};
    }
  } catch (const std::exception&) {
    // Memory is short. These times are lost; the calls from now on are timed anyway.
  }
}

void CallsBeforeStart::expect(Engine& engine, const duoblas_blas_call& call) {
  const auto expect_launches = [&](const Launches& launches) {
    engine.readiness().expect(launches, account_class(product_of(call)));
  };
  const ProgramCall problem = program_call(call);
  if (const auto* p = std::get_if<Level3Problem>(&problem)) {
    if (flops(*p) < smallest_flops(engine, p->routine, p->precision)) return;
    // Either way, step by step: each is worth its own price.
    for (const auto& steps :
         {halves_of_call(engine, cpu_blas_limits, *p).steps, device_steps(engine, *p)})
      for (const CallStep& step : steps) expect_launches(Launches({step}));
  } else if (const auto* lapack = std::get_if<ProgramLapack>(&problem)) {
    const LapackProblem& p = lapack->problem();
    const Decision decision = can_do(engine, p) ? decide(engine, p) : Decision();
    if (decision.uses_gpu()) expect_launches(Launches(decision.steps));
  } else if (const auto* product = std::get_if<GemmProblem>(&problem)) {
    const Plan plan = engine.plans().of(*product);
    if (plan.uses_gpu()) expect_launches(Launches(*product, plan));
  }
}

// Calls that begin meanwhile do not wait for the lock.
void CallsBeforeStart::expect(Engine& engine) noexcept try {
  if (!engine.plans().request().chooses_by_speed()) return;
  for (const KnownCall& one : known(engine.outlays().known_calls()))
    if (background_work_is_wanted()) expect(engine, call_of(one.numbers).value());
} catch (const std::exception&) {
  // Memory is short: calls find it missing.
}

CallsBeforeStart& calls_before_start() {
  static CallsBeforeStart& one = *new CallsBeforeStart;
  return one;
}

}  // namespace duoblas
