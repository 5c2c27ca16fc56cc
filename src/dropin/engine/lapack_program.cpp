#include "dropin/engine/lapack_program.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "lapack/solves.hpp"
#include "os/fork_state.hpp"
#include "problem/element_types.hpp"
#include "problem/lapack_problem.hpp"
#include "problem/problem_of_call.hpp"

namespace duoblas {

LapackRoutine lapack_routine_of(int routine) {
  using enum LapackRoutine;
  constexpr std::array<LapackRoutine, DUOBLAS_ROUTINES - DUOBLAS_GETRF> routines = {
      getrf, potrf, gesv, posv, getrs, potrs, geqrf, orgqr, ormqr, getri};
  return routines[static_cast<std::size_t>(routine - DUOBLAS_GETRF)];
}

namespace {

// The value that LAPACK returns in work[0]: the length for its usual blocks.
double usual_work(const LapackProblem& p) {
  constexpr std::int64_t block = 32, of_triangle = 65 * 64;
  const auto least = [](std::int64_t columns) { return std::max<std::int64_t>(1, columns); };
  std::int64_t length = least(p.n * block);
  if (p.routine == LapackRoutine::getri) length = least(p.n * 2 * block);
  if (p.routine == LapackRoutine::ormqr) length = least(p.right_sides) * block + of_triangle;
  return static_cast<double>(length);
}

void set_extents_of_qr(LapackProblem& p, const duoblas_blas_call& call) {
  p.tau = call.tau;
  p.m = call.m;
  switch (p.routine) {
    case LapackRoutine::orgqr: p.reflectors = call.k; break;
    case LapackRoutine::ormqr:
      p.n = call.k;
      p.right_sides = call.n;
      p.side = side_of_value(call.side);
      if (p.side == Side::right) std::swap(p.m, p.right_sides);
      break;
    default: break;
  }
}

}  // namespace

LapackProblem lapack_problem(const duoblas_blas_call& call) {
  LapackProblem p;
  p.routine = lapack_routine_of(call.routine);
  p.precision = static_cast<Precision>(call.precision);
  p.uplo = uplo_of_value(call.uplo);
  p.op = op_of_value(call.op_a);
  p.m = p.routine == LapackRoutine::getrf ? call.m : call.n;
  p.n = call.n;
  p.right_sides = call.k;
  // getrs and potrs only read the matrix.
  p.a = const_cast<void*>(call.a);
  p.lda = call.lda;
  p.b = call.c;
  p.ldb = call.ldc;
  if (!is_orthogonal(p.routine)) return p;
  p.right_sides = 0;
  set_extents_of_qr(p, call);
  return p;
}

ProgramLapack::ProgramLapack(const duoblas_blas_call& call)
    : problem_(lapack_problem(call)), info_(call.info), work_(call.work), is_wide_(call.wide != 0) {
  if (call.pivots == nullptr) return;
  if (is_wide_)
    narrow_.emplace(problem_, static_cast<std::int64_t*>(call.pivots));
  else
    problem_.pivots = static_cast<std::int32_t*>(call.pivots);
}

void ProgramLapack::publish(int info) const noexcept {
  if (narrow_) narrow_->publish();
  if (work_ != nullptr)
    with_element_type(problem_.precision, [&](auto zero) {
      using T = decltype(zero);
      *static_cast<T*>(work_) = static_cast<T>(static_cast<PartOf<T>>(usual_work(problem_)));
    });
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
  const bool has_few = !factorises(p.routine) && p.routine != LapackRoutine::getri &&
                       p.right_sides < few_right_sides;
  if (has_few && !is_orthogonal(p.routine)) return decision;
  if (has_few && p.routine == LapackRoutine::ormqr && !engine.plans().insists_on_gpu())
    return decision;
  decision.reason = Reason::routine_missing;
  if (!can_do(engine, p)) return decision;
  decision = decide(engine, p);
  if (engine.plans().insists_on_gpu()) return decision;
  if (decision.uses_gpu() && engine.plans().request().chooses_by_speed()) {
    if (is_ours(engine, p, decision)) return decision;
    decision.reason = Reason::program_faster;
  }
  decision.who = Who::programs_blas;
  return decision;
}

Outcome carry_out(Engine& engine, const ProgramLapack& call, const Decision& decision) {
  const LapackProblem& p = call.problem();
  LapackOutcome did = carry_out(engine, p, decision);
  call.publish(did.info);
  const Outcome& outcome = did.outcome;
  if (did.info == 0 && engine.learning().is_on() && engine.plans().request().chooses_by_speed() &&
      outcome.shows_gpu() && !outcome.check_in_times && fork_generation() == 0) {
    const double seconds = outcome.times.whole;
    const double programs =
        engine.learning().ways().least_plain_seconds(class_of(p), decision.estimate.cpu_seconds);
    engine.learning().observe(class_of(p), Way::job, seconds,
                              {seconds, seconds, programs - seconds});
  }
  return std::move(did.outcome);  // a copy might find no memory, and all has been written
}

}  // namespace duoblas
