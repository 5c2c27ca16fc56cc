// Where a share of C ends: rounded to a kernel's tiles, along rows or columns.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernel_space/device_limits.hpp"
#include "kernel_space/kernel_params.hpp"
#include "planner/time_model.hpp"
#include "problem/partition.hpp"
#include "sides/sharing_mode.hpp"

namespace duoblas {

struct PlannedPartition {
  Axis axis = Axis::rows;
  std::int64_t gpu_extent = 0;  ///< rows (or columns) of C that the GPU computes

  std::int64_t extent(const GemmProblem& p) const { return axis == Axis::rows ? p.m : p.n; }
  /// Whether both sides have something to do.
  bool is_split(const GemmProblem& p) const { return gpu_extent > 0 && gpu_extent < extent(p); }
  double gpu_part(const GemmProblem& p) const {
    return static_cast<double>(gpu_extent) / static_cast<double>(extent(p));
  }
};

/// The share in whole tiles of the kernel, along the axis along which rounding changes it less;
/// rows if both are equal. \pre C has elements.
PlannedPartition planned_partition(const GemmProblem& problem, const KernelParams& kernel,
                                   Share share);

/// The same along a given axis.
PlannedPartition partition_along(Axis axis, const GemmProblem& problem, const KernelParams& kernel,
                                 Share share);

/// The number of rows nearest to `rows`, in whole tiles, for which the GPU's part of C begins and
/// ends at multiples of `bytes`. A driver of that granularity shares no other part (0, 1: any).
/// `rows` itself if there is no such number within a 16th of C, or if C does not begin at a
/// multiple.
std::int64_t shareable_rows(const GemmProblem& problem, std::int64_t rows, std::int64_t tile,
                            std::size_t bytes);

/// Whether rounding to tiles of rows can move a share so far that columns are worth considering.
/// Rows of C are contiguous. Columns cost more than their copies explain (PoCL, 159 x 664 x 802:
/// the same share of columns took 1.3 times as long).
bool rounds_rows_coarsely(const GemmProblem& problem, const KernelParams& kernel);

/// The GPU's kernel, and how it reaches the operands.
struct GpuConfig {
  KernelParams kernel;
  SharingMode sharing = SharingMode::staged;
  const DeviceLimits* device = nullptr;  ///< null: products of any size fit
};

/// The GPU's part, with its edge tiles counted whole, and the CPU's. If C is partitioned by
/// columns, the CPU writes between the rows of the GPU's part, so that part is staged.
WorkSizes gpu_work(const GemmProblem& problem, const PlannedPartition& partition,
                   const GpuConfig& gpu_config);
WorkSizes cpu_work(const GemmProblem& problem, const PlannedPartition& partition);

}  // namespace duoblas
