// The steps of geqrf, orgqr and ormqr, and the decision who computes them.
#include "lapack/qr.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "facts/rates.hpp"
#include "lapack/block_reflector.hpp"
#include "lapack/device_decision.hpp"
#include "lapack/division.hpp"
#include "problem/adjoint.hpp"

namespace duoblas {

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

namespace {

/// A step's product with the last columns of the matrix, from the panel's first row on: V^H C, or C
/// -= V W. V and W are copies, which the CPU has made by then: the products have any place for
/// them.
enum class QrProduct { projected, subtracted };
GemmProblem product_of_step(const LapackProblem& p, const QrStep& step, std::int64_t columns,
                            QrProduct what) {
  const LapackProblem matrix = reflected_matrix(p);
  const std::int64_t rows = p.m - step.panel.first, depth = step.panel.count;
  const ColumnMajorFactor w{p.a, p.lda}, v = w, turned{p.a, p.lda, adjoint(p.precision)};
  void* const c =
      element_of(matrix.a, matrix.lda, step.panel.first, matrix.n - columns, p.precision);
  if (what == QrProduct::projected)
    return row_major(p.precision, {depth, columns, rows, turned, w, c, matrix.lda});
  return row_major(p.precision, {rows, columns, depth, v, w, c, matrix.lda, -1, 1});
}

/// The device's part of a step: the last columns. None: it is not worth it.
struct PartOfStep {
  std::int64_t columns = 0;
  Plan plan;
};

PartOfStep part_of_step(Engine& engine, const LapackProblem& p, const QrStep& step) {
  PartOfStep part;
  if (step.columns.count <= step.next) return part;
  const std::int64_t rows = p.m - step.panel.first;
  part.plan =
      engine.plans().of(product_of_step(p, step, step.columns.count, QrProduct::subtracted));
  // Two products of this size.
  if (part.plan.uses_gpu())
    part.columns =
        device_columns({rows, step.columns.count, 2 * step.panel.count, step.next,
                        (rates::qr_panel_over_lu_panel - 1) * panel_cost(rows, step.next)},
                       part.plan, engine.plans().request().forces_split());
  part.plan = with_columns(std::move(part.plan), part.columns);
  return part;
}

}  // namespace

std::vector<CallStep> qr_updates(Engine& engine, const LapackProblem& p) {
  const std::int64_t width = panel_columns(reflectors_of(p), engine.plans().insists_on_gpu());
  std::vector<CallStep> updates;
  std::optional<Plan> of_any;
  for (const QrStep& step : qr_steps(p, width)) {
    const auto [columns, plan] = part_of_step(engine, p, step);
    if (columns == 0 && p.routine == LapackRoutine::geqrf) break;  // the CPU does the rest
    if (columns > 0 && !of_any) of_any = plan;
    for (const QrProduct what : {QrProduct::projected, QrProduct::subtracted})
      updates.emplace_back(PlannedProduct{product_of_step(p, step, columns, what), plan});
  }
  if (!of_any) return {};
  // A step of the CPU's has a plan, too: that of the first one in which the device has a part.
  for (CallStep& update : updates) {
    PlannedProduct& product = std::get<PlannedProduct>(update);
    if (product.problem.empty()) product.plan = *of_any;
  }
  return updates;
}

std::int64_t columns_beside_first(std::int64_t rows, std::int64_t depth, std::int64_t columns,
                                  std::int64_t next) {
  const double of_column = 4.0 * static_cast<double>(rows) * static_cast<double>(depth);
  const double panel = rates::qr_panel_over_lu_panel * panel_cost(rows, next) +
                       of_column * static_cast<double>(next);
  const double others = of_column * static_cast<double>(columns - next);
  const double wanted = ((panel + others) / 2 - panel) / of_column;
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(wanted), 0, columns - next);
}

}  // namespace duoblas
