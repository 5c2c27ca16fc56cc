#include "gpu/launch.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include <duoblas/error.hpp>

#include "kernel_space/kernel_defaults.hpp"

namespace duoblas {
namespace {

std::size_t parts(std::int64_t whole, std::int64_t part) {
  return static_cast<std::size_t>((whole + part - 1) / part);
}

std::int64_t round_up(std::int64_t value, std::int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

// PACK_STEPS of kernels/types.clh: depth that one work-group packs.
constexpr std::int64_t kPackSteps = 64;

void panel_launch(const KernelParams& p, std::int64_t m, std::int64_t n, std::int64_t k,
                  int compute_units, Launch& result) {
  const std::size_t row_tiles = parts(m, p.tile_rows), col_tiles = parts(n, p.tile_cols);
  // The kernel deals the tiles out evenly, so the numbers of groups are all that blocks decide.
  std::size_t rows = parts(m, p.block_m);
  const std::size_t cols = std::min(parts(n, p.block_n), col_tiles);
  const std::size_t wanted = parts(compute_units, static_cast<std::int64_t>(cols));
  rows = std::min(std::max(rows, wanted), row_tiles);
  result.product.global = {rows, cols};
  result.pack_a.global = {row_tiles, parts(k, kPackSteps)};
  result.pack_b.global = {col_tiles, parts(k, kPackSteps)};
}

// PACK_EDGE and PACK_ROWS of kernels/tiled_pack.cl.
constexpr std::size_t kPackEdge = 32, kPackRows = 4;

cl::Range pack_squares(std::int64_t padded_extent, std::int64_t padded_depth) {
  return {{parts(padded_extent, kPackEdge) * kPackEdge, parts(padded_depth, kPackEdge) * kPackRows},
          {kPackEdge, kPackRows}};
}

constexpr std::size_t kReduceGroup = 64;

}  // namespace

GroupSizes group_sizes(const KernelParams& p) {
  if (p.family == KernelFamily::panel) return {1, 1, kReduceGroup};
  return {static_cast<std::size_t>(p.group_rows * p.group_cols * p.group_depth),
          kPackEdge * kPackRows, kReduceGroup};
}

Launch launch(const KernelVariant& variant, std::int64_t m, std::int64_t n, std::int64_t k,
              int compute_units) {
  // The kernels count in int, and up to a tile (1024 at most) or a slice beyond the end.
  constexpr std::int64_t most = std::numeric_limits<int>::max() - 4096;
  if (std::max({m, n, k}) > most)
    throw DeviceError("m, n and k may be " + std::to_string(most) + " at most on a device");
  const KernelParams& p = variant.params;
  Launch result;
  result.packs_a = packs_a(variant);
  result.packs_b = packs_b(variant);
  const std::int64_t rows = round_up(m, row_tile(p)), cols = round_up(n, col_tile(p));
  const std::int64_t depth = packed_depth(p, k);
  if (p.family == KernelFamily::panel) {
    panel_launch(p, m, n, k, compute_units, result);
  } else {
    const std::size_t items = group_sizes(p).product;
    result.product = {{parts(n, col_tile(p)) * items, parts(m, row_tile(p))}, {items, 1}};
    result.pack_a = pack_squares(rows, depth);
    result.pack_b = pack_squares(cols, depth);
  }
  const std::size_t line = static_cast<std::size_t>(depth) * element_size(variant.precision);
  if (p.k_split > 1) {
    const std::size_t elements = static_cast<std::size_t>(m) * static_cast<std::size_t>(n);
    const auto splits = static_cast<std::size_t>(p.k_split);
    result.product.global[1] *= splits;
    result.partial_bytes = splits * elements * element_size(variant.precision);
    result.reduce = {{(elements + kReduceGroup - 1) / kReduceGroup * kReduceGroup, 1},
                     {kReduceGroup, 1}};
  }
  if (result.packs_a) result.packed_a_bytes = static_cast<std::size_t>(rows) * line;
  if (result.packs_b) result.packed_b_bytes = static_cast<std::size_t>(cols) * line;
  return result;
}

}  // namespace duoblas
