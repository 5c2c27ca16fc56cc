// A product in panels, so that one is on the bus while another is computed.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/kernel_params.hpp"
#include "problem/cut.hpp"

namespace duoblas {

/// Along rows: panels of op(A) and C move, op(B) stays. Along columns: panels of op(B) and C.
struct Panels {
  Axis axis = Axis::rows;
  std::vector<std::int64_t> ends;  ///< of each panel, in rows or columns of C; increasing
};

/// The longer side of C is cut, into whole tiles of the kernel, so that each panel keeps every
/// compute unit busy, and none is so small that the transfers' start-up counts. \pre m, n, k >= 1.
Panels panels_of(const GemmProblem& problem, const KernelParams& kernel, int compute_units);

/// The product of panel `index` alone.
GemmProblem panel_of(const GemmProblem& problem, const Panels& panels, std::size_t index);

}  // namespace duoblas
