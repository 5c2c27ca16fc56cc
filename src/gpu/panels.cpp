#include "gpu/panels.hpp"

#include <algorithm>

#include "plan/kernel_defaults.hpp"

namespace duoblas {
namespace {

// What a panel brings over the bus at least, so that 20 us of enqueueing stay below a tenth of it
// (H200, 55 GB/s).
constexpr std::int64_t least_bytes = std::int64_t{4} << 20;

std::int64_t parts(std::int64_t whole, std::int64_t part) {
  return (whole + part - 1) / part;
}

}  // namespace

Panels panels_of(const GemmProblem& problem, const KernelParams& kernel, int compute_units) {
  Panels panels;
  panels.axis = problem.m >= problem.n ? Axis::rows : Axis::columns;
  const bool rows = panels.axis == Axis::rows;
  const std::int64_t extent = rows ? problem.m : problem.n;
  const std::int64_t tile = rows ? row_tile(kernel) : col_tile(kernel);
  const std::int64_t tiles_across =
      rows ? parts(problem.n, col_tile(kernel)) : parts(problem.m, row_tile(kernel));
  const std::int64_t line_bytes =
      problem.k * static_cast<std::int64_t>(element_size(problem.precision));
  // Rounded down: one tile more would be computed by a few units while all others wait.
  const std::int64_t busy = std::max<std::int64_t>(1, compute_units / tiles_across) * tile;
  const std::int64_t worth = parts(parts(least_bytes, line_bytes), tile) * tile;
  const std::int64_t length = parts(std::max(busy, worth), busy) * busy;
  for (std::int64_t end = length; end < extent; end += length) panels.ends.push_back(end);
  panels.ends.push_back(extent);
  return panels;
}

GemmProblem panel_of(const GemmProblem& problem, const Panels& panels, std::size_t index) {
  const GemmProblem up_to_its_end = cut(problem, panels.axis, panels.ends[index]).gpu;
  return index == 0 ? up_to_its_end : cut(up_to_its_end, panels.axis, panels.ends[index - 1]).cpu;
}

}  // namespace duoblas
