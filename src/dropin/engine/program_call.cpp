#include "dropin/engine/program_call.hpp"
#include "engine/cpu_blas.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include "dropin/engine/calls_before_start.hpp"
#include "dropin/engine/known_calls.hpp"
#include "engine/background_work.hpp"
#include "engine/readiness.hpp"
#include "facts/rates.hpp"
#include "level3/blocked_level3.hpp"
#include "level3/call_steps.hpp"
#include "os/fork_state.hpp"
#include "problem/problem_of_call.hpp"
#include "timing/stopwatch.hpp"

namespace duoblas {
namespace {

void remember_left(const duoblas_blas_call& call, Reason reason) {
  const std::uint64_t key = call_key(call);
  left_calls.keep(key, key, reason);
}

// A call of the program's own BLAS that is under way on this thread and is timed. Products and
// memory-bound calls are the learner's.
struct TimedCall {
  std::optional<Forecast> forecast;
  CallClass call_class;  ///< without a forecast
  bool beside_compiler = false;
};
constinit thread_local TimedCall timed_call{};

// To decide takes some microseconds, less than 0.2 % of other calls.
bool is_short(const Decision& decided) {
  const auto& forecast = decided.plan.forecast;
  const double seconds = forecast ? forecast->best_seconds : decided.estimate.cpu_seconds;
  return seconds < rates::long_beside_waking;
}

// Of a call of LAPACK that might have been ours the time is wanted. What was asked for is no matter
// of speed, and is not left because it was before. A device that failed may come back.
Decision left_to_program(const Engine& engine, const duoblas_blas_call& call, Decision&& decided) {
  const bool is_wanted = is_lapack(call.routine) && !decided.steps.empty();
  const bool lasts =
      decided.reason != Reason::gpu_failed_before && decided.reason != Reason::finding_out;
  if (!is_wanted && lasts && is_short(decided) && engine.plans().request().chooses_by_speed())
    remember_left(call, decided.reason);
  decided.who = Who::programs_blas;
  return std::move(decided);
}

bool is_by_speed(Reason reason) {
  constexpr Reason by_speed[] = {Reason::routine_fastest, Reason::cpu_fastest,
                                 Reason::cpu_fastest_same_device, Reason::too_small,
                                 Reason::below_crossover};
  return std::ranges::find(by_speed, reason) != std::end(by_speed);
}

// A level-3 call other than gemm. What goes past to find out a time is not remembered.
Decision decided_by_times(Engine& engine, const Level3Problem& p) {
  Decision decision = decide(engine, p);
  if (!engine.learning().is_on()) return decision;
  const CallClass call = call_class(engine, p);
  const auto seen = [&](Way way) { return engine.learning().ways().seen_seconds(call, way); };
  const auto plain = seen(Way::plain), job = seen(Way::job), halves = seen(Way::halves);
  if (decision.uses_gpu()) {
    const bool is_job = std::holds_alternative<DeviceCall>(decision.steps.front());
    decision.estimate =
        engine.learning().as_seen(call, is_job ? Way::job : Way::halves, decision.estimate);
    return decision;
  }
  if (!is_by_speed(decision.reason) || !is_choice(engine, p, decision)) return decision;
  decision.estimate.cpu_seconds = plain ? *plain : estimated_cpu_seconds(engine, p);
  const bool is_slower = plain && ((job && *job < *plain) || (halves && *halves < *plain));
  if (!plain || is_slower)
    decision.reason = Reason::finding_out;
  else if (job || halves)
    decision.reason = Reason::program_faster;
  return decision;
}

struct Decided {
  Engine& engine;

  Decision operator()(const GemmProblem& p) const { return engine.decide(p); }
  Decision operator()(const Level3Problem& p) const { return decided_by_times(engine, p); }
  Decision operator()(const GemvProblem& p) const { return engine.decide(p); }
  Decision operator()(const ProgramLapack& p) const { return decide(engine, p); }
};

// The products inside the other level-3 routines leave a rest to the CPU BLAS. Where the GPU is
// insisted on, that may be all of a small call.
bool is_ours(const Engine& engine, const ProgramCall& problem, const Decision& decision) {
  if (std::holds_alternative<ProgramLapack>(problem)) return decision.who != Who::programs_blas;
  return decision.uses_gpu() ||
         (std::holds_alternative<Level3Problem>(problem) && engine.plans().insists_on_gpu());
}

bool lacks_routine(Engine& engine, const ProgramCall& problem) {
  if (const auto* gemv = std::get_if<GemvProblem>(&problem))
    return !has_on_cpu(engine, VectorRoutine::gemv, gemv->precision);
  const auto* level3_problem = std::get_if<Level3Problem>(&problem);
  return level3_problem != nullptr &&
         !has_on_cpu(engine, level3_problem->routine, level3_problem->precision);
}

// In HPL (N = 8000) on a stand-in of two cores one update on the GPU took 0.24 s, and the check of
// it 1.2 s, where the CPU takes 0.08.
std::optional<Reason> why_not_ready(Engine& engine, const duoblas_blas_call& call,
                                    const ProgramCall& problem, const Decision& decision) {
  const double calls = 1 + untold_calls(call_key(call));
  const auto* const lapack = std::get_if<ProgramLapack>(&problem);
  const auto missed = [&] {
    Estimate estimate = decision.estimate;
    if (lapack != nullptr)
      estimate = engine.learning().as_seen(class_of(lapack->problem()), Way::job, estimate);
    const double seconds = calls * estimate.gain();
    return Missed(seconds, is_stream(call.routine) ? other_calls : account_class(product_of(call)));
  };
  const auto why_not = [&](const Launches& launches) {
    return engine.readiness().why_not(launches, Patience::none, std::cref(missed));
  };
  if (const auto* gemm = std::get_if<GemmProblem>(&problem))
    return why_not(Launches(*gemm, decision.plan));
  const auto* const gemv = std::get_if<GemvProblem>(&problem);
  if (gemv == nullptr) return why_not(Launches(decision.steps));
  const auto why = why_not(Launches(*gemv));
  if (why == Reason::kernels_not_missed && is_short(decision)) remember_left(call, *why);
  return why;
}

// The learner gets the products inside as parts of a call.
Outcome carry_out_level3(Engine& engine, const Level3Problem& p, const Decision& decision) {
  const CallLearner::Scope scope(engine.learning().learner());
  const CallClass call = call_class(engine, p);
  Outcome outcome = carry_out(engine, p, decision);
  if (!engine.learning().is_on() || !outcome.shows_gpu() || fork_generation() != 0) return outcome;
  const double seconds = outcome.times.whole;
  const double plain =
      engine.learning().ways().least_plain_seconds(call, decision.estimate.cpu_seconds);
  engine.learning().learner().note_other({seconds, seconds, plain - seconds});
  return outcome;
}

// The class of a call that is left to the program's BLAS, but might have been ours.
std::optional<CallClass> class_to_learn(Engine& engine, const ProgramCall& problem,
                                        const Decision& decision) {
  if (const auto* lapack = std::get_if<ProgramLapack>(&problem))
    return decision.steps.empty() ? std::nullopt : std::optional(class_of(lapack->problem()));
  const auto* p = std::get_if<Level3Problem>(&problem);
  if (p == nullptr || !engine.learning().is_on() || !is_choice(engine, *p, decision))
    return std::nullopt;
  return call_class(engine, *p);
}

// Beside a compiler or another call the program's BLAS may be slow.
void note_program_took(Engine& engine, double seconds, bool contended) {
  const CallClass& call = timed_call.call_class;
  const bool is_disturbed = contended || timed_call.beside_compiler || background_work_is_running();
  engine.learning().observe(is_disturbed ? as_unusual(call) : call, Way::plain, seconds,
                            {seconds, 0, 0});
}

}  // namespace

ProgramCall program_call(const duoblas_blas_call& call) {
  if (call.routine == DUOBLAS_GEMM) return gemm_problem(call);
  if (call.routine == DUOBLAS_GEMV) return gemv_problem(call);
  if (is_lapack(call.routine)) return ProgramLapack(call);
  return to_row_major(caller_level3(call));
}

GemmProblem product_of(const duoblas_blas_call& call) {
  if (call.routine == DUOBLAS_GEMM) return gemm_problem(call);
  const auto half = [](std::int64_t extent) { return (extent + 1) / 2; };
  GemmProblem product;
  product.precision = static_cast<Precision>(call.precision);
  product.beta = 1.0;
  if (is_lapack(call.routine)) {
    product.m = product.n = half(call.n);
    product.k = std::max<std::int64_t>(1, half(call.k > 0 ? std::min(call.n, call.k) : call.n));
    return product;
  }
  product.m = call.m > 0 ? call.m : half(call.n);
  product.n = call.m > 0 ? call.n : half(call.n);
  product.k = call.m > 0 ? half(side_of_value(call.side) == Side::right ? call.n : call.m) : call.k;
  return product;
}

std::optional<Reason> remembered_reason(const Engine& engine, const duoblas_blas_call& call) {
  if (!engine.plans().request().chooses_by_speed()) return std::nullopt;
  const std::uint64_t key = call_key(call);
  const Reason* const reason = left_calls.find(key, key);
  return reason != nullptr ? std::optional(*reason) : std::nullopt;
}

Decision decide(Engine& engine, const duoblas_blas_call& call, const ProgramCall& problem) {
  const auto* const gemv = std::get_if<GemvProblem>(&problem);
  Decision decision;
  decision.who = Who::programs_blas;
  decision.reason = Reason::no_elements;
  if (gemv != nullptr && is_empty(*gemv)) return decision;
  decision = std::visit(Decided{engine}, problem);
  // Other calls are learned as a whole, not as the product whose plan theirs is.
  if (gemv == nullptr && !std::holds_alternative<GemmProblem>(problem))
    decision.plan.forecast.reset();
  if (!is_ours(engine, problem, decision))
    return left_to_program(engine, call, std::move(decision));
  if (lacks_routine(engine, problem)) {
    decision.reason = Reason::routine_missing;
    return left_to_program(engine, call, std::move(decision));
  }
  if (!engine.plans().request().chooses_by_speed()) return decision;
  const auto why = why_not_ready(engine, call, problem, decision);
  if (!why) {
    const std::uint64_t key = call_key(call);
    left_calls.forget(key, key);
    return decision;
  }
  calls_before_start().note(call);
  decision.who = Who::programs_blas;
  decision.reason = *why;
  // What is learned from whatever the program's BLAS takes, though this is not its turn.
  if (auto& forecast = decision.plan.forecast) forecast->explores = false;
  return decision;
}

Outcome carry_out(Engine& engine, const ProgramCall& problem, Decision&& decision) {
  const Stopwatch watch;
  Outcome outcome;
  if (const auto* gemm = std::get_if<GemmProblem>(&problem)) {
    outcome = engine.carry_out(*gemm, std::move(decision));
  } else if (const auto* gemv = std::get_if<GemvProblem>(&problem)) {
    outcome = engine.carry_out(*gemv, std::move(decision));
  } else if (const auto* lapack = std::get_if<ProgramLapack>(&problem)) {
    outcome = carry_out(engine, *lapack, decision);
  } else {
    outcome = carry_out_level3(engine, std::get<Level3Problem>(problem), decision);
  }
  // Waiting for the GPU is a part of the call.
  const double waited = watch.seconds() - outcome.check_seconds - outcome.times.whole;
  outcome.times.whole += waited;
  if (outcome.seconds_won) *outcome.seconds_won -= waited;
  return outcome;
}

bool begin_timed(Engine& engine, const ProgramCall& problem, const Decision& decision) {
  const auto to_learn = class_to_learn(engine, problem, decision);
  if (!decision.plan.forecast && !to_learn) return false;
  timed_call = {decision.plan.forecast, to_learn.value_or(CallClass()),
                decision.reason == Reason::kernels_building || background_work_is_running()};
  return true;
}

void end_timed(Engine& engine, double seconds, bool contended) {
  if (!std::isfinite(seconds)) return;
  if (!timed_call.forecast) return note_program_took(engine, seconds, contended);
  const Forecast& forecast = *timed_call.forecast;
  if (contended != forecast.kind.contended) return;
  CallTimes took;
  took.whole = took.seconds[place_of(Timed::cpu_all)] = seconds;
  engine.learning().learner().note(forecast.kind, forecast, took);
}

void note_before_device(Engine& engine, const duoblas_blas_call& call, double seconds) {
  if (call.routine == DUOBLAS_GEMM || is_stream(call.routine)) return;
  CallClass learned;
  if (is_lapack(call.routine)) {
    learned = class_of(lapack_problem(call));
  } else {
    const Level3Problem problem = to_row_major(caller_level3(call));
    if (problem.changes_nothing() || problem.only_scales_c()) return;
    learned = class_of(problem);
  }
  engine.learning().observe(learned, Way::plain, seconds);
}

}  // namespace duoblas
