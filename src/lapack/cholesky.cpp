// potrf: L L^H = A for a lower triangle. For an upper one it is U^H U = A, which is the mirror
// image. Lines, rows and columns in this file are those of the lower triangle.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <vector>

#include "cpu/cholesky_block.hpp"
#include "lapack/block_steps.hpp"
#include "lapack/division.hpp"
#include "lapack/factorisation.hpp"
#include "lapack/solves.hpp"
#include "problem/adjoint.hpp"
#include "timing/stopwatch.hpp"

namespace duoblas {
namespace {

struct Lines {
  std::int64_t first = 0, end = 0;

  std::int64_t count() const { return end - first; }
};

// One factorisation in progress.
class Cholesky {
 public:
  Cholesky(Engine& engine, const LapackProblem& p, std::int64_t panel_width, const CpuConfig& cpu)
      : p_(p), width_(panel_width), steps_(engine, p, cpu) {}

  std::int64_t order() const { return p_.n; }
  Lines panel_at(std::int64_t first) const { return {first, std::min(first + width_, p_.n)}; }

  /// The panel's update of these rows and columns. The rows are not before the columns.
  GemmProblem update(const Lines& panel, const Lines& rows, const Lines& columns) const {
    if (is_lower())
      return steps_.product(block(rows, columns), block(rows, panel), Op::none,
                            block(columns, panel), adjoint(p_.precision));
    return steps_.product(block(rows, columns), block(columns, panel), adjoint(p_.precision),
                          block(rows, panel), Op::none);
  }
  void update_rectangle(const Lines& panel, const Lines& rows, const Lines& columns) const {
    if (rows.count() > 0 && columns.count() > 0) steps_.multiply(update(panel, rows, columns));
  }
  void update_triangle(const Lines& panel, const Lines& lines) const {
    steps_.update_triangle(block(lines, lines), p_.uplo, block(lines, panel),
                           is_lower() ? Op::none : adjoint(p_.precision));
  }
  void update_columns(const Lines& panel, const Lines& columns) const {
    update_triangle(panel, columns);
    update_rectangle(panel, {columns.end, p_.n}, columns);
  }

  /// Returns false if the matrix is not positive definite; info() then says where.
  bool factorise(const Lines& panel) {
    timed(&FactorTimes::panels, [&] {
      const int info = steps_.factorise_cholesky(block(panel, panel));
      if (info > 0)
        info_ = info + static_cast<int>(panel.first);
      else
        steps_.solve_by_halves(block(panel, panel), is_lower() ? Side::right : Side::left, p_.uplo,
                               adjoint(p_.precision), Diag::non_unit,
                               block({panel.end, p_.n}, panel));
    });
    return info_ == 0;
  }
  /// Whether there is memory for factorise_block().
  bool can_factorise_blocks() noexcept {
    try {
      if (!is_complex(p_.precision))
        block_ = std::make_unique<CholeskyBlock>(p_.precision, p_.uplo, width_);
    } catch (const std::bad_alloc&) {
      return false;
    }
    return true;
  }
  /// Factorises a panel's block on the diagonal, in separate memory. Returns false as above.
  bool factorise_block(void* block, const Lines& panel) {
    timed(&FactorTimes::panels, [&] {
      const int info = block_ ? block_->factorise(block, width_, panel.count())
                              : steps_.factorise_cholesky(block, width_, panel.count());
      if (info > 0) info_ = info + static_cast<int>(panel.first);
    });
    return info_ == 0;
  }
  /// The device found a block that is not positive definite. Tells whether the CPU finds the same
  /// when it computes that block from the panels so far. The block is then as it was.
  bool factorises_after_all(const Lines& panel) {
    if (panel.first == 0) return false;
    const std::vector<std::byte> kept = copy_of(panel);
    update_triangle({0, panel.first}, panel);
    const int info = steps_.factorise_cholesky(block(panel, panel));
    info_ = info > 0 ? info + static_cast<int>(panel.first) : 0;
    if (info_ == 0) put_back(panel, kept);
    return info_ == 0;
  }
  /// The lines that are left to the CPU. Its library sometimes takes milliseconds to wake its
  /// threads.
  std::int64_t resident_rest() const { return block_ ? width_ : duoblas::resident_rest(width_); }
  void factorise_rest(std::int64_t first) {
    if (first == p_.n) return;
    const Lines rest{first, p_.n};
    int info = 0;
    timed(&FactorTimes::panels, [&] {
      info = block_ && rest.count() <= width_
                 ? block_->factorise(steps_.at(first, first), p_.lda, rest.count())
                 : steps_.factorise_cholesky(block(rest, rest));
    });
    if (info > 0) info_ = info + static_cast<int>(first);
  }
  int info() const { return info_; }
  // After a failure the device's results say nothing about the matrix.
  void forget_info() { info_ = 0; }

  // Adds the time of `work` to one of the times.
  template <typename Work>
  void timed(double FactorTimes::*what, Work&& work) {
    times_.*what += seconds_of(work);
  }
  Factored factored() const { return {info_, times_}; }

 private:
  bool is_lower() const { return p_.uplo == Uplo::lower; }
  Block block(const Lines& rows, const Lines& columns) const {
    if (is_lower()) return {rows.first, columns.first, rows.count(), columns.count()};
    return {columns.first, rows.first, columns.count(), rows.count()};
  }

  // The whole block on the diagonal, column by column.
  std::vector<std::byte> copy_of(const Lines& panel) const {
    const std::size_t bytes = column_bytes(panel);
    std::vector<std::byte> kept(bytes * static_cast<std::size_t>(panel.count()));
    for (std::int64_t j = 0; j < panel.count(); ++j)
      std::memcpy(kept.data() + static_cast<std::size_t>(j) * bytes,
                  steps_.at(panel.first, panel.first + j), bytes);
    return kept;
  }
  // Writes only the stored triangle.
  void put_back(const Lines& panel, const std::vector<std::byte>& kept) const {
    const std::size_t element = element_size(p_.precision);
    for (std::int64_t j = 0; j < panel.count(); ++j) {
      const std::int64_t begin = is_lower() ? j : 0, end = is_lower() ? panel.count() : j + 1;
      std::memcpy(steps_.at(panel.first + begin, panel.first + j),
                  kept.data() + static_cast<std::size_t>(j) * column_bytes(panel) +
                      static_cast<std::size_t>(begin) * element,
                  static_cast<std::size_t>(end - begin) * element);
    }
  }
  std::size_t column_bytes(const Lines& panel) const {
    return static_cast<std::size_t>(panel.count()) * element_size(p_.precision);
  }

  const LapackProblem& p_;
  const std::int64_t width_;
  BlockSteps steps_;
  std::unique_ptr<CholeskyBlock> block_;
  int info_ = 0;
  FactorTimes times_;
};

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
class StepsInPlace {
 public:
  /// `adapts`: steps are divided by what earlier ones took.
  StepsInPlace(Cholesky& cholesky, const Plan& plan, bool adapts, DeviceUpdates& device)
      : cholesky_(cholesky), costs_(plan), adapts_(adapts), device_(device) {}

  /// The update with a panel, and the factorisation of the next one. Returns false if that is not
  /// positive definite.
  bool step(const Lines& panel, const Lines& next, const Plan& plan,
            const TriangleDivision& planned) {
    const std::int64_t order = cholesky_.order() - next.end;
    // Before the first step nothing was timed.
    const TriangleDivision lines =
        adapts_ && panel.first > 0 ? divide_triangle({order, panel.count(), next.count()}, costs_)
                                   : planned;
    const Division parts(next, order, lines);
    const auto triangle = [&](const Lines& of) {
      const double count = static_cast<double>(of.count());
      costed(StepWork::product, count * count * static_cast<double>(panel.count()),
             [&] { cholesky_.update_triangle(panel, of); });
    };
    const auto beside = [&](const Lines& rows, const Lines& columns, const GemmProblem& written,
                            const auto& work) {
      const GemmProblem part = cholesky_.update(panel, rows, columns);
      if (part.empty()) return work();
      const SideSeconds took = device_.update(part, plan, written, work);
      if (adapts_) costs_.note_device(counted_flops(part), took);
    };
    bool goes_on = true;
    beside(parts.below_t0(), parts.t0,
           cholesky_.update(panel, {next.first, next.end + order}, next), [&] {
             costed(StepWork::product,
                    counted_flops(cholesky_.update(panel, {next.first, next.end + order}, next)),
                    [&] { cholesky_.update_columns(panel, next); });
             costed(StepWork::panel, cholesky_panel_flops(order, next.count()),
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
  template <typename Work>
  void costed(StepWork what, double count, Work&& work) {
    const double seconds = seconds_of(work);
    if (adapts_) costs_.note(what, count, seconds);
  }

  Cholesky& cholesky_;
  StepCosts costs_;
  const bool adapts_;
  DeviceUpdates& device_;
};

Plan plan_of_part(Plan plan, std::int64_t rows) {
  plan.strategy = Strategy::hybrid;
  plan.axis = Axis::rows;
  plan.gpu_extent = rows;
  plan.entry_rows = 0;
  plan.forecast.reset();
  return plan;
}

}  // namespace

std::vector<CallStep> cholesky_updates(Engine& engine, const LapackProblem& p) {
  std::vector<CallStep> updates;
  const bool insists = engine.insists_on_gpu(), forced = engine.request().forces_split();
  const Cholesky cholesky(engine, p, cholesky_panel_columns(p.n, insists), {});
  for (Lines panel = cholesky.panel_at(0); panel.end < p.n;) {
    const Lines next = cholesky.panel_at(panel.end);
    const std::int64_t order = p.n - next.end;
    if (order < 2) break;
    // The rectangle is half of the triangle.
    const Lines first_half{next.end, next.end + order / 2}, others{first_half.end, p.n};
    const Plan plan = engine.plan_beside_work(cholesky.update(panel, others, first_half));
    if (!plan.uses_gpu()) break;
    const TriangleDivision lines =
        divide_triangle({order, panel.count(), next.count()}, plan, forced);
    if (lines.first == 0) break;
    const Division parts(next, order, lines);
    const auto add = [&](const Lines& rows, const Lines& columns) {
      const GemmProblem product = cholesky.update(panel, rows, columns);
      updates.emplace_back(PlannedProduct{product, plan_of_part(plan, product.m)});
    };
    add(parts.below_t0(), parts.t0);
    add(parts.t2, parts.t1);
    panel = next;
  }
  return updates;
}

Factored factorise_cholesky(Engine& engine, const DeviceFactorisation& call, DeviceUpdates& device,
                            SolveWithFactors* solve) {
  const LapackProblem& p = call.problem;
  Cholesky cholesky(engine, p, call.width, call.plan.cpu);
  Lines panel = cholesky.panel_at(0);
  std::int64_t done = 0;  // lines that are factorised
  bool is_up_to_date = false, is_back = false;
  const auto factors = cholesky.can_factorise_blocks() ? device.hold(call) : nullptr;
  if (factors) try {
      if (solve != nullptr) factors->keep_factors();
      cholesky.timed(&FactorTimes::copies, [&] { factors->send(0); });
      for (; !is_up_to_date; panel = cholesky.panel_at(panel.end)) {
        if (!cholesky.factorise_block(factors->panel(), panel)) {
          factors->finish();
          device.done();
          is_back = true;
          if (!cholesky.factorises_after_all(panel)) return cholesky.factored();
          done = panel.first;
          break;
        }
        is_up_to_date = p.n - panel.end <= cholesky.resident_rest();
        const Lines next = is_up_to_date ? Lines{panel.end, p.n} : cholesky.panel_at(panel.end);
        cholesky.timed(&FactorTimes::copies, [&] {
          factors->apply({panel.first, panel.count()}, {next.first, next.count()});
        });
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
  return cholesky.factored();
}

Factored factorise_cholesky(Engine& engine, const LapackProblem& p,
                            const std::vector<CallStep>& updates, DeviceUpdates& device) {
  const auto product_at = [&](std::size_t i) -> const PlannedProduct& {
    return std::get<PlannedProduct>(updates[i]);
  };
  const PlannedProduct& first = product_at(0);
  Cholesky cholesky(engine, p, first.problem.k, first.plan.cpu);
  Lines panel = cholesky.panel_at(0);
  if (!cholesky.factorise(panel)) return cholesky.factored();
  StepsInPlace steps(cholesky, first.plan,
                     engine.settings().adapt && !engine.request().forces_split(), device);
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
  return cholesky.factored();
}

}  // namespace duoblas
