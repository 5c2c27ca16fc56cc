#include "lapack/solves.hpp"

#include "level3/blocked_level3.hpp"
#include "problem/adjoint.hpp"
#include "problem/caller_level3.hpp"

namespace duoblas {
namespace {

void swap_rows(Engine& engine, const LapackProblem& p, const CpuConfig& cpu) {
  LapackProblem swaps = p;
  swaps.routine = LapackRoutine::laswp;
  swaps.n = p.right_sides;
  swaps.a = p.b;
  swaps.lda = p.ldb;
  swaps.first_row = 0;
  swaps.last_row = p.n;
  engine.cpu().run(swaps, cpu);
}

}  // namespace

Outcome solve_triangle(Engine& engine, const LapackProblem& p, Uplo uplo, Op op, Diag diag) {
  CallerLevel3 call;
  call.layout = Layout::column_major;
  Level3Problem& s = call.args;
  s.routine = Routine::trsm;
  s.precision = p.precision;
  s.uplo = uplo;
  s.op = op;
  s.diag = diag;
  s.m = p.n;
  s.n = p.right_sides;
  s.a = p.a;
  s.lda = p.lda;
  s.c = p.b;
  s.ldc = p.ldb;
  // Not as one job: inverses of diagonal blocks cost more digits than LAPACK's tests let pass (43
  // roundings of the residual with a condition number of 4e14, where 30 are the most).
  return run_level3(engine, to_row_major(call), cpu_blas_limits, Level3Way::halves);
}

Outcome solve_factorised(Engine& engine, const LapackProblem& p) {
  Outcome on_cpu;
  on_cpu.plan = engine.cpu_alone(p.precision, Reason::routine_fastest);
  if (p.empty() || p.right_sides == 0) return on_cpu;
  const bool definite = is_definite(p.routine);
  const CpuConfig& cpu = on_cpu.plan.cpu;
  const bool is_turned = !definite && p.op != Op::none;
  if (is_turned || (p.right_sides < few_right_sides && !engine.insists_on_gpu())) {
    LapackProblem own = p;
    own.routine = definite ? LapackRoutine::potrs : LapackRoutine::getrs;
    engine.cpu().run(own, cpu);
    return on_cpu;
  }
  if (definite) {
    const bool lower = p.uplo == Uplo::lower;
    const Op turned = adjoint(p.precision);
    const Outcome first =
        solve_triangle(engine, p, p.uplo, lower ? Op::none : turned, Diag::non_unit);
    solve_triangle(engine, p, p.uplo, lower ? turned : Op::none, Diag::non_unit);
    return first;
  }
  swap_rows(engine, p, cpu);
  const Outcome first = solve_triangle(engine, p, Uplo::lower, Op::none, Diag::unit);
  solve_triangle(engine, p, Uplo::upper, Op::none, Diag::non_unit);
  return first;
}

}  // namespace duoblas
