#include "lapack/lapack_call.hpp"
#include "engine/cpu_blas.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <new>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "facts/rates.hpp"
#include "lapack/device_decision.hpp"
#include "lapack/division.hpp"
#include "lapack/solves.hpp"
#include "problem/caller_lapack.hpp"
#include "problem/lapack_problem.hpp"
#include "timing/stopwatch.hpp"

namespace duoblas {
namespace {

// What the CPU BLAS has to contain.
constexpr LapackRoutine needed[] = {LapackRoutine::getrf, LapackRoutine::potrf,
                                    LapackRoutine::getrs, LapackRoutine::potrs,
                                    LapackRoutine::laswp};

LapackProblem factorisation_in(LapackProblem p) {
  p.routine = is_definite(p.routine) ? LapackRoutine::potrf : LapackRoutine::getrf;
  if (p.routine == LapackRoutine::potrf || p.m == 0) p.m = p.n;
  return p;
}

GemmProblem product_of_as_many_flops(const LapackProblem& p) {
  GemmProblem product;
  product.precision = p.precision;
  product.m = rows_of_matrix(p);
  product.n = p.routine == LapackRoutine::ormqr ? p.right_sides : p.n;
  product.k = std::min(product.m, product.n);
  product.lda = product.k;
  product.ldb = product.ldc = product.n;
  return product;
}

// What the device waits for.
double seconds_of_panels(const Engine& engine, const DeviceFactorisation& call) {
  const LapackProblem& p = call.problem;
  const std::int64_t width = call.width;
  GemmProblem product = product_of_as_many_flops(p);
  const auto columns = static_cast<double>(product.k);
  if (p.routine != LapackRoutine::getrf)
    return rates::seconds_of_cholesky_block * columns / static_cast<double>(width);
  if (engine.jobs().makes_panels(call)) return rates::seconds_of_lu_column_on_device * columns;
  product.k = product.lda = width;
  // A square matrix's panels have a quarter of 2 m n width flops.
  return rates::seconds_of_lu_column * columns +
         rates::lu_panel_overhead / 4 * engine.plans().estimated_cpu_seconds(product);
}

std::int64_t panel_width(const LapackProblem& p, std::int64_t extent, bool insists) {
  if (p.routine == LapackRoutine::getrf && extent >= rates::narrow_lu_panels_from)
    return rates::narrow_lu_panel;
  return resident_panel_columns(extent, insists);
}

std::optional<DeviceFactorisation> on_device(Engine& engine, const LapackProblem& p,
                                             MatrixHome home) {
  const std::int64_t rows = rows_of_matrix(p);
  const std::int64_t width = panel_width(p, std::min(rows, p.n), engine.plans().insists_on_gpu());
  if (home == MatrixHome::in_place || p.n <= width) return {};
  DeviceFactorisation call{p, width, engine.plans().of_lapack(whole_product(p, rows, p.n))};
  const HostSeconds host{seconds_of_panels(engine, call), estimated_cpu_seconds(engine, p)};
  return held_by_device(engine, home, std::move(call), host);
}

Decision decide_steps(Engine& engine, const LapackProblem& p, MatrixHome home) {
  Decision decision;
  decision.reason = Reason::no_elements;
  if (p.empty()) return decision;
  decision.reason = Reason::routine_fastest;
  const bool is_qr = is_orthogonal(p.routine), is_inverse = p.routine == LapackRoutine::getri;
  const bool is_solve = solves(p.routine);
  if (!factorises(p.routine) && !is_qr && !is_inverse && !is_solve) return decision;
  const LapackProblem factorisation = is_qr || is_inverse || is_solve ? p : factorisation_in(p);
  if (flops(factorisation) < smallest_lapack_flops(engine, p.precision)) {
    decision.reason = engine.plans().why_never_gpu(p.precision).value_or(Reason::below_crossover);
    return decision;
  }
  if (is_qr) return decide_qr(engine, p, home);
  if (is_inverse) return decide_inverse(engine, p, home);
  const auto solve = has_right_sides(p.routine) ? solve_on_device(engine, p, home)
                                                : std::optional<DeviceFactorisation>();
  if (is_solve) {
    if (solve) decision.steps.emplace_back(*solve);
    return decision;
  }
  if (const auto call = on_device(engine, factorisation, home)) {
    decision.steps.emplace_back(*call);
    if (solve) decision.steps.emplace_back(*solve);
  } else {
    decision.steps = factorisation.routine == LapackRoutine::potrf
                         ? cholesky_updates(engine, factorisation)
                         : lu_updates(engine, factorisation);
  }
  return decision;
}

// The updates and panels, as decided; 0: not known.
double expected_seconds(const Decision& decision) {
  const double cpu = decision.estimate.cpu_seconds;
  if (cpu <= 0 || decision.steps.empty()) return 0;
  if (std::holds_alternative<DeviceFactorisation>(decision.steps.front())) {
    double whole = 0;
    for (const CallStep& step : decision.steps) {
      const Plan& plan = std::get<DeviceFactorisation>(step).plan;
      if (plan.expected_seconds <= 0) return 0;
      whole += plan.expected_seconds;
    }
    return whole;
  }
  // The CPU's time, less the expected gain of each update in which the device has a part.
  double whole = cpu;
  for (const CallStep& step : decision.steps) {
    const auto& [product, plan] = std::get<PlannedProduct>(step);
    if (product.empty()) continue;  // the CPU's
    if (plan.expected_seconds <= 0 || plan.cpu_only_seconds <= 0) return 0;
    whole -= plan.cpu_only_seconds - plan.expected_seconds;
  }
  return std::max(whole, 0.1 * cpu);
}

}  // namespace

bool can_do(Engine& engine, const LapackProblem& p) {
  if (std::max({p.m, p.n, p.right_sides, p.lda, p.ldb}) > most_lapack_extent) return false;
  if (is_orthogonal(p.routine)) return has_qr(engine, p.precision);
  if (p.routine == LapackRoutine::getri && !has_on_cpu(engine, p.routine, p.precision))
    return false;
  return std::ranges::all_of(
      needed, [&](LapackRoutine routine) { return has_on_cpu(engine, routine, p.precision); });
}

Decision decide(Engine& engine, const LapackProblem& p, MatrixHome home) {
  Decision decision = decide_steps(engine, p, home);
  if (!decision.steps.empty()) {
    const CallStep& first = decision.steps.front();
    const auto* call = std::get_if<DeviceFactorisation>(&first);
    decision.plan = call != nullptr ? call->plan : std::get<PlannedProduct>(first).plan;
    decision.who = Who::both;
    decision.reason = decision.plan.reason;
    decision.estimate.cpu_seconds = estimated_cpu_seconds(engine, p);
  }
  decision.plan.expected_seconds = decision.estimate.device_seconds = expected_seconds(decision);
  decision.plan.cpu_only_seconds = decision.estimate.cpu_seconds;
  return decision;
}

namespace {

// The job that solves; null: none does.
const DeviceFactorisation* solving_job(const Decision& decision) {
  if (decision.steps.empty()) return nullptr;
  const auto* job = std::get_if<DeviceFactorisation>(&decision.steps.back());
  return job != nullptr && solves(job->problem.routine) ? job : nullptr;
}

// A factorisation whose matrix the device holds, and a solve where that follows at once: factors
// that are checked are solved with after that.
int factorise_held(Engine& engine, const DeviceFactorisation& call,
                   const DeviceFactorisation* solving, SolveWithFactors& solve, Outcome& outcome) {
  const LapackProblem& p = call.problem;
  const bool is_cholesky = p.routine == LapackRoutine::potrf;
  std::vector<PlannedProduct> products = products_of(call);
  int info = 0;
  if (solving != nullptr) {
    solve.job = *solving;
    std::ranges::copy(products_of(*solving), std::back_inserter(products));
  }
  HeldJob jobs[2] = {{call, [&] { info = run_on_cpu(engine, p); }},
                     {solve.job, [&] { engine.cpu().run(solve.job.problem, solve.job.plan.cpu); }}};
  const auto steps = [&](DeviceUpdates& device) {
    SolveWithFactors* const following =
        solving != nullptr && !device.is_checked() ? &solve : nullptr;
    info = is_cholesky ? factorise_cholesky(engine, call, device, following)
                       : factorise_lu(engine, call, device, following);
    // A matrix that is not positive definite has none.
    jobs[0].has_result = !is_cholesky || info == 0;
  };
  outcome = engine.carry_out(products, steps, std::span(jobs, solving != nullptr ? 2 : 1));
  if (!solve.was_begun || solve.solved == solve.job.problem.right_sides) return info;
  LapackProblem rest = solve.job.problem;
  rest.b = element_of(rest.b, rest.ldb, 0, solve.solved, rest.precision);
  rest.right_sides -= solve.solved;
  engine.cpu().run(rest, solve.job.plan.cpu);
  return info;
}

// The factors are there, also in a call that factorises: where memory is short the CPU solves with
// them.
Outcome solve(Engine& engine, const LapackProblem& p, const DeviceFactorisation* job) try {
  return job != nullptr ? solve_on_device(engine, *job) : solve_factorised(engine, p);
} catch (const std::bad_alloc&) {
  LapackProblem own = p;
  own.routine = is_definite(p.routine) ? LapackRoutine::potrs : LapackRoutine::getrs;
  run_on_cpu(engine, own);  // nothing was written of the solution
  return {};
}

}  // namespace

LapackOutcome carry_out(Engine& engine, const LapackProblem& p, const Decision& decision) {
  LapackOutcome did;
  did.outcome.plan.reason = decision.reason;
  if (p.empty()) return did;
  const Stopwatch watch;
  const DeviceFactorisation* const solving = solving_job(decision);
  SolveWithFactors with_factors;
  if (is_orthogonal(p.routine)) did = carry_out_qr(engine, p, decision);
  if (p.routine == LapackRoutine::getri) did = carry_out_inverse(engine, p, decision);
  if (factorises(p.routine)) {
    const LapackProblem factorisation = factorisation_in(p);
    const bool is_cholesky = factorisation.routine == LapackRoutine::potrf;
    if (decision.steps.empty()) {
      did.info = run_on_cpu(engine, factorisation);
    } else if (const auto* call = std::get_if<DeviceFactorisation>(&decision.steps.front())) {
      did.info = factorise_held(engine, *call, solving, with_factors, did.outcome);
    } else {
      const auto& first = std::get<PlannedProduct>(decision.steps.front());
      did.outcome = engine.carry_out({first}, [&](DeviceUpdates& device) {
        did.info = is_cholesky ? factorise_cholesky(engine, factorisation, decision.steps, device)
                               : factorise_lu(engine, factorisation, decision.steps, device);
      });
    }
  }
  if (did.info == 0 && has_right_sides(p.routine) && !with_factors.was_begun) {
    Outcome solved = solve(engine, p, solving);
    if (factorises(p.routine))
      did.outcome.add_part(solved);
    else
      did.outcome = std::move(solved);
  }
  did.outcome.times.whole = watch.seconds() - did.outcome.check_seconds;
  if (decision.estimate.cpu_seconds > 0 && did.outcome.used_gpu)
    did.outcome.seconds_won = decision.estimate.cpu_seconds - did.outcome.times.whole;
  engine.log().call(p, decision, did.outcome);
  return did;
}

double estimated_cpu_seconds(const Engine& engine, const LapackProblem& p) {
  const GemmProblem product = product_of_as_many_flops(p);
  const double seconds =
      (is_orthogonal(p.routine) ? rates::qr_overhead : rates::factorisation_overhead) * flops(p) /
      flops(product) * engine.plans().estimated_cpu_seconds(product);
  if (seconds <= 0 || p.routine != LapackRoutine::geqrf) return seconds;
  return seconds + rates::seconds_of_qr_column * static_cast<double>(product.k);
}

double smallest_lapack_flops(const Engine& engine, Precision precision) {
  return lapack_flops_per_product * engine.plans().smallest_gemm_flops(precision);
}

}  // namespace duoblas
