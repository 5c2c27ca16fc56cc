#include "kernel_space/kernel_defaults.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include <duoblas/error.hpp>

#include "kernel_space/canonical_kernel.hpp"
#include "kernel_space/kernel_rules.hpp"
#include "kernel_space/last_tiles.hpp"
#include "kernel_space/product_rows.hpp"
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

// "6x4", and "128x512x384".
PanelTile tile_of(std::string_view text) {
  PanelTile tile{};
  if (std::sscanf(std::string(text).c_str(), "%dx%d", &tile.rows, &tile.vectors) != 2)
    throw SettingError("\"" + std::string(text) + "\" is no tile of a panel");
  return tile;
}

PanelBlock block_of(std::string_view text) {
  PanelBlock block{};
  if (std::sscanf(std::string(text).c_str(), "%dx%dx%d", &block.m, &block.n, &block.k) != 3)
    throw SettingError("\"" + std::string(text) + "\" is no block of a panel");
  return block;
}

// The texts of a use's rows for the type and the device's vectors.
std::vector<std::string_view> texts_of(std::string_view use, Precision precision,
                                       const DeviceLimits& limits) {
  std::vector<std::string_view> texts;
  for (const BuiltInRow& row : built_in_rows())
    if (row.use == use && row.is_for(precision) && row.suits("vector_bytes", limits.vector_bytes))
      texts.push_back(row.kernel);
  return texts;
}

PanelBlock default_block(Precision precision, const DeviceLimits& limits) {
  return block_of(texts_of("panel block", precision, limits).front());
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

// Best first; the last one suits every device.
std::vector<PanelTile> panel_tiles(Precision precision, const DeviceLimits& limits) {
  const PanelBlock block = default_block(precision, limits);
  std::vector<PanelTile> tiles;
  for (const std::string_view text : texts_of("panel tile", precision, limits))
    tiles.push_back(tile_of(text));
  const PanelTile last = tiles.back();
  tiles.pop_back();
  std::erase_if(tiles, [&](const PanelTile& tile) {
    return !is_legal(panel(precision, limits, tile, block), precision, limits);
  });
  tiles.push_back(last);
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
  for (const std::string_view block : texts_of("panel search", precision, limits))
    for (const PanelTile& tile : {tiles.front(), tiles[std::min<std::size_t>(1, tiles.size() - 1)]})
      for (const bool pack_a : {false, true}) add(tile, block_of(block), {pack_a, true});
  return points;
}

// Elements of C that a compute unit has, in whole tiles, one after another.
double elements_of_rounds(const KernelParams& kernel, const GemmProblem& p,
                          const DeviceLimits& limits) {
  const std::int64_t tiles = parts(p.m, row_tile(kernel)) * parts(p.n, col_tile(kernel));
  return static_cast<double>(parts(tiles, std::max(1, limits.compute_units)) * row_tile(kernel) *
                             col_tile(kernel));
}

KernelParams splitting_last_tiles(const KernelParams& kernel, Precision precision,
                                  const DeviceLimits& limits) {
  KernelParams p = kernel;
  p.split_last = std::ranges::any_of(
      built_in_kernels(KernelUse::last_tiles, precision),
      [&](const auto& rule) { return rule.row->suits("async_copy", kernel.async_copy ? 1 : 0); });
  return is_legal(p, precision, limits) ? p : kernel;
}

}  // namespace

KernelParams default_kernel(Precision precision, const DeviceLimits& limits) {
  const auto suited = [&](const KernelParams& p) {
    return with_multiply_add(p, precision, limits);
  };
  if (limits.multiplies_by_integers(precision)) return integers_kernel(limits);
  if (limits.is_cpu) return default_panel(precision, limits);
  for (const KernelParams& p : default_tiled(precision))
    if (is_legal(suited(p), precision, limits)) return suited(p);
  return suited(least_tiled());
}

KernelParams default_kernel(const GemmProblem& p, const DeviceLimits& limits) {
  const Precision precision = p.precision;
  KernelParams best = default_kernel(precision, limits);
  if (limits.is_cpu) return best;
  for (const auto& [row, kernel, _] : built_in_kernels(KernelUse::small, precision))
    if (meets(p, limits, *row)) {
      if (is_legal(kernel, precision, limits)) return kernel;
      break;
    }
  double least_time = std::numeric_limits<double>::infinity();
  for (const auto& [row, kernel, _] : built_in_kernels(KernelUse::by_size, precision)) {
    const double time = elements_of_rounds(kernel, p, limits) / row->number("rate", 1);
    if (time >= least_time || !is_legal(kernel, precision, limits)) continue;
    least_time = time;
    best = kernel;
  }
  return best;
}

KernelParams with_whole_tiles(KernelParams kernel) {
  kernel.split_last = false;
  return kernel;
}

// With the switch a kernel is up to 4 % slower where nothing is split
// (docs/results/h100.md#the-last-tiles-split-and-rows-of-c-line-by-line).
KernelParams split_where_it_pays(const KernelParams& kernel, const GemmProblem& p,
                                 const DeviceLimits& limits) {
  if (!kernel.split_last) return kernel;
  const std::int64_t tiles = parts(p.m, row_tile(kernel)) * parts(p.n, col_tile(kernel));
  const bool pays = last_tiles(kernel, tiles, p.k, limits.compute_units).tiles > 0;
  return pays ? kernel : with_whole_tiles(kernel);
}

namespace {

KernelParams resident_kernel(const GemmProblem& p, const DeviceLimits& limits) {
  const Precision precision = p.precision;
  std::optional<KernelParams> best;
  double least_time = std::numeric_limits<double>::infinity();
  const auto by_size = limits.is_cpu ? std::span<const BuiltInKernel>()
                                     : built_in_kernels(KernelUse::by_size, precision);
  for (const auto& [row, whole, _] : by_size) {
    // Each call asks for this, and checking the rules takes most of its time.
    const KernelParams kernel = splitting_last_tiles(whole, precision, limits);
    if (!kernel.split_last && !is_legal(kernel, precision, limits)) continue;
    const std::int64_t tiles = parts(p.m, row_tile(kernel)) * parts(p.n, col_tile(kernel));
    const double time = rounds_of(kernel, tiles, p.k, limits.compute_units) *
                        static_cast<double>(row_tile(kernel) * col_tile(kernel)) /
                        row->number("rate", 1);
    if (time >= least_time) continue;
    least_time = time;
    best = kernel;
  }
  if (!best) best = splitting_last_tiles(default_kernel(p, limits), precision, limits);
  return split_where_it_pays(*best, p, limits);
}

// The first legal row of this use that stands below `replaced`.
const BuiltInKernel* instead_of(const KernelParams& replaced, KernelUse use, const GemmProblem& p) {
  const auto rows = built_in_kernels(use, p.precision);
  const auto found = std::ranges::find(rows, replaced, &BuiltInKernel::instead_of);
  return found == rows.end() ? nullptr : &*found;
}

}  // namespace

KernelParams built_in_kernel(KernelUse use, const GemmProblem& p, const DeviceLimits& limits) {
  if (use == KernelUse::resident) return resident_kernel(p, limits);
  const KernelParams best = default_kernel(p, limits);
  const BuiltInKernel* other = instead_of(best, KernelUse::call, p);
  return other != nullptr && is_legal(other->kernel, p.precision, limits) ? other->kernel : best;
}

KernelParams kernel_for_odd_rows(const KernelParams& even, const GemmProblem& p,
                                 const DeviceLimits& limits) {
  KernelParams odd = tiled_for_odd_rows(with_whole_tiles(even), p.precision, p.op_a, p.op_b);
  if (even.split_last) odd = splitting_last_tiles(odd, p.precision, limits);
  return is_legal(odd, p.precision, limits) ? odd : even;
}

std::optional<KernelParams> packed_kernel_for_odd_rows(const KernelParams& even,
                                                       const GemmProblem& p,
                                                       const DeviceLimits& limits) {
  const BuiltInKernel* row = instead_of(with_whole_tiles(even), KernelUse::odd_rows_packed, p);
  if (row == nullptr || !meets(p, limits, *row->row)) return std::nullopt;
  KernelParams packed = row->kernel;
  if (even.split_last) packed = splitting_last_tiles(packed, p.precision, limits);
  if (!is_legal(packed, p.precision, limits)) return std::nullopt;
  return packed;
}

KernelParams exact_twin(Precision precision, const DeviceLimits& limits) {
  KernelParams twin = default_kernel(precision, limits);
  twin.pack_a = twin.pack_b = false;
  return is_legal(twin, precision, limits) ? twin
                                           : with_multiply_add(least_tiled(), precision, limits);
}

std::optional<KernelParams> tf32x3_kernel(Precision precision, const DeviceLimits& limits) {
  const KernelParams p = default_tf32x3(precision);
  if (!is_legal(p, precision, limits)) return std::nullopt;
  return p;
}

std::optional<KernelParams> tf32x3_kernel(const GemmProblem& p, const DeviceLimits& limits) {
  const auto wide = built_in_kernels(KernelUse::tf32x3_wide, p.precision);
  const auto time = [&](const BuiltInKernel& tile) {
    return elements_of_rounds(tile.kernel, p, limits) / tile.row->number("rate", 1);
  };
  if (meets(p, limits, *wide.front().row) &&
      std::ranges::all_of(wide, [&](const BuiltInKernel& tile) {
        return is_legal(tile.kernel, p.precision, limits);
      }))
    return std::ranges::min(wide, {}, time).kernel;
  if (!meets(p, limits, *built_in_kernels(KernelUse::tf32x3, p.precision).front().row))
    return std::nullopt;
  return tf32x3_kernel(p.precision, limits);
}

std::vector<KernelParams> integers_kernels(const DeviceLimits& limits) {
  DeviceLimits asked = limits;
  asked.doubles_by_integers = true;
  std::vector<KernelParams> kernels;
  const auto rows = built_in_kernels(KernelUse::integers, Precision::d);
  for (const BuiltInKernel& row : rows)
    if (is_legal(row.kernel, Precision::d, asked)) kernels.push_back(row.kernel);
  // Also where no kernel fits, for who asks has to name one.
  if (kernels.empty()) kernels.push_back(rows.back().kernel);
  return kernels;
}

namespace {

// The built-in ones, then every tile with each unit.
std::vector<KernelParams> integers_points(const DeviceLimits& limits) {
  std::vector<KernelParams> points = integers_kernels(limits);
  for (const BuiltInKernel& row : built_in_kernels(KernelUse::search_integers, Precision::d))
    for (const MatrixUnit unit : {MatrixUnit::integers_matrix, MatrixUnit::integers_dp4a,
                                  MatrixUnit::integers_dot, MatrixUnit::integers}) {
      points.push_back(row.kernel);
      if (row.kernel.matrix == MatrixUnit::integers) points.back().matrix = unit;
    }
  return points;
}

std::vector<KernelParams> points_of(Precision precision, const DeviceLimits& limits) {
  if (limits.multiplies_by_integers(precision)) return integers_points(limits);
  return limits.is_cpu ? panel_points(precision, limits) : tiled_points(precision);
}

}  // namespace

std::vector<KernelParams> kernel_candidates(Precision precision, Op op_a, Op op_b,
                                            const DeviceLimits& limits) {
  constexpr std::size_t few_dozen = 36;
  std::vector<KernelParams> points = points_of(precision, limits);
  points.insert(points.begin(), default_kernel(precision, limits));
  std::vector<KernelParams> result;
  for (KernelParams p : points) {
    // A panel kernel packs transposed operands anyhow.
    p.pack_a |= limits.is_cpu && op_a != Op::none;
    p.pack_b |= limits.is_cpu && op_b != Op::none;
    p = canonical(with_multiply_add(p, precision, limits));
    if (result.size() < few_dozen && is_legal(p, precision, limits) &&
        std::ranges::find(result, p) == result.end())
      result.push_back(p);
  }
  return result;
}

KernelParams integers_kernel(const DeviceLimits& limits) {
  return integers_kernels(limits).front();
}

// tf32x3: three products of 11-bit numbers, added up by a unit that cuts off.
double rounding_slack(const KernelParams& params) {
  return params.matrix == MatrixUnit::tf32x3 ? 4 : 1;
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
