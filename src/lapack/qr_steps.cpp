#include "lapack/qr_steps.hpp"

#include <algorithm>
#include <cstdint>

#include "lapack/block_reflector.hpp"
#include "lapack/division.hpp"
#include "problem/adjoint.hpp"

namespace duoblas {
namespace {

// The time of a panel over that of one of LU with as many rows and columns: with twice its flops
// and T, in halves. An estimate from a timeline on one core of a Xeon of Granite Rapids' class.
constexpr double qr_panel_overhead = 1.7;

}  // namespace

LapackProblem reflected_matrix(const LapackProblem& p) {
  LapackProblem matrix = p;
  matrix.reflectors = p.routine == LapackRoutine::geqrf ? 0 : reflectors_of(p);
  if (p.routine != LapackRoutine::ormqr) return matrix;
  matrix.n = p.right_sides;
  matrix.a = p.b;
  matrix.lda = p.ldb;
  matrix.b = p.a;
  matrix.ldb = p.lda;
  return matrix;
}

std::int64_t reflectors_of(const LapackProblem& p) {
  if (p.routine == LapackRoutine::orgqr) return p.reflectors;
  return p.routine == LapackRoutine::ormqr ? p.n : std::min(p.m, p.n);
}

Op op_of_reflectors(const LapackProblem& p) {
  const bool turned =
      p.routine == LapackRoutine::geqrf || (p.routine == LapackRoutine::ormqr && p.op != Op::none);
  return turned ? adjoint(p.precision) : Op::none;
}

std::vector<QrStep> qr_steps(const LapackProblem& p, std::int64_t width) {
  const std::int64_t count = reflectors_of(p), columns = reflected_matrix(p).n;
  std::vector<QrStep> steps;
  for (std::int64_t first = 0; first < count; first += width) {
    const Interval panel{first, std::min(width, count - first)};
    const std::int64_t end = first + panel.count;
    switch (p.routine) {
      case LapackRoutine::geqrf:
        steps.push_back({panel, {end, columns - end}, std::min(width, count - end)});
        break;
      case LapackRoutine::orgqr: steps.push_back({panel, {first, columns - first}, 0}); break;
      default: steps.push_back({panel, {0, columns}, 0});
    }
  }
  // Q = H_1 H_2 .., and Q^H = .. H_2^H H_1^H.
  if (op_of_reflectors(p) == Op::none) std::ranges::reverse(steps);
  return steps;
}

std::vector<CallStep> qr_updates(Engine& engine, const LapackProblem& p) {
  const bool insists = engine.insists_on_gpu(), forced = engine.request().forces_split();
  const LapackProblem matrix = reflected_matrix(p);
  const std::int64_t width = panel_columns(reflectors_of(p), insists);
  std::vector<CallStep> updates;
  bool any = false;
  Plan of_any;
  for (const QrStep& step : qr_steps(p, width)) {
    const std::int64_t rows = p.m - step.panel.first;
    // V and W are copies, which the CPU has made by then.
    const auto of = [&](Op op, std::int64_t m, std::int64_t columns, std::int64_t k, double alpha,
                        double beta) {
      const ColumnMajorFactor any_place{p.a, p.lda, Op::none};
      return column_major_product(
          p.precision, m, columns, k, alpha, {p.a, p.lda, op}, any_place, beta,
          element_of(matrix.a, matrix.lda, step.panel.first, matrix.n - columns, p.precision),
          matrix.lda);
    };
    std::int64_t columns = 0;
    Plan plan;
    if (step.columns.count > step.next) {
      plan = engine.plan(of(Op::none, rows, step.columns.count, step.panel.count, -1, 1));
      // Two products of this size.
      if (plan.uses_gpu())
        columns = device_columns({rows, step.columns.count, 2 * step.panel.count, step.next,
                                  (qr_panel_overhead - 1) * panel_cost(rows, step.next)},
                                 plan, forced);
    }
    if (columns == 0 && p.routine == LapackRoutine::geqrf) break;
    plan.strategy = Strategy::hybrid;
    plan.axis = Axis::rows;
    plan.gpu_extent = columns;
    plan.entry_rows = 0;
    plan.forecast.reset();
    if (columns > 0 && !any) of_any = plan;
    any |= columns > 0;
    updates.emplace_back(
        PlannedProduct{of(adjoint(p.precision), step.panel.count, columns, rows, 1, 0),
                       columns > 0 ? plan : of_any});
    updates.emplace_back(PlannedProduct{of(Op::none, rows, columns, step.panel.count, -1, 1),
                                        columns > 0 ? plan : of_any});
  }
  if (!any) updates.clear();
  for (CallStep& update : updates) {
    PlannedProduct& product = std::get<PlannedProduct>(update);
    if (product.problem.empty()) product.plan = of_any;
  }
  return updates;
}

std::int64_t columns_beside_first(std::int64_t rows, std::int64_t depth, std::int64_t columns,
                                  std::int64_t next) {
  const double of_column = 4.0 * static_cast<double>(rows) * static_cast<double>(depth);
  const double panel =
      qr_panel_overhead * panel_cost(rows, next) + of_column * static_cast<double>(next);
  const double others = of_column * static_cast<double>(columns - next);
  const double wanted = ((panel + others) / 2 - panel) / of_column;
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(wanted), 0, columns - next);
}

}  // namespace duoblas
