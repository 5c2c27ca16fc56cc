// Cholesky. Where host and device share memory, the device updates rectangles, and the CPU the
// panels and the triangles.
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <vector>

#include "cpu/team_blas.hpp"
#include "lapack/cholesky_steps.hpp"
#include "lapack/device_decision.hpp"
#include "lapack/division.hpp"
#include "lapack/factorisation.hpp"
#include "lapack/saved_matrix.hpp"
#include "lapack/solves.hpp"

namespace duoblas {
namespace {

// How the triangle behind the next panel is divided; see division.hpp.
struct Division {
  Lines t0, t1, t2, t3, t4;
  int early;

  Division(const Lines& next, std::int64_t order, const TriangleDivision& lines)
      : t0{next.end, next.end + lines.first},
        t1{t0.end, next.end + lines.second},
        t2{t1.end, next.end + order},
        t3{t0.first, t0.first + lines.inner},
        t4{t3.end, t0.end},
        early(lines.early) {}

  Lines below_t0() const { return {t0.end, t2.end}; }
};

// The columns of a rectangle in the lower triangle.
std::int64_t columns_of(const LapackProblem& p, const GemmProblem& rectangle) {
  return p.uplo == Uplo::lower ? rectangle.m : rectangle.n;
}

// Steps in place, divided between the sides.
class StepsInPlace : private OldResult {
 public:
  StepsInPlace(Cholesky& cholesky, const StepCosts& costs, DeviceUpdates& device)
      : cholesky_(cholesky), costs_(costs), device_(device) {}

  /// Keeps the triangle from this line on, for the case that the device fails.
  void keep_from(std::int64_t line) try {
    saved_.emplace(cholesky_.problem(), line);
  } catch (const std::bad_alloc&) {
    // Each update saves what it overwrites.
  }

  /// The update with a panel, and the factorisation of the next one. Returns false if that is not
  /// positive definite.
  bool step(const Lines& panel, const Lines& next, const Plan& plan,
            const TriangleDivision& planned) {
    updating_ = panel;
    const std::int64_t order = cholesky_.order() - next.end;
    // Before the first step nothing was timed.
    const TriangleDivision lines =
        costs_.adapt() && panel.first > 0
            ? divide_triangle({order, panel.count(), next.count()}, costs_)
            : planned;
    const Division parts(next, order, lines);
    const auto triangle = [&](const Lines& of) {
      wait_for_saved(of);
      const double count = static_cast<double>(of.count());
      costs_.timed(StepWork::product, count * count * static_cast<double>(panel.count()),
                   [&] { cholesky_.update_triangle(panel, of); });
    };
    const auto beside = [&](const Lines& rows, const Lines& columns, const GemmProblem& written,
                            const auto& work) {
      const GemmProblem part = cholesky_.update(panel, rows, columns);
      if (part.empty()) return work();
      wait_for_saved(columns);
      const SideSeconds took = device_.update(part, plan, written, work, kept(columns));
      costs_.note_device(counted_flops(part), took);
    };
    bool goes_on = true;
    const GemmProblem columns = cholesky_.update(panel, {next.first, next.end + order}, next);
    beside(parts.below_t0(), parts.t0, columns, [&] {
      costs_.timed(StepWork::product, counted_flops(columns),
                   [&] { cholesky_.update_columns(panel, next); });
      costs_.timed(StepWork::panel, cholesky_panel_flops(order, next.count()),
                   [&] { goes_on = cholesky_.factorise(next); });
      if (parts.early > 0) triangle(parts.t2);
      if (parts.early > 1) triangle(parts.t1);
    });
    if (!goes_on) return false;
    beside(parts.t2, parts.t1, cholesky_.update(panel, parts.t0, parts.t0), [&] {
      triangle(parts.t3);
      triangle(parts.t4);
    });
    beside(parts.t4, parts.t3, cholesky_.update(panel, parts.below_t0(), parts.below_t0()), [&] {
      if (parts.early < 1) triangle(parts.t2);
      if (parts.early < 2) triangle(parts.t1);
    });
    return true;
  }

 private:
  // Before these columns are written.
  void wait_for_saved(const Lines& columns) {
    if (saved_) saved_->wait_for(columns.end);
  }
  // A step need not save old values that are kept.
  OldResult* kept(const Lines& columns) {
    return saved_ && saved_->have(columns.first) ? this : nullptr;
  }
  // The factors before the panel are final, and say what was subtracted before.
  void restore(const GemmProblem& part) override {
    const Rectangle c = cholesky_.rectangle_of(part);
    saved_->put_back(c.rows, c.columns);
    if (updating_.first > 0) cholesky_.update_rectangle({0, updating_.first}, c.rows, c.columns);
  }

  Cholesky& cholesky_;
  StepCosts costs_;
  DeviceUpdates& device_;
  Lines updating_;  ///< what the step multiplies by
  std::optional<SavedMatrix> saved_;
};

}  // namespace

std::vector<CallStep> cholesky_updates(Engine& engine, const LapackProblem& p) {
  std::vector<CallStep> updates;
  const bool insists = engine.plans().insists_on_gpu(),
             forced = engine.plans().request().forces_split();
  const Cholesky cholesky(engine, p, cholesky_panel_columns(p.n, insists), {});
  for (Lines panel = cholesky.panel_at(0); panel.end < p.n;) {
    const Lines next = cholesky.panel_at(panel.end);
    const std::int64_t order = p.n - next.end;
    if (order < 2) break;
    // The rectangle is half of the triangle.
    const Lines first_half{next.end, next.end + order / 2}, others{first_half.end, p.n};
    const Plan plan = engine.plans().beside_work(cholesky.update(panel, others, first_half));
    if (!plan.uses_gpu()) break;
    const TriangleDivision lines =
        divide_triangle({order, panel.count(), next.count()}, plan, forced);
    if (lines.first == 0) break;
    const Division parts(next, order, lines);
    const auto add = [&](const Lines& rows, const Lines& columns) {
      const GemmProblem product = cholesky.update(panel, rows, columns);
      updates.emplace_back(PlannedProduct{product, with_columns(plan, product.m)});
    };
    add(parts.below_t0(), parts.t0);
    add(parts.t2, parts.t1);
    panel = next;
  }
  return updates;
}

int factorise_cholesky(Engine& engine, const LapackProblem& p, const std::vector<CallStep>& updates,
                       DeviceUpdates& device) {
  const auto product_at = [&](std::size_t i) -> const PlannedProduct& {
    return std::get<PlannedProduct>(updates[i]);
  };
  const PlannedProduct& first = product_at(0);
  Cholesky cholesky(engine, p, first.problem.k, first.plan.cpu);
  const bool shares = device.has_device() && !copies(first.plan.sharing);
  // Without the device its part is the CPU side's (DeviceUpdates), so of the CPU BLAS's own
  // threads; and copies have threads of their own. With one team floats of 2048 and 4096 took 0.71
  // and 0.76 of the time, but doubles of 4096 1.10 (8 of 16 cores, docs/results/standin.md).
  const std::unique_ptr<TeamBlas> team =
      shares && !is_double(p.precision) ? team_blas_for(engine.cpu(), p.precision, first.plan.cpu)
                                        : nullptr;
  cholesky.use(team.get());
  StepsInPlace steps(cholesky, step_costs(engine, first.plan), device);
  Lines panel = cholesky.panel_at(0);
  // Where the device works on copies, or has one step only, nothing is gained.
  if (shares && updates.size() > 2) steps.keep_from(cholesky.panel_at(panel.end).end);
  if (!cholesky.factorise(panel)) return cholesky.info();
  for (std::size_t i = 0; i < updates.size(); i += 2) {
    const Lines next = cholesky.panel_at(panel.end);
    const std::int64_t t0 = columns_of(p, product_at(i).problem);
    const TriangleDivision planned{t0, t0 + columns_of(p, product_at(i + 1).problem)};
    if (!steps.step(panel, next, product_at(i).plan, planned)) break;
    panel = next;
  }
  if (cholesky.info() == 0) {
    const Lines rest{panel.end, p.n};
    cholesky.update_triangle(panel, rest);
    cholesky.factorise_rest(rest.first);
  }
  return cholesky.info();
}

// With a matrix that the device holds for the length of the call.
int factorise_cholesky(Engine& engine, const DeviceFactorisation& call, DeviceUpdates& device,
                       SolveWithFactors* solve) {
  const LapackProblem& p = call.problem;
  Cholesky cholesky(engine, p, call.width, call.plan.cpu);
  Lines panel = cholesky.panel_at(0);
  std::int64_t done = 0;  // lines that are factorised
  bool is_up_to_date = false, is_back = false;
  const auto factors = cholesky.can_factorise_blocks() ? device.hold(call) : nullptr;
  if (factors) try {
      if (solve != nullptr) factors->keep_factors();
      factors->send(0);
      for (; !is_up_to_date; panel = cholesky.panel_at(panel.end)) {
        if (!cholesky.factorise_block(factors->panel(), panel)) {
          factors->finish();
          device.done();
          is_back = true;
          if (!cholesky.factorise_again(panel)) return cholesky.info();
          done = panel.end;
          break;
        }
        is_up_to_date = p.n - panel.end <= cholesky.resident_rest();
        const Lines next = is_up_to_date ? Lines{panel.end, p.n} : cholesky.panel_at(panel.end);
        factors->apply({panel.first, panel.count()}, {next.first, next.count()});
        factors->wait_for_next();
        done = panel.end;
      }
      if (is_up_to_date) {
        factors->finish();
        device.done();
      }
    } catch (const std::exception&) {  // the device failed, or memory is short
      if (is_back) throw;
      is_up_to_date = false;
      cholesky.forget_info();
      factors->abandon();
      done = factors->lines_done();
      device.failed();
    }
  if (!is_up_to_date) cholesky.update_triangle({0, done}, {done, p.n});
  cholesky.factorise_rest(done);
  if (is_up_to_date && solve != nullptr && cholesky.info() == 0)
    solve_with_factors(*factors, device, *solve, [] {});
  return cholesky.info();
}

}  // namespace duoblas
