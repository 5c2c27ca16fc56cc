#include "lapack/solves.hpp"
#include "engine/cpu_blas.hpp"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <memory>

#include "facts/rates.hpp"
#include "lapack/device_decision.hpp"
#include "lapack/division.hpp"
#include "lapack/row_exchanges.hpp"
#include "level3/blocked_level3.hpp"
#include "problem/adjoint.hpp"
#include "problem/caller_level3.hpp"
#include "problem/element_types.hpp"

namespace duoblas {
namespace {

// Of the right-hand sides. `back`: as they come after op(L).
void swap_rows(Engine& engine, const LapackProblem& p, const CpuConfig& cpu, bool back = false) {
  LapackProblem swaps = exchanges(p, {0, p.n}, p.b, p.ldb, p.right_sides);
  swaps.backwards = back;
  engine.cpu().run(swaps, cpu);
}

Level3Problem triangular_solve(const LapackProblem& p, Uplo uplo, Op op, Diag diag) {
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
  return to_row_major(call);
}

// Not as one job: inverses of diagonal blocks cost more digits than LAPACK's tests let pass (43
// roundings of the residual with a condition number of 4e14, where 30 are the most).
constexpr Level3Mode mode_of_solves = Level3Mode::halves;

// Two solves, both decided before anything is written. `beforehand`: what follows the decisions.
template <typename Work>
Outcome solve_twice(Engine& engine, const Level3Problem& first, const Level3Problem& second,
                    const Work& beforehand) {
  require_on_cpu(engine, Routine::trsm, first.precision);
  const Decision of_first = decide(engine, first, cpu_blas_limits, mode_of_solves);
  const Decision of_second = decide(engine, second, cpu_blas_limits, mode_of_solves);
  beforehand();
  Outcome both = duoblas::carry_out(engine, first, of_first);
  both.add_part(duoblas::carry_out(engine, second, of_second));
  return both;
}

// LAPACK's getrs swaps a row with one before it, too, where pivots say so, which getrf's never do.
// The device cannot: rows of a block are in the second copy when the next block's are swapped.
bool are_of_getrf(const std::int32_t* pivots, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i)
    if (pivots[i] <= i || pivots[i] > n) return false;
  return true;
}

// Strips are as wide as products that a GPU is busy with, and few.
std::int64_t strips_of(std::int64_t sides) {
  constexpr std::int64_t wide = 1024, most = 4;
  return std::clamp<std::int64_t>(sides / wide, 1, most);
}

}  // namespace

int first_zero(const LapackProblem& p) {
  return with_element_type(p.precision, [&](auto zero) {
    using T = decltype(zero);
    for (std::int64_t i = 0; i < p.n; ++i)
      if (*static_cast<const T*>(element_of(p.a, p.lda, i, i, p.precision)) == T(0))
        return static_cast<int>(i) + 1;
    return 0;
  });
}

std::optional<DeviceFactorisation> solve_on_device(Engine& engine, const LapackProblem& p,
                                                   MatrixHome home) {
  if (home == MatrixHome::in_place) return {};
  if (p.right_sides < few_right_sides) return {};
  GemmProblem product;
  product.precision = p.precision;
  product.m = p.right_sides;
  product.n = product.k = product.lda = product.ldb = product.ldc = p.n;
  LapackProblem solve = p;
  solve.routine = is_definite(p.routine) ? LapackRoutine::potrs : LapackRoutine::getrs;
  if (p.routine != LapackRoutine::getrs) solve.op = Op::none;
  if (solve.op != Op::none && !is_complex(p.precision)) solve.op = adjoint(p.precision);
  const std::int64_t width = resident_panel_columns(p.n, engine.plans().insists_on_gpu());
  // The host inverts and copies the triangles of its blocks.
  const double blocks =
      rates::seconds_of_block * static_cast<double>(p.n) / static_cast<double>(width);
  return held_by_device(engine, home, {solve, width, engine.plans().of_lapack(product)},
                        {blocks, estimated_cpu_seconds(engine, solve)});
}

void solve_in_strips(FactorsOnDevice& factors, const LapackProblem& p,
                     const std::function<void()>& beside) {
  factors.send(0);
  const std::int64_t strips = strips_of(p.right_sides);
  const std::int64_t each = (p.right_sides + strips - 1) / strips;
  for (std::int64_t first = 0; first < p.right_sides; first += each)
    factors.apply({}, {first, std::min(each, p.right_sides - first)});
  beside();
  factors.wait_for_next();
  factors.finish();
}

// Without room the solve is a job of its own. A failure here does not make one of the
// factorisation.
void solve_with_factors(FactorsOnDevice& factors, DeviceUpdates& device, SolveWithFactors& solve,
                        const std::function<void()>& beside) {
  if (!device.goes_on_with(solve.job)) {
    solve.was_begun = true;
    return;
  }
  std::unique_ptr<FactorsOnDevice> solver;
  try {
    solver = factors.solver(solve.job.problem);
    if (!solver) return;
    solve.was_begun = true;
    solve_in_strips(*solver, solve.job.problem, beside);
    solve.solved = solve.job.problem.right_sides;
    device.done();
  } catch (const std::exception&) {
    solve.was_begun = true;
    solve.solved = solver ? solver->abandon() : 0;
    if (!solver) factors.abandon();
    device.failed();
  }
}

Outcome solve_on_device(Engine& engine, const DeviceFactorisation& call) {
  const LapackProblem& p = call.problem;
  if (p.routine == LapackRoutine::getrs && !are_of_getrf(p.pivots, p.n))
    return solve_factorised(engine, p);
  const auto solve = [&](DeviceUpdates& device) {
    LapackProblem part = p;
    const auto factors = device.hold(call);
    if (factors) {
      std::int64_t solved = 0;
      try {
        solve_in_strips(*factors, p, [] {});
        device.done();
        solved = p.right_sides;
      } catch (const std::exception&) {
        solved = factors->abandon();
        device.failed();
      }
      if (p.op != Op::none && solved > 0) {
        part.right_sides = solved;
        swap_rows(engine, part, call.plan.cpu, true);
      }
      part.right_sides = p.right_sides - solved;
      part.b = element_of(p.b, p.ldb, 0, solved, p.precision);
    }
    if (part.right_sides > 0) engine.cpu().run(part, call.plan.cpu);
  };
  return carry_out_job(engine, call, solve, [&] { engine.cpu().run(p, call.plan.cpu); });
}

Outcome solve_factorised(Engine& engine, const LapackProblem& p) {
  Outcome on_cpu;
  on_cpu.plan = engine.plans().cpu_alone(p.precision, Reason::routine_fastest);
  if (p.empty() || p.right_sides == 0) return on_cpu;
  const bool definite = is_definite(p.routine);
  const CpuConfig& cpu = on_cpu.plan.cpu;
  if (p.right_sides < few_right_sides && !engine.plans().insists_on_gpu()) {
    LapackProblem own = p;
    own.routine = definite ? LapackRoutine::potrs : LapackRoutine::getrs;
    run_on_cpu(engine, own);
    return on_cpu;
  }
  if (definite) {
    const bool lower = p.uplo == Uplo::lower;
    const Op turned = adjoint(p.precision);
    return solve_twice(
        engine, triangular_solve(p, p.uplo, lower ? Op::none : turned, Diag::non_unit),
        triangular_solve(p, p.uplo, lower ? turned : Op::none, Diag::non_unit), [] {});
  }
  const Level3Problem of_l = triangular_solve(p, Uplo::lower, p.op, Diag::unit),
                      of_u = triangular_solve(p, Uplo::upper, p.op, Diag::non_unit);
  if (p.op == Op::none) return solve_twice(engine, of_l, of_u, [&] { swap_rows(engine, p, cpu); });
  // Not const: it would be copied, and the copy might find no memory when all has been written.
  Outcome did = solve_twice(engine, of_u, of_l, [] {});
  swap_rows(engine, p, cpu, true);
  return did;
}

}  // namespace duoblas
