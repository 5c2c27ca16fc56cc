// getrf: P L U = A. One step, after the panel of columns first to first + width was factorised:
//
//     done  | panel | next | the CPU's | the device's
//     ------+-------+------+-----------+-------------   rows of the panel: swap, then solve with L
//           |       |      |           |                below: C -= L U
//
// The swaps in columns that are done come later, for several steps at once. In place the device has
// its last columns first, and those before them second. During the second update the CPU swaps and
// solves for the next panel in all other columns. So the device does not wait for that. The second
// part of a step whose old values are kept, or of a small one, is begun ahead, and does not wait
// for the CPU's own part either.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>

#include "facts/rates.hpp"
#include "lapack/block_steps.hpp"
#include "lapack/division.hpp"
#include "lapack/factorisation.hpp"
#include "lapack/row_exchanges.hpp"
#include "lapack/saved_matrix.hpp"
#include "problem/rounding.hpp"

namespace duoblas {

/// The columns of a panel.
using Panel = Interval;

/// Where old values are saved, steps with at most so many rows have their second part ahead.
inline constexpr std::int64_t most_rows_ahead = rates::most_lu_rows_ahead;

/// The exchanges of so many steps are applied at once to columns that are done, which are loaded
/// into a cache once for all of them (docs/experiments/factorisations-in-place.md).
inline constexpr std::int64_t steps_per_swap = 8;

/// One factorisation in progress.
class Lu : private OldResult {
 public:
  Lu(Engine& engine, const LapackProblem& p, std::int64_t panel_width, const CpuConfig& cpu)
      : engine_(engine), p_(p), cpu_(cpu), width_(panel_width), steps_(engine, p, cpu) {}

  /// From now on, threads of our own factorise blocks of this number of columns, and exchange rows,
  /// if there is memory for them.
  void have_threads(std::int64_t columns, TeamShare share) {
    const bool is_large = pivots() >= rates::more_lu_tiles_from;
    threads_ = LuThreads::made(engine_, p_, columns, cpu_, share,
                               is_large ? rates::more_lu_tiles : usual_tiles);
    steps_.use(threads_ ? threads_->blas.get() : nullptr);
  }
  bool has_threads() const { return threads_ != nullptr; }
  /// From now on wide panels are factorised in halves, and rows of U are multiplied by inverses.
  void halve_panels() {
    inverted_.emplace(InvertedBlocks{{p_.precision, width_, BlockSteps::solved_leaf}});
  }
  void divide_by(const StepCosts& costs) { costs_ = costs; }

  std::int64_t pivots() const { return std::min(p_.m, p_.n); }
  Panel panel_at(std::int64_t first) const { return {first, std::min(width_, pivots() - first)}; }
  Block behind(const Panel& panel) const {
    return {end_of(panel), end_of(panel), p_.m - end_of(panel), p_.n - end_of(panel)};
  }
  GemmProblem update(const Panel& panel, std::int64_t column, std::int64_t columns) const {
    const std::int64_t rows = p_.m - end_of(panel);
    return steps_.product({end_of(panel), column, rows, columns},
                          {end_of(panel), panel.first, rows, panel.count}, Op::none,
                          {panel.first, column, panel.count, columns}, Op::none);
  }

  void factorise(const Block& block, InvertedBlocks* inverted = nullptr) {
    note(block, steps_.factorise_lu(block, threads_.get(), inverted));
  }
  // The next panel. The inverses of the one before are of no use any more.
  void factorise(const Panel& panel) {
    if (!inverted_) return factorise(block_of(panel));
    inverted_->first = panel.first;
    factorise_in_halves(panel);
  }
  // In halves if the panel is wide. Products do what a panel's threads would do column by column.
  void factorise_in_halves(const Panel& panel) {
    if (panel.count <= narrow_panel) return factorise(block_of(panel), &*inverted_);
    const Panel left{panel.first, round_up(panel.count / 2, narrow_panel)};
    const Panel right{end_of(left), panel.count - left.count};
    factorise_in_halves(left);
    finish_rows(left, right);
    steps_.multiply(update(left, right.first, right.count));
    factorise_in_halves(right);
    steps_.swap_rows(right.first, end_of(right), left.first, left.count);
  }
  // Factorises the panel where the device fetches it from, with all its rows. Except for the first
  // panel they are there already.
  void factorise(const Panel& panel, FactorsOnDevice& device) {
    const Block block = block_of(panel);
    note(block, steps_.factorise_lu_apart(block, device.panel(), panel.first > 0, threads_.get(),
                                          device.inverse()));
  }
  // Panels from this column on will be factorised again.
  void forget_from(std::int64_t column) { info_ = info_ > column ? 0 : info_; }
  void note_info(int of_device) { info_ = info_ == 0 ? of_device : info_; }
  // Completes the rows of U beside the panel, in these columns.
  void finish_rows(const Panel& panel, const Interval& columns) {
    steps_.complete_rows(panel, columns, *inverted_);
  }
  Interval columns_from(std::int64_t first) const { return {first, p_.n - first}; }
  // Does the swaps that were left of all rows before `last`, in the columns of panels up to this
  // one.
  void swap_all_done(const Panel& panel, std::int64_t last) {
    exchange_behind_panels(p_, {width_, end_of(panel)}, {swapped_, last - swapped_},
                           threads_ ? &threads_->team() : nullptr);
    swapped_ = last;
  }

  // The update with a panel, partly on the device, and the factorisation of the next panel. Before,
  // the panel's rows are complete in all columns but `unfinished_`; afterwards the next panel's.
  void step(const Panel& panel, const Panel& next, const PlannedProduct& part,
            DeviceUpdates& device) {
    updating_ = panel;
    const std::int64_t behind_next = p_.n - end_of(next);
    const LuStep step{
        p_.m - end_of(panel), p_.n - end_of(panel), panel.count, next.count,
        costs_->of(StepWork::rows_of_u) * flops_of(next.count * next.count * behind_next)};
    // Of the first step nothing was timed.
    const bool is_timed = costs_->adapt() && panel.first > 0;
    const std::int64_t count =
        is_timed ? std::max<std::int64_t>(1, device_columns(step, *costs_)) : part.problem.m;
    const std::int64_t devices = p_.n - count;
    const LuColumns columns = divide_columns(
        step, count, {unfinished_.first - end_of(panel), unfinished_.count}, *costs_);
    const std::int64_t middle = end_of(panel) + columns.second_end;
    const bool has_second = middle > devices;
    const bool ahead = has_second && (kept(devices) != nullptr || step.rows <= most_rows_ahead);
    const std::int64_t between = ahead ? devices : end_of(next) + columns.beside_first;
    const auto multiply = [&](std::int64_t first, std::int64_t end) {
      const GemmProblem product = update(panel, first, end - first);
      costs_->timed(StepWork::product, counted_flops(product), [&] { steps_.multiply(product); });
    };
    const auto finish = [&](const Panel& of, const Interval& rest) {
      costs_->timed(StepWork::rows_of_u, flops_of(of.count * of.count * rest.count),
                    [&] { finish_rows(of, rest); });
    };
    const auto on_device = [&](std::int64_t first, std::int64_t end, const auto& beside) {
      const GemmProblem product = update(panel, first, end - first);
      const SideSeconds took =
          device.update(product, part.plan, written_before(panel, first), beside, kept(first));
      costs_->note_device(counted_flops(product), took);
    };
    const auto the_rest = [&] {
      multiply(between, devices);
      if (panel.first / width_ % steps_per_swap == steps_per_swap - 1)
        swap_all_done(panel, end_of(panel));
      finish(next, {end_of(next), devices - end_of(next)});
    };
    on_device(middle, p_.n, [&] {
      wait_for_saved(unfinished_.first);
      finish(panel, unfinished_);
      if (ahead)
        device.begin(update(panel, devices, middle - devices), part.plan,
                     written_before(panel, devices), kept(devices));
      multiply(end_of(panel), end_of(next));
      costs_->timed(StepWork::panel, flops_of(step.rows * next.count * next.count),
                    [&] { factorise(next); });
      multiply(end_of(next), between);
      if (ahead) the_rest();
    });
    const auto after_first_part = [&] {
      if (!ahead) the_rest();
      finish(next, columns_from(middle));
    };
    if (has_second && !ahead)
      on_device(devices, middle, after_first_part);
    else
      after_first_part();
    if (ahead) device.finish();
    unfinished_ = {devices, middle - devices};
  }
  // Keeps the columns from this one on, for the case that the device fails: the last ones, of which
  // there are so many bytes.
  void keep_from(std::int64_t column, std::size_t most_bytes) try {
    saved_.emplace(p_, column, most_bytes);
  } catch (const std::bad_alloc&) {
    // Each update saves what it overwrites.
  }
  // The first panel and its rows, those that the device has not first beside it. `devices`: its
  // first column.
  void begin(const Panel& panel, std::int64_t devices) {
    factorise(panel);
    const std::int64_t first = devices + (p_.n - devices) / 2;
    wait_for_saved(first);
    finish_rows(panel, columns_from(first));
    unfinished_ = {end_of(panel), first - end_of(panel)};
  }
  // Updates everything behind the last factorised panel.
  void rest(const Panel& panel) {
    finish_rows(panel, unfinished_);
    const Block rest = behind(panel);
    if (!rest.empty()) steps_.multiply(update(panel, end_of(panel), rest.columns));
    factorise_behind(panel);
  }
  void factorise_rest(const Panel& panel) {
    if (behind(panel).empty()) return;
    // Never wider than it is long: our threads do no such block (LuPanel::suits()).
    const Panel last{end_of(panel), pivots() - end_of(panel)};
    if (last.count <= width_)
      factorise(last);
    else
      factorise(block_of(last));
    const std::int64_t end = end_of(last);
    steps_.swap_rows(last.first, end, end, p_.n - end);
    steps_.solve_by_halves(unit_lower(last.first, last.count),
                           {last.first, end, last.count, p_.n - end});
  }
  void factorise_behind(const Panel& panel) {
    factorise_rest(panel);
    swap_all_done(panel, pivots());
  }
  // Applies all panels so far to columns that had none of them: those behind the panel, except for
  // the first `arrived` ones.
  void catch_up(const Panel& panel, std::int64_t arrived) {
    const Panel all{0, end_of(panel)};
    const std::int64_t column = end_of(panel) + arrived, columns = p_.n - column;
    if (columns <= 0 || all.count == 0) return;
    swap_all_done(panel, end_of(panel));
    steps_.swap_rows(0, end_of(all), column, columns);
    steps_.solve(unit_lower(0, all.count), {0, column, all.count, columns});
    if (p_.m > end_of(all)) steps_.multiply(update(all, column, columns));
  }

  int info() const { return info_; }

 private:
  Block block_of(const Panel& panel) const {
    return {panel.first, panel.first, p_.m - panel.first, panel.count};
  }
  // Where the CPU writes beside a part of the device that begins at this column. Behind that part
  // it writes too, but the device sees no memory behind a part.
  GemmProblem written_before(const Panel& panel, std::int64_t column) const {
    return update(panel, end_of(panel), column - end_of(panel));
  }

  // A step need not save old values of columns that are kept: A's, with the exchanges of all panels
  // so far, less the product of the factors before the step's panel. Those have these exchanges
  // too; rows of U above the block are final.
  OldResult* kept(std::int64_t column) { return saved_ && saved_->have(column) ? this : nullptr; }
  void restore(const GemmProblem& part) override {
    const std::int64_t before = updating_.first, end = end_of(updating_);
    swap_all_done(updating_, end);
    steps_.swap_rows(swapped_in_copy_, end, saved_->data(), p_.m, p_.n - saved_->first());
    swapped_in_copy_ = end;
    const Block c = block_of_c(p_, part);
    saved_->put_back({c.row, c.row + c.rows}, {c.column, c.column + c.columns});
    if (before > 0)
      steps_.multiply(steps_.product(c, {c.row, 0, c.rows, before}, Op::none,
                                     {0, c.column, before, c.columns}, Op::none));
  }
  void wait_for_saved(std::int64_t column) {
    if (!saved_) return;
    const auto help = [&](int) { saved_->wait_for(column); };
    if (!threads_) return help(0);
    threads_->team().run(threads_->team().size(), std::cref(help));  // takes no memory
  }

  static double flops_of(std::int64_t count) { return static_cast<double>(count); }
  void note(const Block& block, int info) {
    if (info > 0 && info_ == 0) info_ = info + static_cast<int>(block.column);
  }

  Engine& engine_;
  const LapackProblem& p_;
  const CpuConfig cpu_;
  const std::int64_t width_;
  BlockSteps steps_;
  std::shared_ptr<LuThreads> threads_;      ///< null: there are none
  std::optional<StepCosts> costs_;          ///< of steps in place
  std::optional<InvertedBlocks> inverted_;  ///< of the last panel, if panels are halved
  Interval unfinished_{0, 0};               ///< columns without the last panel's swaps and solves
  std::int64_t swapped_ = 0;  ///< rows whose swaps were applied to the columns before them
  Panel updating_{0, 0};      ///< what the step multiplies by
  std::optional<SavedMatrix> saved_;
  std::int64_t swapped_in_copy_ = 0;  ///< rows whose exchanges were applied to that
  int info_ = 0;
};

}  // namespace duoblas
