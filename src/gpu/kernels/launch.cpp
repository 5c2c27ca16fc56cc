#include "gpu/kernels/launch.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string>

#include <duoblas/error.hpp>

#include "kernel_space/kernel_defaults.hpp"
#include "kernel_space/kernel_footprint.hpp"
#include "kernel_space/last_tiles.hpp"
#include "problem/rounding.hpp"

namespace duoblas {
namespace {

std::size_t groups(std::int64_t whole, std::int64_t part) {
  return static_cast<std::size_t>(parts(whole, part));
}

// PACK_STEPS of kernels/types.clh: the depth that one work-group packs. So its loops are short
// whatever the sizes are (64 times the numbers of a line), and no driver leaves them early.
constexpr std::int64_t kPackSteps = 64;

[[noreturn]] void throw_too_deep(std::int64_t k) {
  throw DeviceError("k = " + std::to_string(k) +
                    " is too deep for this driver, which leaves long loops early; the CPU has to "
                    "do it");
}

// The most iterations of a panel's work-item for one tile: the steps of k, as many slices, and the
// numbers of a tile at the edge one by one (kernels/panel.cl).
std::int64_t turns_of_tile(const KernelVariant& variant, std::int64_t n, std::int64_t k) {
  const KernelParams& p = variant.params;
  const std::int64_t parts = is_complex(variant.precision) ? 2 : 1;
  const std::int64_t numbers = p.tile_cols * parts;
  const std::int64_t slices = (k + p.block_k - 1) / p.block_k;
  const std::int64_t steps = (k + p.k_unroll - 1) / p.k_unroll + slices * (p.k_unroll + 8);
  // A matrix narrower than a vector is read number by number.
  const std::int64_t narrow = n < p.vector_width ? k * numbers : 0;
  return steps + narrow + slices * p.tile_rows * (2 * numbers + 4);
}

// Iterations of a tiled kernel's work-item: slices, and the copies of one slice number by number.
std::int64_t turns_of_group(const KernelParams& p, std::int64_t k) {
  const std::int64_t slices = (k + p.k_unroll - 1) / p.k_unroll;
  const std::int64_t of_each = (slices + p.k_split - 1) / p.k_split / p.group_depth + 2;
  const std::int64_t narrowest = std::min(p.vector_width, width_along_m(p));
  const std::int64_t copies = (row_tile(p) + p.tile_cols * p.group_cols) * p.k_unroll /
                                  (p.group_rows * p.group_cols * narrowest) +
                              2;
  const std::int64_t multiplied = p.k_unroll * (p.tile_rows + p.tile_cols + 1);
  return of_each * (2 * copies + multiplied) + 8 * p.tile_rows * p.tile_cols;
}

// Adds groups until a work-item has few enough tiles.
void spread_tiles(const KernelVariant& variant, std::int64_t n, std::int64_t k,
                  const std::array<std::size_t, 2>& tiles, std::int64_t loop_turns,
                  Launch& result) {
  const std::int64_t most = loop_turns / turns_of_tile(variant, n, k);
  if (most < 1) throw_too_deep(k);
  auto &rows = result.product.global[0], &cols = result.product.global[1];
  const auto tiles_of_group = [&] {
    return static_cast<std::int64_t>((tiles[0] + rows - 1) / rows) *
           static_cast<std::int64_t>((tiles[1] + cols - 1) / cols);
  };
  while (tiles_of_group() > most && rows < tiles[0]) rows = std::min(2 * rows, tiles[0]);
  while (tiles_of_group() > most && cols < tiles[1]) cols = std::min(2 * cols, tiles[1]);
}

// At least so many rows and columns of groups, and a few more where the busiest compute unit then
// has fewer tiles, so that units end together. (Three by three groups left seven of eight units
// idle in the second of two rounds.)
std::array<std::size_t, 2> even_groups(std::array<std::size_t, 2> fewest,
                                       const std::array<std::size_t, 2>& tiles, std::size_t units) {
  constexpr std::size_t more_columns = 2;  // A is read once for each
  std::array<std::size_t, 2> best = fewest;
  std::size_t least = std::numeric_limits<std::size_t>::max();
  for (std::size_t cols = fewest[1]; cols <= std::min(tiles[1], fewest[1] + more_columns); ++cols)
    for (std::size_t rows = fewest[0]; rows <= std::min(tiles[0], fewest[0] + units); ++rows) {
      const std::size_t rounds = (rows * cols + units - 1) / units;
      const std::size_t of_unit =
          rounds * ((tiles[0] + rows - 1) / rows) * ((tiles[1] + cols - 1) / cols);
      if (of_unit >= least) continue;
      least = of_unit;
      best = {rows, cols};
    }
  return best;
}

void panel_launch(const KernelVariant& variant, std::int64_t m, std::int64_t n, std::int64_t k,
                  const LaunchLimits& limits, Launch& result) {
  const KernelParams& p = variant.params;
  const std::size_t row_tiles = groups(m, p.tile_rows), col_tiles = groups(n, p.tile_cols);
  // The kernel distributes the tiles evenly, so blocks only decide the number of groups.
  std::size_t rows = groups(m, p.block_m);
  const std::size_t cols = std::min(groups(n, p.block_n), col_tiles);
  const auto units = static_cast<std::size_t>(std::max<std::int64_t>(1, limits.compute_units));
  const std::size_t wanted = (units + cols - 1) / cols;
  rows = std::min(std::max(rows, wanted), row_tiles);
  result.product.global = even_groups({rows, cols}, {row_tiles, col_tiles}, units);
  if (limits.loop_turns > 0)
    spread_tiles(variant, n, k, {row_tiles, col_tiles}, limits.loop_turns, result);
  result.pack_a.global = {row_tiles, groups(k, kPackSteps)};
  result.pack_b.global = {col_tiles, groups(k, kPackSteps)};
}

// PACK_EDGE and PACK_ROWS of kernels/tiled_pack.cl.
constexpr std::size_t kPackEdge = 32, kPackRows = 4;
static_assert(kPackEdge * kPackRows == tiled_packing_items);

cl::Range pack_squares(std::int64_t padded_extent, std::int64_t padded_depth) {
  return {
      {groups(padded_extent, kPackEdge) * kPackEdge, groups(padded_depth, kPackEdge) * kPackRows},
      {kPackEdge, kPackRows}};
}

constexpr std::size_t kReduceGroup = 64;

// Groups are numbered through: parts of the last tiles, then whole ones.
void split_last_tiles(const KernelVariant& variant, std::int64_t tiles, std::int64_t k,
                      const LaunchLimits& limits, Launch& result) {
  const KernelParams& p = variant.params;
  LastTiles last;
  if (limits.split_last == SplitLast::where_it_pays)
    last = last_tiles(p, tiles, k, limits.compute_units);
  if (limits.split_last == SplitLast::always) last = last_tiles_of_trial(p, tiles);
  result.whole_tiles = tiles - last.tiles;
  result.splits = last.parts;
  const std::int64_t parts = last.tiles * last.parts;
  result.product.global = {
      static_cast<std::size_t>(result.whole_tiles + parts) * group_sizes(p).product, 1};
  if (parts == 0) return;
  const auto elements = static_cast<std::size_t>(row_tile(p) * col_tile(p));
  result.partial_bytes =
      static_cast<std::size_t>(parts) * elements * element_size(variant.precision);
  result.reduce = {{static_cast<std::size_t>(last.tiles) * elements, 1}, {kReduceGroup, 1}};
}

// `n` and `k` in numbers of the product's loops.
Launch launch_of_numbers(const KernelVariant& variant, std::int64_t m, std::int64_t n,
                         std::int64_t k, const LaunchLimits& limits) {
  // Kernels use int, also up to a tile (1024 at most) or a slice beyond the end.
  constexpr std::int64_t most = std::numeric_limits<int>::max() - 4096;
  if (std::max({m, n, k}) > most)
    throw DeviceError("m, n and k may be " + std::to_string(most) + " at most on a device");
  const KernelParams& p = variant.params;
  Launch result;
  result.packs_a = packs_a(variant);
  result.packs_b = packs_b(variant);
  const bool is_panel = p.family == KernelFamily::panel;
  const std::int64_t tile_of_numbers = is_panel ? col_tile(p) : p.tile_cols * p.group_cols;
  const std::int64_t rows = round_up(m, row_tile(p)), cols = round_up(n, tile_of_numbers);
  const std::int64_t depth = is_panel ? k : round_up(k, p.k_unroll);
  if (is_panel) {
    panel_launch(variant, m, n, k, limits, result);
  } else {
    const std::size_t items = group_sizes(p).product;
    result.product = {{groups(n, tile_of_numbers) * items, groups(m, row_tile(p))}, {items, 1}};
    if (limits.loop_turns > 0 && turns_of_group(p, k) > limits.loop_turns) throw_too_deep(k);
    result.pack_a = pack_squares(rows, depth);
    result.pack_b = pack_squares(cols, depth);
  }
  const std::size_t line = static_cast<std::size_t>(p.wide ? 2 * depth : depth) *
                           element_size(loop_precision(p, variant.precision));
  if (p.k_split > 1) {
    const std::size_t elements = static_cast<std::size_t>(m) * static_cast<std::size_t>(n);
    const auto splits = static_cast<std::size_t>(p.k_split);
    result.product.global[1] *= splits;
    result.partial_bytes = splits * elements * element_size(variant.precision);
    result.reduce = {{(elements + kReduceGroup - 1) / kReduceGroup * kReduceGroup, 1},
                     {kReduceGroup, 1}};
  }
  if (p.split_last)
    split_last_tiles(variant, parts(m, row_tile(p)) * parts(n, tile_of_numbers), k, limits, result);
  if (result.packs_a) result.packed_a_bytes = static_cast<std::size_t>(rows) * line;
  if (result.packs_b) result.packed_b_bytes = static_cast<std::size_t>(cols) * line;
  return result;
}

}  // namespace

GroupSizes group_sizes(const KernelParams& p) {
  if (p.family == KernelFamily::panel) return {1, 1, kReduceGroup};
  return {static_cast<std::size_t>(p.group_rows * p.group_cols * p.group_depth),
          kPackEdge * kPackRows, kReduceGroup};
}

Launch launch(const KernelVariant& variant, std::int64_t m, std::int64_t n, std::int64_t k,
              const LaunchLimits& limits) {
  const std::int64_t numbers = variant.params.as_real ? 2 : 1;
  return launch_of_numbers(variant, m, numbers * n, numbers * k, limits);
}

}  // namespace duoblas
