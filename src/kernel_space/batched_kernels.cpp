#include "kernel_space/batched_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "kernel_space/built_in_kernels.hpp"
#include "kernel_space/canonical_kernel.hpp"
#include "kernel_space/kernel_defaults.hpp"
#include "kernel_space/kernel_rules.hpp"

namespace duoblas {
namespace {

// A tiled kernel in words like those of the table: what a work-item computes, the group, a slice's
// depth, the width of vectors, and slices on their way.
struct Point {
  int tile_rows, tile_cols, group_rows, group_cols, k_unroll, vector_width, prefetch;
};

KernelParams tiled(const Point& point) {
  KernelParams p;
  p.family = KernelFamily::tiled;
  p.tile_rows = point.tile_rows;
  p.tile_cols = point.tile_cols;
  p.group_rows = point.group_rows;
  p.group_cols = point.group_cols;
  p.k_unroll = point.k_unroll;
  p.vector_width = point.vector_width;
  p.prefetch = point.prefetch;
  p.local_a = p.local_b = true;
  p.madd_order = MaddOrder::row_serpentine;
  if (point.group_rows % 4 == 0 && point.group_cols % 8 == 0) {
    p.lane_order = LaneOrder::patch_4x8;
    p.assignment = Assignment::patch_offset;
  }
  return p;
}

KernelParams copied(const Point& point) {
  KernelParams p = tiled(point);
  p.async_copy = true;
  return p;
}

KernelParams with_matrix(MatrixUnit unit, const Point& point) {
  KernelParams p = canonical(copied(point));
  p.fragments = point.prefetch > 0;
  p.matrix = unit;
  return canonical(p);
}

KernelParams unpacked(KernelParams p) {
  p.pack_a = p.pack_b = p.image_a = p.image_b = false;
  p.k_split = 1;
  p.split_last = false;
  return canonical(p);
}

KernelParams with_its_add(KernelParams p, Precision precision, const DeviceLimits& limits) {
  if (!is_legal(p, precision, limits)) p.multiply_add = MultiplyAdd::plain;
  return p;
}

// A tile as wide as C, or as registers allow, with the number of rows that computes fewest in vain,
// since C has few tiles. A and B are in the cache, so only what has to be packed is.
std::optional<KernelParams> panel_for(const GemmProblem& shape, const DeviceLimits& limits) {
  constexpr std::int64_t most = 256;  // beyond, an operand leaves the second cache
  if (std::max({shape.m, shape.n, shape.k}) > most) return std::nullopt;
  KernelParams p = unpacked(default_kernel(shape.precision, limits));
  const std::int64_t lanes = p.vector_width;
  for (int vectors = static_cast<int>(std::clamp<std::int64_t>(shape.n / lanes, 1, 4));
       vectors >= 1; --vectors) {
    std::optional<KernelParams> best;
    std::int64_t least = 0;
    for (const int rows : {16, 14, 12, 10, 8, 6, 4, 3, 2, 1}) {
      p.tile_rows = rows;
      p.tile_cols = vectors * p.vector_width;
      const std::int64_t computed = (shape.m + rows - 1) / rows * rows;
      // Fewer sums than two units have multiply-adds under way leave them waiting.
      const bool is_slow = rows * vectors < 8 && best;
      if (!is_legal(p, shape.precision, limits) || is_slow) continue;
      if (!best || 10 * computed < 9 * least) {
        best = p;
        least = computed;
      }
    }
    if (best) return best;
  }
  return std::nullopt;
}

double size_of(const GemmProblem& shape) {
  return std::ceil(std::sqrt(static_cast<double>(shape.m) * static_cast<double>(shape.n)));
}

}  // namespace

KernelParams batched_kernel(const GemmProblem& shape, const DeviceLimits& limits) {
  if (limits.is_cpu) {
    if (const auto panel = panel_for(shape, limits)) return *panel;
  } else {
    for (const auto& [row, kernel, _] : built_in_kernels(KernelUse::batch, shape.precision)) {
      if (!row->suits("size", size_of(shape))) continue;
      const KernelParams p = with_its_add(kernel, shape.precision, limits);
      if (is_legal(p, shape.precision, limits)) return p;
    }
  }
  return unpacked(default_kernel(shape.precision, limits));
}

std::vector<KernelParams> batched_candidates(Precision precision, int n,
                                             const DeviceLimits& limits) {
  std::vector<KernelParams> candidates;
  const auto add = [&](const KernelParams& given) {
    const KernelParams p = canonical(with_its_add(given, precision, limits));
    if (is_legal(p, precision, limits) && std::ranges::find(candidates, p) == candidates.end())
      candidates.push_back(p);
  };
  GemmProblem shape;
  shape.precision = precision;
  shape.m = shape.n = shape.k = n;
  add(batched_kernel(shape, limits));
  if (limits.is_cpu) {
    for (const KernelParams& p : kernel_candidates(precision, Op::none, Op::none, limits))
      add(unpacked(p));
    return candidates;
  }
  const int widest = std::max(1, 16 / static_cast<int>(element_size(precision)));
  for (const int rows : {2, 4, 8})
    for (const int cols : {2, 4, 8})
      for (const int group_rows : {4, 8, 16})
        for (const int group_cols : {4, 8, 16}) {
          const int tile_m = rows * group_rows, tile_n = cols * group_cols;
          const int items = group_rows * group_cols;
          // Most work on a tile that is larger than the matrix is in vain. With one that is smaller
          // than a quarter each operand is read too often.
          if (std::max(tile_m, tile_n) > std::max(16, n) || items < 32 || items > 256 ||
              4 * std::min(tile_m, tile_n) < std::min(n, 128))
            continue;
          for (const int k_unroll : {8, 16, 32})
            for (const int prefetch : {0, 1, 2}) {
              if (k_unroll * prefetch > n) continue;
              const int width = std::min(widest, std::min(rows, cols));
              const Point point{rows, cols, group_rows, group_cols, k_unroll, width, prefetch};
              add(copied(point));
              if (prefetch < 2) add(tiled(point));
              add(with_matrix(MatrixUnit::fp64_deep, point));
            }
        }
  return candidates;
}

}  // namespace duoblas
