// Where a share of C ends: rounded to a kernel's tiles, along rows or columns.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernel_space/device_limits.hpp"
#include "kernel_space/kernel_params.hpp"
#include "memory/sharing_mode.hpp"
#include "planner/time_law.hpp"
#include "problem/cut.hpp"

namespace duoblas {

struct PlannedCut {
  Axis axis = Axis::rows;
  std::int64_t gpu_extent = 0;  ///< rows (or columns) of C that the GPU computes

  std::int64_t extent(const GemmProblem& p) const { return axis == Axis::rows ? p.m : p.n; }
  /// Whether both sides have something to do.
  bool is_shared(const GemmProblem& p) const { return gpu_extent > 0 && gpu_extent < extent(p); }
};

/// The share in whole tiles of the kernel, along the axis where that rounds it less; rows are
/// preferred. \pre C has elements.
PlannedCut planned_cut(const GemmProblem& problem, const KernelParams& kernel, Share share);

/// The same along a given axis.
PlannedCut cut_along(Axis axis, const GemmProblem& problem, const KernelParams& kernel,
                     Share share);

/// The number of rows next to `rows`, in whole tiles, whose part of C begins and ends in memory at
/// multiples of `bytes`: only such a part is shared by a driver of that granularity (0, 1: any is).
/// `rows` itself where there is none within a 16th of C, or C does not begin so.
std::int64_t shareable_rows(const GemmProblem& problem, std::int64_t rows, std::int64_t tile,
                            std::size_t bytes);

/// Whether rounding to tiles of rows can move a share so far that columns are worth a look. Rows of
/// C are one slab; columns cost more than copies tell (PoCL, 159 x 664 x 802: the same share of
/// columns took 1.3 times as long).
bool rounds_rows_coarsely(const GemmProblem& problem, const KernelParams& kernel);

/// The GPU's kernel, and how it reaches the operands.
struct GpuMeans {
  KernelParams kernel;
  SharingMode sharing = SharingMode::staged;
  const DeviceLimits* device = nullptr;  ///< null: whatever the size, it fits
};

/// The GPU's part with its edge tiles counted whole, and the CPU's. Cut by columns, the CPU writes
/// between the rows of the GPU's part of C, which is staged therefore.
WorkSizes gpu_work(const GemmProblem& problem, const PlannedCut& cut, const GpuMeans& means);
WorkSizes cpu_work(const GemmProblem& problem, const PlannedCut& cut);

}  // namespace duoblas
