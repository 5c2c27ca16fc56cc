#include "dropin/engine/lapack_program.hpp"

#include <cmath>

#include "cpu/fork_state.hpp"
#include "lapack/solves.hpp"

namespace duoblas {
namespace {

LapackRoutine lapack_routine_of(int routine) {
  switch (routine) {
    case DUOBLAS_POTRF: return LapackRoutine::potrf;
    case DUOBLAS_GESV: return LapackRoutine::gesv;
    case DUOBLAS_POSV: return LapackRoutine::posv;
    case DUOBLAS_GETRS: return LapackRoutine::getrs;
    case DUOBLAS_POTRS: return LapackRoutine::potrs;
    default: return LapackRoutine::getrf;
  }
}

// A gain under this is within what estimates err.
constexpr double worthwhile = 0.9;

}  // namespace

LapackProblem lapack_problem(const duoblas_blas_call& call) {
  LapackProblem p;
  p.routine = lapack_routine_of(call.routine);
  p.precision = static_cast<Precision>(call.precision);
  p.uplo = call.uplo == 122 ? Uplo::lower : Uplo::upper;
  p.op = call.op_a == 113 ? Op::conj_transpose : call.op_a == 112 ? Op::transpose : Op::none;
  p.m = p.routine == LapackRoutine::getrf ? call.m : call.n;
  p.n = call.n;
  p.right_sides = call.k;
  // Of getrs and potrs the matrix is only read.
  p.a = const_cast<void*>(call.a);
  p.lda = call.lda;
  p.b = call.c;
  p.ldb = call.ldc;
  return p;
}

ProgramLapack::ProgramLapack(const duoblas_blas_call& call)
    : problem_(lapack_problem(call)), info_(call.info), is_wide_(call.wide != 0) {
  if (is_wide_)
    narrow_.emplace(problem_, static_cast<std::int64_t*>(call.pivots));
  else
    problem_.pivots = static_cast<std::int32_t*>(call.pivots);
}

void ProgramLapack::publish(int info) const noexcept {
  if (narrow_) narrow_->publish();
  if (is_wide_)
    *static_cast<std::int64_t*>(info_) = info;
  else
    *static_cast<std::int32_t*>(info_) = info;
}

Decision decide(Engine& engine, const ProgramLapack& call) {
  const LapackProblem& p = call.problem();
  Decision decision;
  decision.who = Who::programs_blas;
  decision.reason = Reason::too_small;
  if (!factorises(p.routine) && p.right_sides < few_right_sides) return decision;
  decision.reason = Reason::routine_missing;
  if (!can_do(engine, p)) return decision;
  decision = decide(engine, p);
  if (engine.insists_on_gpu()) return decision;
  if (decision.uses_gpu() && engine.request().chooses_by_speed()) {
    const double programs = decision.estimate.cpu_seconds,
                 ours = expected_seconds(engine, p, decision);
    const bool is_known = programs > 0 && ours > 0;
    const bool is_ours = is_known && (engine.learns() ? engine.lapack_ways().choose(
                                                            p, ours, programs) == LapackWay::ours
                                                      : ours < worthwhile * programs);
    if (is_ours) return decision;
    decision.reason = Reason::program_faster;
  }
  decision.who = Who::programs_blas;
  return decision;
}

Outcome carry_out(Engine& engine, const ProgramLapack& call, const Decision& decision) {
  const LapackProblem& p = call.problem();
  const LapackOutcome did = carry_out(engine, p, decision);
  call.publish(did.info);
  const Outcome& outcome = did.outcome;
  if (did.info == 0 && engine.learns() && engine.request().chooses_by_speed() && outcome.used_gpu &&
      !outcome.recovered && !outcome.check_in_times && fork_generation() == 0)
    engine.lapack_ways().saw(p, LapackWay::ours, outcome.times.whole);
  return outcome;
}

void note_program_took(Engine& engine, const duoblas_blas_call& call, double seconds) {
  if (std::isfinite(seconds))
    engine.lapack_ways().saw(lapack_problem(call), LapackWay::programs, seconds);
}

}  // namespace duoblas
