// Where C is partitioned between the GPU and the CPU: every element belongs to exactly one side.
#pragma once

#include <cstdint>

#include "problem/gemm_problem.hpp"

namespace duoblas {

/// Rows: the GPU takes the top rows of C. Columns: it takes the leftmost columns.
enum class Axis { rows, columns };

struct PartitionedProblem {
  GemmProblem gpu;
  GemmProblem cpu;
};

/// The two products that together are `p`. \pre 0 <= gpu_extent <= m (rows) or n (columns).
PartitionedProblem partition(const GemmProblem& p, Axis axis, std::int64_t gpu_extent);

struct Interval {
  std::int64_t first = 0;
  std::int64_t count = 0;
};

/// The product of some rows of op(A), some columns of op(B) and some steps of k. None is empty.
GemmProblem block_of(const GemmProblem& p, Interval rows, Interval columns, Interval steps);

/// round(extent * share) to a multiple of `granularity`, clamped to [0, extent].
std::int64_t gpu_extent(std::int64_t extent, Share share, std::int64_t granularity);

/// A forced split: rounded to single rows. If extent >= 2 and the share is neither 0 nor 1, each
/// side gets at least one row.
std::int64_t forced_gpu_extent(std::int64_t extent, Share share);

}  // namespace duoblas
