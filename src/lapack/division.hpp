// How the update of one step is divided between the sides, so that they end together: the CPU has
// the next panel to factorise, too.
#pragma once

#include <cstdint>

#include "planner/plan.hpp"

namespace duoblas {

/// Of what is left behind the panel. Columns and rows are counted from there.
struct LuStep {
  std::int64_t rows = 0, columns = 0;
  std::int64_t depth = 0;  ///< columns of the panel that was factorised
  std::int64_t next = 0;   ///< of the next one, which the CPU updates and factorises
};

/// Flops of a product that takes as long as to factorise a panel.
double panel_cost(std::int64_t rows, std::int64_t columns);

/// `plan`: of the whole update. Columns for the device, the last ones. 0: it is not worth it.
std::int64_t device_columns(const LuStep& step, const Plan& plan, bool forced);

/// A lower triangle of `order` lines behind the next panel, whose blocks are
///
///     T0                 the device has R1 while the CPU has the next panel, T1 and T2,
///     R1 T1              then R2 while the CPU has T0: in no columns both write at once
///     R1 R2 T2
///
/// (an upper one is the same, mirrored).
struct TriangleDivision {
  std::int64_t first = 0;   ///< lines of T0; 0: all is the CPU's
  std::int64_t second = 0;  ///< lines of T0 and T1; `order`: there is no R2
};

struct TriangleStep {
  std::int64_t order = 0;  ///< lines behind the next panel
  std::int64_t depth = 0, next = 0;
};

TriangleDivision divide_triangle(const TriangleStep& step, const Plan& plan, bool forced);

/// Columns of a panel for a matrix with so many in its shorter direction. `insists`: several panels
/// in small matrices too.
std::int64_t panel_columns(std::int64_t extent, bool insists);
/// The same where the device has all updates, and waits for panels.
std::int64_t resident_panel_columns(std::int64_t extent, bool insists);
/// What is left of a matrix with panels of this width that is the CPU's alone.
std::int64_t resident_rest(std::int64_t width);

}  // namespace duoblas
