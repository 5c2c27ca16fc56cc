#include "problem/partition.hpp"

#include <algorithm>
#include <cmath>

namespace duoblas {
namespace {

// op(A)'s rows from `first` on: rows of A as stored, or columns where op transposes.
const void* rows_of_op_a(const GemmProblem& p, std::int64_t first) {
  return advanced(p.a, p.op_a == Op::none ? first * p.lda : first, p.precision);
}

const void* columns_of_op_b(const GemmProblem& p, std::int64_t first) {
  return advanced(p.b, p.op_b == Op::none ? first : first * p.ldb, p.precision);
}

}  // namespace

PartitionedProblem partition(const GemmProblem& p, Axis axis, std::int64_t gpu_extent) {
  PartitionedProblem parts{p, p};
  if (axis == Axis::rows) {
    parts.gpu.m = gpu_extent;
    parts.cpu.m = p.m - gpu_extent;
    // An empty part keeps the start, so that no pointer leaves its array.
    if (parts.cpu.m > 0) {
      parts.cpu.a = rows_of_op_a(p, gpu_extent);
      parts.cpu.c = advanced(p.c, gpu_extent * p.ldc, p.precision);
    }
  } else {
    parts.gpu.n = gpu_extent;
    parts.cpu.n = p.n - gpu_extent;
    if (parts.cpu.n > 0) {
      parts.cpu.b = columns_of_op_b(p, gpu_extent);
      parts.cpu.c = advanced(p.c, gpu_extent, p.precision);
    }
  }
  return parts;
}

GemmProblem block_of(const GemmProblem& p, Interval rows, Interval columns, Interval steps) {
  GemmProblem block = p;
  block.m = rows.count;
  block.n = columns.count;
  block.k = steps.count;
  block.a = advanced(rows_of_op_a(p, rows.first),
                     p.op_a == Op::none ? steps.first : steps.first * p.lda, p.precision);
  block.b = advanced(columns_of_op_b(p, columns.first),
                     p.op_b == Op::none ? steps.first * p.ldb : steps.first, p.precision);
  block.c = advanced(p.c, rows.first * p.ldc + columns.first, p.precision);
  return block;
}

std::int64_t gpu_extent(std::int64_t extent, Share share, std::int64_t granularity) {
  if (share.gpu_parts <= 0 || extent <= 0) return 0;
  if (share.gpu_parts >= share.parts) return extent;
  const double wanted = static_cast<double>(extent) * share.fraction();
  const double tiles = std::round(wanted / static_cast<double>(granularity));
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(tiles) * granularity, 0, extent);
}

std::int64_t forced_gpu_extent(std::int64_t extent, Share share) {
  const std::int64_t rounded = gpu_extent(extent, share, 1);
  const bool shared = share.gpu_parts > 0 && share.gpu_parts < share.parts;
  if (!shared || extent < 2) return rounded;
  return std::clamp<std::int64_t>(rounded, 1, extent - 1);
}

}  // namespace duoblas
