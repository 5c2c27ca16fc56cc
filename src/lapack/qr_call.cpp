// decide() and carry_out() of lapack_call.hpp for QR.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <variant>
#include <vector>

#include "engine/cpu_blas.hpp"
#include "facts/rates.hpp"
#include "lapack/device_decision.hpp"
#include "lapack/division.hpp"
#include "lapack/qr.hpp"
#include "os/page_block.hpp"
#include "problem/adjoint.hpp"
#include "problem/rounding.hpp"

namespace duoblas {
namespace {

constexpr LapackRoutine needed[] = {LapackRoutine::geqrf, LapackRoutine::orgqr,
                                    LapackRoutine::ormqr};

bool is_from_right(const LapackProblem& p) {
  return p.routine == LapackRoutine::ormqr && p.side == Side::right;
}

// ormqr from the right as one from the left: B op(Q) = (op(Q)^H B^H)^H, with a copy of B^H.
LapackProblem seen_from_left(const LapackProblem& p) {
  // Its columns begin at a cache line, so that copies may bypass the caches.
  constexpr std::int64_t line = 16;
  LapackProblem left = p;
  left.side = Side::left;
  left.op = p.op == Op::none ? adjoint(p.precision) : Op::none;
  left.ldb = round_up(p.m, line);
  return left;
}

LapackProblem device_part_of(const LapackProblem& p) {
  return is_from_right(p) ? seen_from_left(p) : p;
}

// What the device waits for. The panels have half the flops of a product of their width with the
// whole matrix.
double seconds_of_panels(const Engine& engine, const LapackProblem& p, std::int64_t width) {
  GemmProblem product;
  product.precision = p.precision;
  product.m = p.m;
  product.n = product.ldb = product.ldc = reflectors_of(p);
  product.k = product.lda = width;
  const double half = engine.plans().estimated_cpu_seconds(product) / 2;
  const auto columns = static_cast<double>(product.n);
  const bool has_parts = is_complex(p.precision);
  if (p.routine == LapackRoutine::geqrf)
    return (has_parts ? rates::seconds_of_complex_qr_column : rates::seconds_of_real_qr_column) *
               columns +
           rates::qr_panel_overhead * half;
  return (has_parts ? rates::seconds_of_complex_qr_triangle : rates::seconds_of_real_qr_triangle) *
             columns / static_cast<double>(width) +
         rates::qr_gather_overhead * half;
}

GemmProblem whole_product(const LapackProblem& p) {
  return whole_product(p, p.m, reflected_matrix(p).n);
}

// V^H C, half of geqrf's work: its result has a panel's width. orgqr gains nothing by smaller
// tiles, and ormqr loses 5 % (docs/experiments/factorisations.md#smaller-tiles-for-qr).
std::optional<GemmProblem> narrow_update(const LapackProblem& p, std::int64_t width) {
  if (p.routine != LapackRoutine::geqrf) return {};
  GemmProblem inner = whole_product(p);
  inner.m = reflected_matrix(p).n;
  inner.n = width;
  return inner;
}

std::optional<DeviceFactorisation> on_device(Engine& engine, const LapackProblem& p,
                                             MatrixHome home) {
  const std::int64_t width =
      resident_panel_columns(reflectors_of(p), engine.plans().insists_on_gpu());
  if (home == MatrixHome::in_place || (p.routine == LapackRoutine::geqrf && p.n <= width))
    return {};
  return held_by_device(engine, home,
                        {reflected_matrix(p), width,
                         engine.plans().of_lapack(whole_product(p), narrow_update(p, width))},
                        {seconds_of_panels(engine, p, width), estimated_cpu_seconds(engine, p)});
}

// With a device, which holds the matrix, or does each update where that lies.
Outcome carry_out_steps(Engine& engine, const LapackProblem& p, const Decision& decision) {
  const auto* const call = std::get_if<DeviceFactorisation>(&decision.steps.front());
  if (call == nullptr) {
    std::vector<PlannedProduct> kernels;  // of V^H C, and of C -= V W
    for (const CallStep& step : decision.steps) {
      const PlannedProduct& product = std::get<PlannedProduct>(step);
      if (!product.problem.empty() && kernels.size() < 2) kernels.push_back(product);
    }
    return engine.carry_out(kernels, [&](DeviceUpdates& device) {
      reflect_in_place(engine, p, decision.steps, device);
    });
  }
  const auto steps = [&](DeviceUpdates& device) {
    if (p.routine == LapackRoutine::geqrf)
      factorise_qr(engine, p, *call, device);
    else
      apply_q(engine, p, *call, device);
  };
  return carry_out_job(engine, *call, steps, [&] { run_on_cpu(engine, p); });
}

// B^H is in memory of our own, which the decision did not know.
LapackOutcome carry_out_from_right(Engine& engine, const LapackProblem& p,
                                   const Decision& decision) {
  LapackProblem left = seen_from_left(p);
  Decision of_left;
  PageBlock memory;
  LapackOutcome did;
  const CpuConfig& cpu = decision.plan.cpu;
  try {
    memory =
        PageBlock(static_cast<std::size_t>(left.ldb * p.right_sides) * element_size(p.precision));
    left.b = memory.data();
    of_left = decision;
    if (auto* const call = std::get_if<DeviceFactorisation>(&of_left.steps.front()))
      call->problem = reflected_matrix(left);
    engine.cpu().run(AdjointCopy{p.precision, p.right_sides, p.m, p.b, p.ldb, left.b, left.ldb},
                     cpu);
  } catch (const std::bad_alloc&) {
    did.info = run_on_cpu(engine, p);
    return did;
  }
  did.outcome = carry_out_steps(engine, left, of_left);
  engine.cpu().run(AdjointCopy{p.precision, p.m, p.right_sides, left.b, left.ldb, p.b, p.ldb}, cpu);
  return did;
}

}  // namespace

bool has_qr(Engine& engine, Precision precision) {
  return std::ranges::all_of(
      needed, [&](LapackRoutine routine) { return has_on_cpu(engine, routine, precision); });
}

Decision decide_qr(Engine& engine, const LapackProblem& p, MatrixHome home) {
  Decision decision;
  decision.reason = Reason::routine_fastest;
  const LapackProblem part = device_part_of(p);
  if (reflectors_of(part) == 0 || reflected_matrix(part).n == 0) return decision;
  if (const auto call = on_device(engine, part, home))
    decision.steps.emplace_back(*call);
  else
    decision.steps = qr_updates(engine, part);
  if (decision.steps.empty()) {
    // Why a product of as many flops is the CPU's; else it is for the panels.
    const Plan plan = engine.plans().of(whole_product(part));
    if (!plan.uses_gpu()) decision.reason = plan.reason;
  }
  return decision;
}

LapackOutcome carry_out_qr(Engine& engine, const LapackProblem& p, const Decision& decision) {
  if (!decision.steps.empty() && is_from_right(p)) return carry_out_from_right(engine, p, decision);
  LapackOutcome did;
  did.outcome.plan.reason = decision.reason;
  if (decision.steps.empty())
    did.info = run_on_cpu(engine, p);
  else
    did.outcome = carry_out_steps(engine, p, decision);
  return did;
}

}  // namespace duoblas
