#include "plan/kernel_defaults.hpp"

#include <algorithm>

#include "plan/kernel_rules.hpp"

namespace duoblas {
namespace {

struct PanelTile {
  int rows, vectors;
};
struct PanelBlock {
  int m, n, k;
};

// The block of a work-group: its block_m x block_k of A stay in a core's L2, and few slices of k
// visit C. The fastest of a dozen on an Intel Xeon with 2 MiB of L2 (bench_kernel_core, n = 1024
// and 2048), each within 5 % of its neighbours. With the shorter vectors of other processors go
// smaller caches: a panel of B fits L1 there.
PanelBlock default_block(Precision precision, const DeviceLimits& limits) {
  if (limits.vector_bytes < 64) return {128, 512, 384};
  switch (precision) {
    case Precision::s: return {128, 512, 1024};
    case Precision::c: return {128, 512, 768};
    default: return {128, 512, 512};
  }
}

// A tile of `rows` numbers by `vectors` full vectors of the device. Complex elements take
// two rows of numbers each (kernels/panel.cl), so half the rows.
KernelParams panel(Precision precision, const DeviceLimits& limits, const PanelTile& tile,
                   const PanelBlock& block) {
  const int element = static_cast<int>(element_size(precision));
  KernelParams p;
  p.family = KernelFamily::panel;
  p.tile_rows = std::max(1, is_complex(precision) ? tile.rows / 2 : tile.rows);
  p.vector_width = std::clamp(limits.vector_bytes / element, 1, 16);
  p.tile_cols = tile.vectors * p.vector_width;
  p.block_m = block.m;
  p.block_n = block.n;
  p.block_k = block.k;
  // Four steps share the loop's overhead and the prefetches: 4 to 8 % faster than one on the Xeon.
  p.k_unroll = 4;
  p.pack_b = true;
  return p;
}

KernelParams tiled(int tile_rows, int tile_cols, int vector_width, int group_rows, int group_cols,
                   int k_unroll) {
  KernelParams p;
  p.family = KernelFamily::tiled;
  p.tile_rows = tile_rows;
  p.tile_cols = tile_cols;
  p.vector_width = vector_width;
  p.group_rows = group_rows;
  p.group_cols = group_cols;
  p.k_unroll = k_unroll;
  p.local_a = p.local_b = true;
  p.madd_order = MaddOrder::row_serpentine;
  if (group_rows % 4 == 0 && group_cols % 8 == 0) p.lane_order = LaneOrder::patch_4x8;
  return p;
}

// Tiles that fill the vector registers, best first. 6 x 4 is the fastest with the 32 registers of
// AVX-512 (Intel Xeon and AMD EPYC, PoCL); AVX has 16: 6 x 2.
std::vector<PanelTile> panel_tiles(const DeviceLimits& limits) {
  if (limits.vector_bytes == 32) return {{6, 2}, {4, 3}, {4, 2}, {12, 1}};
  return {{6, 4}, {8, 3}, {14, 2}, {4, 6}};
}

KernelParams default_panel(Precision precision, const DeviceLimits& limits) {
  return panel(precision, limits, panel_tiles(limits).front(), default_block(precision, limits));
}

// The best of a few dozen on an NVIDIA H200 at n = 4096 (z: 2048), or, where it took half the
// registers, within a tenth of the best: whole calls at 48.6, 19.9, 45.6 and 21.2 TFLOPS.
KernelParams default_tiled(Precision precision) {
  KernelParams p;
  switch (precision) {
    case Precision::s:
      p = tiled(8, 8, 4, 16, 16, 8);
      p.pack_a = p.pack_b = true;
      break;
    case Precision::d: p = tiled(8, 4, 2, 8, 16, 8); break;
    case Precision::c: p = tiled(4, 4, 2, 16, 16, 8); break;
    case Precision::z: p = tiled(4, 4, 1, 8, 16, 8); break;
  }
  return p;
}

std::vector<KernelParams> panel_points(Precision precision, const DeviceLimits& limits) {
  struct Packing {
    bool a, b;
  };
  const std::vector<PanelTile> tiles = panel_tiles(limits);
  std::vector<KernelParams> points;
  const auto add = [&](const PanelTile& tile, const PanelBlock& block, const Packing& packing) {
    KernelParams p = panel(precision, limits, tile, block);
    p.pack_a = packing.a;
    p.pack_b = packing.b;
    points.push_back(p);
  };
  // Packing pays for large matrices, and for leading dimensions that map rows to the same lines of
  // a cache.
  for (const PanelTile& tile : tiles)
    for (const Packing packing : {Packing{false, true}, {true, true}, {false, false}})
      add(tile, default_block(precision, limits), packing);
  for (const int k_unroll : {2, 1}) {
    add(tiles[0], default_block(precision, limits), {false, true});
    points.back().k_unroll = k_unroll;
  }
  // From caches that are large to small ones.
  for (const PanelBlock block : {PanelBlock{192, 1024, 512},
                                 {384, 512, 384},
                                 {192, 256, 384},
                                 {96, 512, 256},
                                 {48, 512, 512}})
    for (const PanelTile& tile : {tiles[0], tiles[1]})
      for (const bool pack_a : {false, true}) add(tile, block, {pack_a, true});
  return points;
}

std::vector<KernelParams> tiled_points(Precision precision) {
  struct Shape {
    int tile_rows, tile_cols, group_rows, group_cols, k_unroll;
  };
  // Work-group tiles from 128 x 128 down to 16 x 32: large ones for devices with many registers and
  // large matrices, small ones for integrated GPUs and small matrices. In this order on the H200.
  const Shape shapes[] = {
      {8, 8, 16, 16, 8},  {8, 8, 8, 16, 16}, {8, 8, 8, 8, 16},  {8, 8, 16, 16, 4}, {8, 4, 8, 16, 8},
      {4, 4, 16, 16, 16}, {8, 8, 8, 16, 8},  {4, 4, 16, 16, 8}, {4, 8, 8, 16, 8},  {4, 4, 8, 16, 8},
      {4, 4, 8, 8, 8},    {2, 4, 8, 8, 8},   {4, 4, 8, 8, 4},   {2, 2, 16, 16, 8}, {2, 2, 8, 8, 8}};
  // 16-byte vectors: the widest loads that GPUs have.
  const int vector_width = std::max(1, 16 / static_cast<int>(element_size(precision)));
  std::vector<KernelParams> points;
  for (const int packed : {3, 0, 1})
    for (const Shape& s : shapes) {
      KernelParams p =
          tiled(s.tile_rows, s.tile_cols, vector_width, s.group_rows, s.group_cols, s.k_unroll);
      p.pack_a = packed != 0;
      p.pack_b = packed == 3;
      // A slice may be too small for every work-item to load a whole vector.
      while (p.vector_width > 1 && violated_static_rule(p) != nullptr) p.vector_width /= 2;
      points.push_back(p);
    }
  return points;
}

}  // namespace

KernelParams default_kernel(Precision precision, const DeviceLimits& limits) {
  const KernelParams p =
      limits.is_cpu ? default_panel(precision, limits) : default_tiled(precision);
  if (violated_rule(p, precision, limits) == nullptr) return p;
  // A device too small for it: one element per work-item and no local memory suits all.
  KernelParams least =
      limits.is_cpu ? panel(precision, limits, {2, 1}, {128, 256, 384}) : tiled(1, 1, 1, 4, 4, 1);
  if (!limits.is_cpu) least.local_a = least.local_b = false;
  return least;
}

KernelParams exact_twin(const KernelParams&, const DeviceLimits& limits) {
  KernelParams twin = default_kernel(Precision::s, limits);
  twin.pack_a = twin.pack_b = false;
  return twin;
}

std::vector<KernelParams> kernel_candidates(Precision precision, Op op_a, Op op_b,
                                            const DeviceLimits& limits) {
  constexpr std::size_t few_dozen = 36;
  std::vector<KernelParams> points =
      limits.is_cpu ? panel_points(precision, limits) : tiled_points(precision);
  points.insert(points.begin(), default_kernel(precision, limits));
  std::vector<KernelParams> result;
  for (KernelParams p : points) {
    // A panel kernel packs transposed operands anyhow.
    p.pack_a |= limits.is_cpu && op_a != Op::none;
    p.pack_b |= limits.is_cpu && op_b != Op::none;
    p = canonical(p);
    if (result.size() < few_dozen && violated_rule(p, precision, limits) == nullptr &&
        std::ranges::find(result, p) == result.end())
      result.push_back(p);
  }
  return result;
}

std::int64_t row_tile(const KernelParams& p) {
  return p.family == KernelFamily::panel ? p.tile_rows : p.tile_rows * p.group_rows;
}

std::int64_t col_tile(const KernelParams& p) {
  return p.family == KernelFamily::panel ? p.tile_cols : p.tile_cols * p.group_cols;
}

}  // namespace duoblas
