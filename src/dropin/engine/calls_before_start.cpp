#include "dropin/engine/calls_before_start.hpp"

#include <algorithm>
#include <cmath>
#include <exception>

#include "dropin/engine/lapack_program.hpp"
#include "dropin/engine/program_call.hpp"
#include "engine/background_work.hpp"
#include "lapack/lapack_call.hpp"
#include "level3/blocked_level3.hpp"
#include "problem/problem_of_call.hpp"

namespace duoblas {
namespace {

std::uint64_t kind_of_product(const GemmProblem& product) {
  return kind_of(product, {}).call;
}

}  // namespace

CallsBeforeStart::Calls* CallsBeforeStart::of(std::uint64_t kind) noexcept {
  const auto place = std::ranges::find_if(
      kinds_, [kind](const Calls& calls) { return calls.kind == kind || calls.kind == 0; });
  if (place == kinds_.end()) return nullptr;
  place->kind = kind;
  return &*place;
}

void CallsBeforeStart::note(const duoblas_blas_call& call) noexcept {
  const GemmProblem product = product_of(call);
  const std::uint64_t kind = kind_of_product(product);
  const std::lock_guard guard(mutex_);
  // Products are of class 0; two routines with the same product inside must not meet.
  Calls* const calls = of(kind ^ static_cast<std::uint64_t>(call.routine - DUOBLAS_GEMM));
  if (calls == nullptr || flops(calls->product) >= flops(product)) return;
  calls->product = without_matrices(product);
  if (is_lapack(call.routine))
    calls->around = lapack_problem(call);
  else if (call.routine != DUOBLAS_GEMM)
    calls->around = to_row_major(caller_level3(call));
}

void CallsBeforeStart::add(const GemmProblem& product, double seconds, bool at_most) noexcept {
  const std::uint64_t kind = kind_of_product(product);
  const std::lock_guard guard(mutex_);
  Calls* const place = of(kind);
  if (place == nullptr || (at_most && place->last.seconds > 0)) return;
  place->before_last = place->last;
  place->last = {without_matrices(product), seconds, at_most};
}

std::optional<GemmProblem> CallsBeforeStart::largest_product() noexcept {
  const std::lock_guard guard(mutex_);
  const Calls& largest = *std::ranges::max_element(
      kinds_, {}, [](const Calls& calls) { return flops(calls.product); });
  return flops(largest.product) > 0 ? std::optional(largest.product) : std::nullopt;
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

void CallsBeforeStart::expect(Engine& engine, const Calls& calls) {
  const auto expect_launches = [&](const Launches& launches) {
    engine.readiness().expect(launches, account_class(calls.product));
  };
  if (const auto* p = std::get_if<Level3Problem>(&calls.around)) {
    if (flops(*p) < smallest_flops(engine, p->routine, p->precision)) return;
    for (const Level3Mode way : {Level3Mode::halves, Level3Mode::job})
      expect_launches(Launches(decide(engine, *p, cpu_blas_limits, way).steps));
  } else if (const auto* lapack = std::get_if<LapackProblem>(&calls.around)) {
    const Decision decision = can_do(engine, *lapack) ? decide(engine, *lapack) : Decision();
    if (decision.uses_gpu()) expect_launches(Launches(decision.steps));
  } else if (const Plan plan = engine.plans().of(calls.product); plan.uses_gpu()) {
    expect_launches(Launches(calls.product, plan));
  }
}

// Calls that begin meanwhile do not wait for the lock.
void CallsBeforeStart::expect(Engine& engine) noexcept try {
  if (!engine.plans().request().chooses_by_speed()) return;
  for (std::size_t i = 0; i < most_kinds && background_work_is_wanted(); ++i) {
    std::unique_lock lock(mutex_);
    const Calls calls = kinds_[i];
    lock.unlock();
    if (flops(calls.product) > 0) expect(engine, calls);
  }
} catch (const std::exception&) {
  // Memory is short: calls find it missing.
}

CallsBeforeStart& calls_before_start() {
  static CallsBeforeStart& one = *new CallsBeforeStart;
  return one;
}

}  // namespace duoblas
