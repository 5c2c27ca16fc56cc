// How the update of one step is divided between the sides, so that they end together although the
// CPU also factorises the next panel.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "engine/device_updates.hpp"
#include "planner/plan.hpp"
#include "problem/gemm_problem.hpp"
#include "problem/partition.hpp"
#include "timing/stopwatch.hpp"

namespace duoblas {

constexpr std::int64_t end_of(const Interval& panel) {
  return panel.first + panel.count;
}

enum class StepWork { device_product, product, panel, rows_of_u };

/// What the steps of a factorisation in place take, by kinds of work, relative to one another: what
/// is known before it begins, then what the call's own steps took. So a step is divided by the
/// rates that both sides had beside one another a moment ago.
class StepCosts {
 public:
  /// `plan`: of a whole update. `adapts`: they follow what the steps take.
  explicit StepCosts(const Plan& plan, bool adapts = true);
  bool adapt() const { return adapts_; }

  /// What the call's work took. Without flops or seconds, or if they are no numbers, it tells
  /// nothing.
  void note(StepWork work, double flops, double seconds);
  /// The same of what the device took for a product. If that is an upper bound, it tells something
  /// where more was expected.
  void note_device(double flops, const SideSeconds& took);
  /// The time of a flop over that of a flop of the CPU's products.
  double of(StepWork work) const;
  /// Does it, and notes what it took.
  template <typename Work>
  void timed(StepWork what, double flops, Work&& work) {
    note(what, flops, seconds_of(work));
  }

 private:
  static constexpr std::size_t kinds = 4;
  bool adapts_;
  std::array<double, kinds> expected_;
  std::array<double, kinds> seconds_{};  ///< of a flop; 0: none was timed
};

/// The matrix behind the panel. Columns and rows are counted from there.
struct LuStep {
  std::int64_t rows = 0, columns = 0;
  std::int64_t depth = 0;  ///< columns of the panel that was factorised
  std::int64_t next = 0;   ///< of the next panel, which the CPU updates and factorises
  /// Of products that take as long as the CPU's other work beside that.
  double other_flops = 0;
};

/// The flops of a product as divisions count them: those of complex numbers as of real ones, as
/// here for panels, triangles and rows of U.
double counted_flops(const GemmProblem& product);

/// The flops of a product that takes as long as factorising a panel.
double panel_cost(std::int64_t rows, std::int64_t columns);
/// The same of rows of U, which are swapped and solved for.
double u_cost(std::int64_t depth, std::int64_t columns);

/// The device's columns, the last ones; 0: it is not worth it.
std::int64_t device_columns(const LuStep& step, const StepCosts& costs);
/// The same before any step was timed, by the plan of the whole update; or as it says if a split is
/// `forced`.
std::int64_t device_columns(const LuStep& step, const Plan& plan, bool forced);

/// The device updates its columns in two parts: first the last ones, then those before them.
/// Columns are counted as in LuStep.
struct LuColumns {
  std::int64_t second_end = 0;    ///< of the second part, where the first begins
  std::int64_t beside_first = 0;  ///< columns behind the next panel that the CPU updates meanwhile
};

/// The division of a step where the device has the last `devices` columns. In `unfinished` ones the
/// CPU completes the rows of U while the device has its first part, which lies behind them. During
/// the second part it does so for the next panel, in all other columns.
LuColumns divide_columns(const LuStep& step, std::int64_t devices, const Interval& unfinished,
                         const StepCosts& costs);

/// A lower triangle of `order` lines behind the next panel, whose blocks are
///
///     T0                 the device has R1 while the CPU has the next panel, and T2 and T1 if that
///     R1 T1              is `early`; then R2 while the CPU has T0; in no columns both write at
///     R1 R2 T2           once
///
///     T0 = T3            T0's rectangle is the device's too, last, while the CPU has what is left
///          R3 T4         of T1 and T2
///
/// (an upper one is the same, mirrored).
struct TriangleDivision {
  std::int64_t first = 0;   ///< lines of T0; 0: the CPU does everything
  std::int64_t second = 0;  ///< lines of T0 and T1; `order`: there is no R2
  std::int64_t inner = 0;   ///< lines of T3; 0: there is no R3
  int early = 2;            ///< T2 and T1 beside R1 (2), T2 (1), or none of them
};

struct TriangleStep {
  std::int64_t order = 0;  ///< lines behind the next panel
  std::int64_t depth = 0, next = 0;
};

/// \param is_timed by what the call's steps took so far: there is an R1. Else there may be none,
/// and no R3 is tried: a call is planned before each of its steps is known. \pre order >= 2.
TriangleDivision divide_triangle(const TriangleStep& step, const StepCosts& costs,
                                 bool is_timed = true);
/// As for device_columns().
TriangleDivision divide_triangle(const TriangleStep& step, const Plan& plan, bool forced);
/// The flops of a panel with so many rows below its square.
double cholesky_panel_flops(std::int64_t rows, std::int64_t columns);

/// In place wider panels are halved, and products do the rest, at several times the rate of a
/// panel's threads.
inline constexpr std::int64_t narrow_panel = 64;

/// Columns of a panel for a matrix with so many in its shorter direction. `insists`: several panels
/// even in small matrices.
std::int64_t panel_columns(std::int64_t extent, bool insists);
/// The same of LU in place, where a team of so many threads does the CPU's part.
std::int64_t lu_panel_columns(std::int64_t extent, int team, bool insists);
/// The same of Cholesky. Its panels and the updates of the next ones are the CPU's, which would
/// have most of the work in few wide panels.
std::int64_t cholesky_panel_columns(std::int64_t extent, bool insists);
/// The same if the device does all updates, and waits for panels.
std::int64_t resident_panel_columns(std::int64_t extent, bool insists);
/// The size of the rest of a matrix that the CPU does alone, with panels of this width. Of LU less
/// than a panel, if the device makes those.
std::int64_t resident_rest(std::int64_t width, bool device_makes_panels = false);

}  // namespace duoblas
