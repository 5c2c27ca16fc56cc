#include "kernel_space/kernel_defaults.hpp"

#include <algorithm>
#include <limits>

#include "kernel_space/canonical_kernel.hpp"
#include "kernel_space/kernel_rules.hpp"
#include "kernel_space/last_tiles.hpp"
#include "kernel_space/tiled_points.hpp"
#include "problem/rounding.hpp"

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

// Where fma() is no instruction, a * b + c: each of the defaults was measured where it is one.
KernelParams with_multiply_add(KernelParams p, Precision precision, const DeviceLimits& limits) {
  if (!(is_double(precision) ? limits.fma_double : limits.fma_single) &&
      p.multiply_add == MultiplyAdd::fma && p.matrix == MatrixUnit::none)
    p.multiply_add = MultiplyAdd::plain;
  return p;
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
  return with_multiply_add(p, precision, limits);
}

// Tiles that fill the vector registers, best first. 6 x 4 is the fastest with the 32 registers of
// AVX-512 (Intel Xeon and AMD EPYC, PoCL); AVX has 16: 6 x 2.
// Compilers that work on numbers, not on vectors (llvmpipe), have registers for small tiles only.
std::vector<PanelTile> panel_tiles(Precision precision, const DeviceLimits& limits) {
  std::vector<PanelTile> tiles = {{6, 4}, {8, 3}, {14, 2}, {4, 6}};
  if (limits.vector_bytes == 32) tiles = {{6, 2}, {4, 3}, {4, 2}, {12, 1}};
  if (limits.vector_bytes < 16) tiles = {{6, 4}, {4, 2}, {2, 4}, {2, 2}, {4, 1}};
  std::erase_if(tiles, [&](const PanelTile& tile) {
    const KernelParams p = panel(precision, limits, tile, default_block(precision, limits));
    return violated_rule(p, precision, limits) != nullptr;
  });
  tiles.push_back({2, 1});
  return tiles;
}

KernelParams default_panel(Precision precision, const DeviceLimits& limits) {
  return panel(precision, limits, panel_tiles(precision, limits).front(),
               default_block(precision, limits));
}

std::vector<KernelParams> panel_points(Precision precision, const DeviceLimits& limits) {
  struct Packing {
    bool a, b;
  };
  const std::vector<PanelTile> tiles = panel_tiles(precision, limits);
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
    add(tiles.front(), default_block(precision, limits), {false, true});
    points.back().k_unroll = k_unroll;
  }
  // From caches that are large to small ones.
  for (const PanelBlock block : {PanelBlock{192, 1024, 512},
                                 {384, 512, 384},
                                 {192, 256, 384},
                                 {96, 512, 256},
                                 {48, 512, 512}})
    for (const PanelTile& tile : {tiles.front(), tiles[std::min<std::size_t>(1, tiles.size() - 1)]})
      for (const bool pack_a : {false, true}) add(tile, block, {pack_a, true});
  return points;
}

// Tiles that a compute unit has, one after another.
std::int64_t rounds(const KernelParams& p, const DeviceLimits& limits, std::int64_t m,
                    std::int64_t n) {
  return parts(parts(m, row_tile(p)) * parts(n, col_tile(p)), std::max(1, limits.compute_units));
}

// Elements of C that it has.
double elements_of_rounds(const KernelParams& p, const DeviceLimits& limits, std::int64_t m,
                          std::int64_t n) {
  return static_cast<double>(rounds(p, limits, m, n) * row_tile(p) * col_tile(p));
}

// Only of kernels for devices on which that was measured.
KernelParams splitting_last_tiles(const KernelParams& kernel, Precision precision,
                                  const DeviceLimits& limits) {
  KernelParams p = kernel;
  p.split_last = kernel.async_copy && !is_complex(precision);
  return violated_rule(p, precision, limits) == nullptr ? p : kernel;
}

}  // namespace

KernelParams default_kernel(Precision precision, const DeviceLimits& limits) {
  const auto suited = [&](const KernelParams& p) {
    return with_multiply_add(p, precision, limits);
  };
  const auto legal = [&](const KernelParams& p) {
    return violated_rule(p, precision, limits) == nullptr;
  };
  if (limits.is_cpu) return default_panel(precision, limits);
  for (const KernelParams& p : default_tiled(precision))
    if (legal(suited(p))) return suited(p);
  return suited(least_tiled());
}

KernelParams default_kernel(Precision precision, const DeviceLimits& limits, std::int64_t m,
                            std::int64_t n) {
  KernelParams best = default_kernel(precision, limits);
  if (limits.is_cpu) return best;
  const double elements = static_cast<double>(m) * static_cast<double>(n);
  const auto small = tiled_for_small(precision, elements / std::max(1, limits.compute_units));
  if (small && violated_rule(*small, precision, limits) == nullptr) return *small;
  double least_time = std::numeric_limits<double>::infinity();
  for (const auto& [kernel, rate] : tiled_by_size(precision)) {
    const double time = elements_of_rounds(kernel, limits, m, n) / rate;
    if (time >= least_time || violated_rule(kernel, precision, limits) != nullptr) continue;
    least_time = time;
    best = kernel;
  }
  return best;
}

KernelParams with_whole_tiles(KernelParams kernel) {
  kernel.split_last = false;
  return kernel;
}

// With the switch a kernel is up to 4 % slower where nothing is split (an H100, n = 512).
KernelParams split_where_it_pays(const KernelParams& kernel, const DeviceLimits& limits,
                                 std::int64_t m, std::int64_t n, std::int64_t k) {
  if (!kernel.split_last) return kernel;
  const std::int64_t tiles = parts(m, row_tile(kernel)) * parts(n, col_tile(kernel));
  const bool pays = last_tiles(kernel, tiles, k, limits.compute_units).tiles > 0;
  return pays ? kernel : with_whole_tiles(kernel);
}

KernelParams default_kernel_on_device(Precision precision, const DeviceLimits& limits,
                                      std::int64_t m, std::int64_t n, std::int64_t k) {
  std::optional<KernelParams> best;
  double least_time = std::numeric_limits<double>::infinity();
  const auto by_size = limits.is_cpu ? std::vector<RatedKernel>() : tiled_by_size(precision);
  for (const auto& [whole, rate] : by_size) {
    // Each call asks for this, and checking the rules takes most of its time.
    const KernelParams kernel = splitting_last_tiles(whole, precision, limits);
    if (!kernel.split_last && violated_rule(kernel, precision, limits) != nullptr) continue;
    const std::int64_t tiles = parts(m, row_tile(kernel)) * parts(n, col_tile(kernel));
    const double time = rounds_of(kernel, tiles, k, limits.compute_units) *
                        static_cast<double>(row_tile(kernel) * col_tile(kernel)) / rate;
    if (time >= least_time) continue;
    least_time = time;
    best = kernel;
  }
  if (!best)
    best = splitting_last_tiles(default_kernel(precision, limits, m, n), precision, limits);
  return split_where_it_pays(*best, limits, m, n, k);
}

KernelParams default_kernel_of_panels(Precision precision, const DeviceLimits& limits,
                                      std::int64_t m, std::int64_t n) {
  const KernelParams best = default_kernel(precision, limits, m, n);
  const std::vector<RatedKernel> by_size = tiled_by_size(precision);
  const bool has_tall_tiles = !by_size.empty() && best == by_size.front().kernel;
  return has_tall_tiles ? default_kernel(precision, limits) : best;
}

KernelParams kernel_for_odd_rows(const KernelParams& even, Precision precision, Op op_a, Op op_b,
                                 const DeviceLimits& limits) {
  KernelParams odd = tiled_for_odd_rows(with_whole_tiles(even), op_a, op_b);
  if (even.split_last) odd = splitting_last_tiles(odd, precision, limits);
  return violated_rule(odd, precision, limits) == nullptr ? odd : even;
}

// Packing moves 16 bytes of a number of A, which is multiplied n times, and of one of B m times. An
// H200 with rows of an odd number of doubles, TFLOPS with and without packing: n = 2560 nn 47.3 and
// 47.1, nt 47.7 and 48.3, 4096 nn 53.8 and 51.1, nt 53.7 and 52.0. It is two launches more, of 7 us
// each (docs/experiments/gpu-kernels.md).
std::optional<KernelParams> packed_kernel_for_odd_rows(const KernelParams& even,
                                                       Precision precision, std::int64_t m,
                                                       std::int64_t n, std::int64_t k,
                                                       const DeviceLimits& limits) {
  constexpr double least_extent = 1400, least_flops = 1e10;
  const double rows = static_cast<double>(m), columns = static_cast<double>(n);
  KernelParams packed = tiled_packed_for_odd_rows();
  if (even.split_last) packed = splitting_last_tiles(packed, precision, limits);
  if (precision != Precision::d || !is_for_large_products(with_whole_tiles(even)) ||
      rows * columns < least_extent * (rows + columns) ||
      2 * rows * columns * static_cast<double>(k) < least_flops ||
      violated_rule(packed, precision, limits) != nullptr)
    return std::nullopt;
  return packed;
}

KernelParams exact_twin(Precision precision, const DeviceLimits& limits) {
  KernelParams twin = default_kernel(precision, limits);
  twin.pack_a = twin.pack_b = false;
  return violated_rule(twin, precision, limits) == nullptr
             ? twin
             : with_multiply_add(least_tiled(), precision, limits);
}

std::optional<KernelParams> tf32x3_kernel(Precision precision, const DeviceLimits& limits) {
  const KernelParams p = default_tf32x3(precision);
  if (violated_rule(p, precision, limits) != nullptr) return std::nullopt;
  return p;
}

namespace {

// Packing moves 20 bytes of a number of A, which is multiplied n times, and of one of B m times: by
// an H100's bandwidth that takes as long as the instructions save where m = n = 800. And of 1024,
// with a tile of 64 x 128 for each multiprocessor, 33.6 TFLOPS are less than the 39.4 of the other
// kernel; of 1152 it is 1.16 of cuBLAS's rate against 0.91. Complex operands are packed for either
// kernel, and the wide one is the faster one (an H200: 384 16.3 and 10.7 TFLOPS, 1024 88 and 52).
bool pays_wide(Precision precision, const DeviceLimits& limits, std::int64_t m, std::int64_t n) {
  constexpr double least_extent = 400, least_elements = 1.2 * 64 * 128;
  const double rows = static_cast<double>(m), columns = static_cast<double>(n);
  return is_complex(precision) || (rows * columns >= least_extent * (rows + columns) &&
                                   rows * columns >= least_elements * limits.compute_units);
}

// Exact kernels pack A. For a wide one packing moves 8 bytes more of an element of A, which is
// multiplied n times, and 40 of one of B, m times: by an H200's bandwidth (2.7e12 bytes a second)
// that takes as long as the instructions save (115 TFLOPS instead of 53) where m = 180 or n = 37,
// and the other extent is large. With the other kernel squares of 384 have 10.7 TFLOPS, as with
// exact floats, and of 512 20.3 and 19.9 (docs/experiments/gpu-kernels.md).
bool pays_as_real(const KernelParams& kernel, std::int64_t m, std::int64_t n) {
  const double rows = static_cast<double>(m), columns = static_cast<double>(n);
  return kernel.wide ? rows * columns >= 37 * rows + 180 * columns
                     : rows * columns >= 250 * (rows + columns);
}

}  // namespace

std::optional<KernelParams> tf32x3_kernel(Precision precision, const DeviceLimits& limits,
                                          std::int64_t m, std::int64_t n) {
  const KernelParams wide = wide_tf32x3(precision), narrow = narrow_wide_tf32x3(precision);
  const auto legal = [&](const KernelParams& p) {
    return violated_rule(p, precision, limits) == nullptr;
  };
  const bool is_wide = pays_wide(precision, limits, m, n) && legal(wide) && legal(narrow);
  if (is_complex(precision) && !pays_as_real(is_wide ? wide : default_tf32x3(precision), m, n))
    return std::nullopt;
  if (!is_wide) return tf32x3_kernel(precision, limits);
  // An H100 at n = 8192: 93 and 110 TFLOPS.
  constexpr double narrow_rate = 0.85;
  return elements_of_rounds(narrow, limits, m, n) / narrow_rate <
                 elements_of_rounds(wide, limits, m, n)
             ? narrow
             : wide;
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
    p = canonical(with_multiply_add(p, precision, limits));
    if (result.size() < few_dozen && violated_rule(p, precision, limits) == nullptr &&
        std::ranges::find(result, p) == result.end())
      result.push_back(p);
  }
  return result;
}

// tf32x3: three products of 11-bit numbers, added up by a unit that cuts off.
double rounding_slack(const KernelParams& params) {
  return params.matrix == MatrixUnit::tf32x3 ? 4 : 1;
}

std::int64_t row_tile(const KernelParams& p) {
  return p.family == KernelFamily::panel ? p.tile_rows : p.tile_rows * p.group_rows;
}

std::int64_t col_tile(const KernelParams& p) {
  if (p.family == KernelFamily::panel) return p.tile_cols;
  return p.tile_cols * p.group_cols / (p.as_real ? 2 : 1);
}

std::int64_t packed_depth_a(const KernelParams& p, std::int64_t k) {
  if (p.family == KernelFamily::panel) return k;
  const std::int64_t numbers = p.as_real ? 2 : 1;
  const std::int64_t parts = p.wide ? 2 : 1;  // a high and a low one
  return parts * round_up(numbers * k, p.k_unroll) / numbers;
}

std::int64_t packed_depth_b(const KernelParams& p, std::int64_t k) {
  return (p.as_real ? 2 : 1) * packed_depth_a(p, k);
}

}  // namespace duoblas
