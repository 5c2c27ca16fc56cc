// getrf: P L U = A. A step of it, with the panel of columns first to first + width factorised:
//
//     done  | panel | next | the CPU's | the device's
//     ------+-------+------+-----------+-------------   rows of the panel: swap, then solve with L
//           |       |      |           |                below: C -= L U
#include <algorithm>
#include <optional>

#include <duoblas/error.hpp>

#include "lapack/block_steps.hpp"
#include "lapack/division.hpp"
#include "lapack/factorisation.hpp"
#include "lapack/lu_threads.hpp"
#include "timing/stopwatch.hpp"

namespace duoblas {
namespace {

struct Panel {
  std::int64_t first = 0, width = 0;

  std::int64_t end() const { return first + width; }
};

const PlannedProduct& product_of(const CallStep& step) {
  return std::get<PlannedProduct>(step);
}

// One factorisation on its way.
class Lu {
 public:
  Lu(Engine& engine, const LapackProblem& p, std::int64_t panel_width, const CpuConfig& cpu)
      : engine_(engine), p_(p), cpu_(cpu), width_(panel_width), steps_(engine, p, cpu) {}

  /// Blocks of so many columns are factorised by threads of our own from now on.
  void have_threads(std::int64_t columns) { threads_.emplace(engine_, p_, columns, cpu_); }

  std::int64_t pivots() const { return std::min(p_.m, p_.n); }
  Panel panel_at(std::int64_t first) const { return {first, std::min(width_, pivots() - first)}; }
  Block behind(const Panel& panel) const {
    return {panel.end(), panel.end(), p_.m - panel.end(), p_.n - panel.end()};
  }
  GemmProblem update(const Panel& panel, std::int64_t column, std::int64_t columns) const {
    const std::int64_t rows = p_.m - panel.end();
    return steps_.product({panel.end(), column, rows, columns},
                          {panel.end(), panel.first, rows, panel.width}, Op::none,
                          {panel.first, column, panel.width, columns}, Op::none);
  }

  void factorise(const Block& block) {
    int info = 0;
    timed(&FactorTimes::panels,
          [&] { info = steps_.factorise_lu(block, threads_ ? &*threads_ : nullptr); });
    if (info > 0 && info_ == 0) info_ = info + static_cast<int>(block.column);
  }
  void factorise(const Panel& panel) {
    factorise(Block{panel.first, panel.first, p_.m - panel.first, panel.width});
  }
  // The rows of U beside the panel.
  void finish_rows(const Panel& panel) {
    const std::int64_t columns = p_.n - panel.end();
    steps_.swap_rows(panel.first, panel.end(), panel.end(), columns);
    steps_.solve({panel.first, panel.first, panel.width, panel.width}, Side::left, Uplo::lower,
                 Op::none, Diag::unit, {panel.first, panel.end(), panel.width, columns});
  }
  void swap_done(const Panel& panel) {
    steps_.swap_rows(panel.first, panel.end(), 0, panel.first);
    swapped_ = panel.end();
  }
  // The same of all rows before `last`, where that was left, in the columns of panels up to this.
  void swap_all_done(const Panel& panel, std::int64_t last) {
    threads_->swap_behind_panels(p_, {width_, panel.end()}, swapped_, last);
    swapped_ = last;
  }

  // The update of a panel with the device, and the factorisation of the next one.
  void step(const Panel& panel, const Panel& next, const PlannedProduct& part,
            DeviceUpdates& device) {
    finish_rows(panel);
    const std::int64_t cpu_columns = p_.n - panel.end() - part.problem.m;
    device.update(part, update(panel, panel.end(), cpu_columns), [&] {
      steps_.multiply(update(panel, panel.end(), next.width));
      factorise(next);
      steps_.multiply(update(panel, next.end(), cpu_columns - next.width));
      swap_done(panel);
    });
  }
  // What is behind the last panel that was factorised.
  void rest(const Panel& panel) {
    finish_rows(panel);
    swap_done(panel);
    const Block rest = behind(panel);
    if (!rest.empty()) steps_.multiply(update(panel, panel.end(), rest.columns));
    factorise_behind(panel);
  }
  void factorise_behind(const Panel& panel) {
    const Block rest = behind(panel);
    if (!rest.empty()) factorise(rest);
    swap_all_done(panel, pivots());
  }
  // All panels so far in columns that have had none of them: those behind the panel, but the first.
  void catch_up(const Panel& panel, std::int64_t arrived) {
    const Panel all{0, panel.end()};
    const std::int64_t column = panel.end() + arrived, columns = p_.n - column;
    if (columns <= 0) return;
    swap_all_done(panel, panel.end());
    steps_.swap_rows(0, all.end(), column, columns);
    steps_.solve({0, 0, all.width, all.width}, Side::left, Uplo::lower, Op::none, Diag::unit,
                 {0, column, all.width, columns});
    if (p_.m > all.end()) steps_.multiply(update(all, column, columns));
  }

  int info() const { return info_; }

  // Adds what `work` takes to one of the times.
  template <typename Work>
  void timed(double FactorTimes::*what, Work&& work) {
    times_.*what += seconds_of(work);
  }
  Factored factored() const { return {info_, times_}; }

 private:
  Engine& engine_;
  const LapackProblem& p_;
  const CpuConfig cpu_;
  const std::int64_t width_;
  BlockSteps steps_;
  std::optional<LuThreads> threads_;
  std::int64_t swapped_ = 0;  ///< rows whose swaps the columns before them have had
  int info_ = 0;
  FactorTimes times_;
};

}  // namespace

std::vector<CallStep> lu_updates(Engine& engine, const LapackProblem& p) {
  std::vector<CallStep> updates;
  const bool insists = engine.insists_on_gpu(), forced = engine.request().forces_split();
  const Lu lu(engine, p, panel_columns(std::min(p.m, p.n), insists), {});
  for (Panel panel = lu.panel_at(0); panel.width > 0;) {
    const Block behind = lu.behind(panel);
    const Panel next = lu.panel_at(panel.end());
    if (behind.empty() || behind.columns <= next.width) break;
    Plan plan = engine.plan(lu.update(panel, panel.end(), behind.columns));
    if (!plan.uses_gpu()) break;
    const std::int64_t columns =
        device_columns({behind.rows, behind.columns, panel.width, next.width}, plan, forced);
    if (columns == 0) break;
    plan.strategy = Strategy::hybrid;
    plan.axis = Axis::rows;
    plan.gpu_extent = columns;
    plan.entry_rows = 0;
    plan.forecast.reset();
    updates.emplace_back(PlannedProduct{lu.update(panel, p.n - columns, columns), plan});
    panel = next;
  }
  return updates;
}

Factored factorise_lu(Engine& engine, const DeviceFactorisation& call, DeviceUpdates& device) {
  const LapackProblem& p = call.problem;
  Lu lu(engine, p, call.width, call.plan.cpu);
  lu.have_threads(resident_rest(call.width));
  Panel panel = lu.panel_at(0);
  lu.factorise(panel);
  const auto factors = device.hold(call);
  if (!factors) {
    lu.rest(panel);
    return lu.factored();
  }
  // Of columns behind the panel: these are up to date.
  std::int64_t arrived = 0;
  try {
    lu.timed(&FactorTimes::copies, [&] { factors->send(panel.end()); });
    for (bool is_last = false; !is_last;) {
      is_last = p.n - panel.end() <= resident_rest(call.width) || panel.end() == lu.pivots();
      const Panel next{panel.end(), is_last ? p.n - panel.end() : lu.panel_at(panel.end()).width};
      lu.timed(&FactorTimes::copies, [&] {
        factors->apply({panel.first, panel.width}, {next.first, next.width});
      });
      factors->wait_for_next();
      if (is_last) {
        arrived = next.width;
        break;
      }
      lu.factorise(next);
      panel = next;
    }
    factors->finish();
    device.done();
  } catch (const DeviceError&) {
    arrived = std::max(arrived, factors->abandon());
    device.failed();
  }
  lu.catch_up(panel, arrived);
  lu.factorise_behind(panel);
  return lu.factored();
}

Factored factorise_lu(Engine& engine, const LapackProblem& p, const std::vector<CallStep>& updates,
                      DeviceUpdates& device) {
  const PlannedProduct& first = product_of(updates.front());
  Lu lu(engine, p, first.problem.k, first.plan.cpu);
  lu.have_threads(first.problem.k);
  Panel panel = lu.panel_at(0);
  lu.factorise(panel);
  for (const CallStep& update : updates) {
    const Panel next = lu.panel_at(panel.end());
    lu.step(panel, next, product_of(update), device);
    panel = next;
  }
  lu.rest(panel);
  return lu.factored();
}

}  // namespace duoblas
