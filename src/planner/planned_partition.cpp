#include "planner/planned_partition.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "kernel_space/kernel_defaults.hpp"

namespace duoblas {
namespace {

// Rounding may change the share by a 16th before the other axis is considered. Rows are preferred:
// their part of C is one slab, which drivers can share; columns are always staged.
constexpr double tolerable_rounding = 1.0 / 16;

double rounding_error(const GemmProblem& p, const PlannedPartition& partition, Share share) {
  return std::abs(partition.gpu_part(p) - share.fraction());
}

WorkSizes part(const GemmProblem& p, const PlannedPartition& partition, std::int64_t extent) {
  WorkSizes sizes;
  sizes.m = static_cast<double>(partition.axis == Axis::rows ? extent : p.m);
  sizes.n = static_cast<double>(partition.axis == Axis::rows ? p.n : extent);
  sizes.k = static_cast<double>(p.k);
  sizes.padded_m = sizes.m;
  sizes.padded_n = sizes.n;
  return sizes;
}

double whole_tiles(double extent, std::int64_t tile) {
  const auto size = static_cast<double>(tile);
  return std::ceil(extent / size) * size;
}

}  // namespace

PlannedPartition partition_along(Axis axis, const GemmProblem& p, const KernelParams& kernel,
                                 Share share) {
  if (axis == Axis::rows) return {axis, gpu_extent(p.m, share, row_tile(kernel))};
  return {axis, gpu_extent(p.n, share, col_tile(kernel))};
}

bool rounds_rows_coarsely(const GemmProblem& p, const KernelParams& kernel) {
  const double half_a_tile = static_cast<double>(row_tile(kernel)) / 2;
  return half_a_tile > tolerable_rounding * static_cast<double>(p.m);
}

PlannedPartition planned_partition(const GemmProblem& p, const KernelParams& kernel, Share share) {
  const PlannedPartition rows = partition_along(Axis::rows, p, kernel, share);
  const double row_error = rounding_error(p, rows, share);
  if (row_error <= tolerable_rounding) return rows;
  const PlannedPartition columns = partition_along(Axis::columns, p, kernel, share);
  return rounding_error(p, columns, share) < row_error / 2 ? columns : rows;
}

std::int64_t shareable_rows(const GemmProblem& p, std::int64_t rows, std::int64_t tile,
                            std::size_t bytes) {
  if (bytes <= 1 || reinterpret_cast<std::uintptr_t>(p.c) % bytes != 0) return rows;
  const auto element = static_cast<std::size_t>(element_size(p.precision));
  const std::size_t row = static_cast<std::size_t>(p.n) * element;
  const std::size_t pitch = static_cast<std::size_t>(p.ldc) * element;
  const auto ends_well = [&](std::int64_t count) {
    return count > 0 && count < p.m &&
           (static_cast<std::size_t>(count - 1) * pitch + row) % bytes == 0;
  };
  if (ends_well(rows)) return rows;
  // After `bytes` tiles their ends are at the same offsets again.
  const auto most =
      std::min(static_cast<std::int64_t>(tolerable_rounding * static_cast<double>(p.m)),
               static_cast<std::int64_t>(bytes) * tile);
  std::int64_t below = rows / tile * tile, above = below + tile;
  while (std::min(rows - below, above - rows) <= most) {
    const bool first_down = rows - below <= above - rows;
    for (const std::int64_t count : {first_down ? below : above, first_down ? above : below})
      if (std::abs(count - rows) <= most && ends_well(count)) return count;
    below -= tile;
    above += tile;
  }
  return rows;
}

WorkSizes gpu_work(const GemmProblem& problem, const PlannedPartition& partition,
                   const GpuConfig& gpu_config) {
  WorkSizes sizes = part(problem, partition, partition.gpu_extent);
  sizes.padded_m = whole_tiles(sizes.m, row_tile(gpu_config.kernel));
  sizes.padded_n = whole_tiles(sizes.n, col_tile(gpu_config.kernel));
  sizes.copied = gpu_config.sharing == SharingMode::staged;
  if (!sizes.copied && partition.axis == Axis::columns) sizes.staged_c = sizes.m * sizes.n;
  return sizes;
}

WorkSizes cpu_work(const GemmProblem& problem, const PlannedPartition& partition) {
  return part(problem, partition, partition.extent(problem) - partition.gpu_extent);
}

}  // namespace duoblas
