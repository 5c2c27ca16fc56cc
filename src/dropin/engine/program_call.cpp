#include "dropin/engine/program_call.hpp"

#include <utility>

#include "cpu/fork_state.hpp"
#include "dropin/engine/call_trials.hpp"
#include "dropin/engine/left_calls.hpp"
#include "level3/blocked_level3.hpp"
#include "level3/level3_call.hpp"
#include "timing/stopwatch.hpp"

namespace duoblas {
namespace {

constinit CallTrials trials;
constinit LeftCalls left_calls;

Decision to_program(Reason reason) {
  Decision decision;
  decision.who = Who::programs_blas;
  decision.reason = reason;
  return decision;
}

// What was asked for is no matter of speed, and is not left because it was before.
Decision left_to_program(const Engine& engine, const duoblas_level3_call& call, Reason reason) {
  // A device that failed may come back.
  const bool lasts = reason != Reason::gpu_failed_before;
  if (lasts && engine.request().chooses_by_speed()) left_calls.remember(call, reason);
  return to_program(reason);
}

struct Decided {
  Engine& engine;

  Decision operator()(const GemmProblem& p) const { return engine.decide(p); }
  Decision operator()(const Level3Problem& p) const { return decide(engine, p); }
};

// The products of gemm's kin leave a rest to the CPU BLAS. Where the GPU is insisted on, that may
// be all of a small call.
bool is_ours(const Engine& engine, const ProgramCall& problem, const Decision& decision) {
  return decision.uses_gpu() ||
         (std::holds_alternative<Level3Problem>(problem) && engine.insists_on_gpu());
}

bool lacks_routine(Engine& engine, const ProgramCall& problem) {
  const auto* kin = std::get_if<Level3Problem>(&problem);
  return kin != nullptr && !engine.has_on_cpu(kin->routine, kin->precision);
}

bool finds_kernels(Engine& engine, const ProgramCall& problem, const Decision& decision) {
  if (const auto* gemm = std::get_if<GemmProblem>(&problem))
    return engine.finds_kernels(*gemm, decision.plan);
  bool all = true;
  for (const CallStep& step : decision.steps)
    if (const auto* product = std::get_if<PlannedProduct>(&step))
      all &= engine.finds_kernels(product->problem, product->plan);
  return all;
}

}  // namespace

ProgramCall program_call(const duoblas_level3_call& call) {
  if (call.routine == DUOBLAS_GEMM) return gemm_problem(call);
  return to_row_major(caller_level3(call));
}

std::optional<Reason> remembered_reason(const Engine& engine, const duoblas_level3_call& call) {
  if (!engine.request().chooses_by_speed()) return std::nullopt;
  if (const auto reason = left_calls.reason_for(call)) return reason;
  if (trials.passes_on(call)) return Reason::program_faster;
  return std::nullopt;
}

Decision decide(Engine& engine, const duoblas_level3_call& call, const ProgramCall& problem) {
  Decision decision = std::visit(Decided{engine}, problem);
  if (!is_ours(engine, problem, decision)) return left_to_program(engine, call, decision.reason);
  if (lacks_routine(engine, problem)) return left_to_program(engine, call, Reason::routine_missing);
  if (!engine.request().chooses_by_speed()) return decision;
  switch (trials.next(call)) {
    case Turn::timed: return to_program(Reason::being_compared);
    case Turn::program: return to_program(Reason::program_faster);
    case Turn::engine: break;
  }
  if (!finds_kernels(engine, problem, decision)) return to_program(Reason::kernels_building);
  return decision;
}

Outcome carry_out(Engine& engine, const duoblas_level3_call& call, const ProgramCall& problem,
                  Decision&& decision) {
  const Stopwatch watch;
  const double cpu_estimate = decision.estimate.cpu_seconds;
  Outcome outcome;
  if (const auto* gemm = std::get_if<GemmProblem>(&problem))
    outcome = engine.carry_out(*gemm, std::move(decision));
  else
    outcome = carry_out(engine, std::get<Level3Problem>(problem), decision);
  // Waiting for the GPU is a part of the call.
  const double waited = watch.seconds() - outcome.check_seconds - outcome.times.whole;
  outcome.times.whole += waited;
  if (outcome.seconds_won) *outcome.seconds_won -= waited;
  if (engine.request().chooses_by_speed() && fork_generation() == 0 && !outcome.check_in_times)
    trials.note(call, Turn::engine, outcome.times.whole, cpu_estimate);
  return outcome;
}

void note_programs_seconds(const duoblas_level3_call& call, double seconds) {
  trials.note(call, Turn::timed, seconds, 0);
}

}  // namespace duoblas
