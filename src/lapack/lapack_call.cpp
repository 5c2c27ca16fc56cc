#include "lapack/lapack_call.hpp"

#include <algorithm>
#include <limits>

#include "lapack/factorisation.hpp"
#include "lapack/solves.hpp"
#include "timing/stopwatch.hpp"

namespace duoblas {
namespace {

// Of what the CPU BLAS has to bring along.
constexpr LapackRoutine needed[] = {LapackRoutine::getrf, LapackRoutine::potrf,
                                    LapackRoutine::getrs, LapackRoutine::potrs,
                                    LapackRoutine::laswp};

// As for gemm's products, and so that elements of the whole matrix are counted in an int.
constexpr std::int64_t most_extent = (std::int64_t{1} << 31) - 65536;

// A factorisation on the CPU against a product of as many flops: on an AMD EPYC (Zen 5, two cores,
// OpenBLAS 0.3.21) dgetrf and dpotrf of n = 4096 had 0.8 of dgemm's rate.
constexpr double factorisation_overhead = 1.25;

LapackProblem factorisation_in(LapackProblem p) {
  p.routine = is_definite(p.routine) ? LapackRoutine::potrf : LapackRoutine::getrf;
  if (p.routine == LapackRoutine::potrf || p.m == 0) p.m = p.n;
  return p;
}

// Where the device does nothing of it.
int factorise_on_cpu(Engine& engine, const LapackProblem& p) {
  return engine.cpu().run(p, engine.cpu_alone(p.precision, Reason::routine_fastest).cpu);
}

GemmProblem product_of_as_many_flops(const LapackProblem& p) {
  GemmProblem product;
  product.precision = p.precision;
  product.m = p.routine == LapackRoutine::getrf ? p.m : p.n;
  product.n = p.n;
  product.k = std::min(product.m, product.n);
  product.lda = product.k;
  product.ldb = product.ldc = product.n;
  return product;
}

}  // namespace

bool can_do(Engine& engine, const LapackProblem& p) {
  if (is_complex(p.precision) || std::max({p.m, p.n, p.right_sides, p.lda, p.ldb}) > most_extent)
    return false;
  return std::ranges::all_of(
      needed, [&](LapackRoutine routine) { return engine.has_on_cpu(routine, p.precision); });
}

Decision decide(Engine& engine, const LapackProblem& p) {
  Decision decision;
  decision.reason = Reason::no_elements;
  if (p.empty()) return decision;
  decision.reason = Reason::routine_fastest;
  if (!factorises(p.routine)) return decision;
  const LapackProblem factorisation = factorisation_in(p);
  if (flops(factorisation) < smallest_lapack_flops(engine, p.precision)) {
    decision.reason = engine.why_never_gpu(p.precision).value_or(Reason::below_crossover);
    return decision;
  }
  decision.steps = factorisation.routine == LapackRoutine::potrf
                       ? cholesky_updates(engine, factorisation)
                       : lu_updates(engine, factorisation);
  if (decision.steps.empty()) return decision;
  decision.plan = std::get<PlannedProduct>(decision.steps.front()).plan;
  decision.who = Who::both;
  decision.reason = decision.plan.reason;
  decision.estimate.cpu_seconds = estimated_cpu_seconds(engine, p);
  return decision;
}

LapackOutcome carry_out(Engine& engine, const LapackProblem& p, const Decision& decision) {
  LapackOutcome did;
  did.outcome.plan.reason = decision.reason;
  if (p.empty()) return did;
  const Stopwatch watch;
  if (factorises(p.routine)) {
    const LapackProblem factorisation = factorisation_in(p);
    if (decision.steps.empty()) {
      did.info = factorise_on_cpu(engine, factorisation);
    } else {
      const auto& first = std::get<PlannedProduct>(decision.steps.front());
      did.outcome = engine.carry_out(first, [&](DeviceUpdates& device) {
        did.info = factorisation.routine == LapackRoutine::potrf
                       ? factorise_cholesky(engine, factorisation, decision.steps, device)
                       : factorise_lu(engine, factorisation, decision.steps, device);
      });
    }
  }
  if (did.info == 0 && has_right_sides(p.routine)) solve_factorised(engine, p);
  if (p.routine == LapackRoutine::getri || p.routine == LapackRoutine::potri)
    did.info = factorise_on_cpu(engine, p);
  did.outcome.times.whole = watch.seconds() - did.outcome.check_seconds;
  if (decision.estimate.cpu_seconds > 0 && did.outcome.used_gpu)
    did.outcome.seconds_won = decision.estimate.cpu_seconds - did.outcome.times.whole;
  engine.say(p, decision, did.outcome);
  return did;
}

double estimated_cpu_seconds(const Engine& engine, const LapackProblem& p) {
  const GemmProblem product = product_of_as_many_flops(p);
  return factorisation_overhead * flops(p) / flops(product) * engine.estimated_cpu_seconds(product);
}

double expected_seconds(const Engine& engine, const LapackProblem& p, const Decision& decision) {
  const double cpu = estimated_cpu_seconds(engine, p);
  if (cpu <= 0 || decision.steps.empty()) return 0;
  // What the updates' products are expected to gain, of which the device has a part.
  double whole = cpu;
  for (const CallStep& step : decision.steps) {
    const Plan& plan = std::get<PlannedProduct>(step).plan;
    if (plan.expected_seconds <= 0 || plan.cpu_only_seconds <= 0) return 0;
    whole -= plan.cpu_only_seconds - plan.expected_seconds;
  }
  return std::max(whole, 0.1 * cpu);
}

double smallest_lapack_flops(const Engine& engine, Precision precision) {
  return lapack_flops_per_product * engine.smallest_gemm_flops(precision);
}

}  // namespace duoblas
