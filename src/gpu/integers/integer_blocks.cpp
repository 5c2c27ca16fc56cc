#include "gpu/integers/integer_blocks.hpp"

#include <algorithm>

#include <duoblas/error.hpp>

#include "kernel_space/kernel_defaults.hpp"
#include "kernel_space/kernel_footprint.hpp"
#include "problem/rounding.hpp"

namespace duoblas {
namespace {

// Of kernels/integers_numbers.clh.
constexpr std::size_t bytes_of_line = 24;
// Residues, and an int.
constexpr std::size_t bytes_of_product = integer_moduli + sizeof(int);
// As much memory as integrated GPUs share with all else without anybody's noticing. Of a device's
// own memory a fourth, beside operands.
constexpr std::size_t most_shared_bytes = std::size_t{256} << 20;
constexpr std::size_t share_of_own = 4;
// Smaller blocks read A and B, which they make residues of, more often than it takes to multiply.
constexpr std::int64_t small = 512;
// Multiply-adds of bytes a second. A guess: what a slow integrated GPU does without dot products.
constexpr double slow_rate = 2e10;

// Of padded lines, and numbers in each: magnitudes, and planes of residues.
std::size_t lines_bytes(std::int64_t lines, std::int64_t k, int planes) {
  return static_cast<std::size_t>(lines) *
         (bytes_of_line + static_cast<std::size_t>(planes + 1) * static_cast<std::size_t>(k));
}

// Work-items go round once for each number of a line at most, and a slice more.
std::int64_t deepest(const DeviceLimits& limits, std::int64_t slice) {
  if (limits.loop_turns == 0) return deepest_integers;
  const std::int64_t turns = limits.loop_turns * 8 / 9 / slice * slice;
  return std::clamp(turns, slice, deepest_integers);
}

// The larger extent, if it has more than a tile and than `least`.
struct Halving {
  std::int64_t* extent;
  std::int64_t tile;

  bool can(std::int64_t least) const { return *extent > std::max(tile, least); }
  void halve() const { *extent = round_up(*extent / 2, tile); }
};

Halving halving_of(IntegerBlocks& blocks) {
  if (blocks.m > blocks.n) return {&blocks.m, blocks.tile.rows};
  return {&blocks.n, blocks.tile.columns};
}

// Shorter blocks, and fewer moduli at a time, until a launch of products ends in time.
void bound_launches(IntegerBlocks& blocks, double seconds) {
  const double most = slow_rate * seconds;
  const auto of_plane = [&] {
    return static_cast<double>(blocks.m) * static_cast<double>(blocks.n) *
           static_cast<double>(blocks.k);
  };
  while (of_plane() > most && halving_of(blocks).can(0)) halving_of(blocks).halve();
  blocks.planes_of_launch =
      static_cast<int>(std::clamp(most / of_plane(), 1.0, static_cast<double>(blocks.planes)));
}

}  // namespace

GemmProblem as_real_numbers(const GemmProblem& problem) {
  GemmProblem real = problem;
  if (!is_complex(problem.precision)) return real;
  real.n *= 2;
  real.k *= 2;
  return real;
}

IntegerTile integer_tile_of(const KernelParams& kernel) {
  return {row_tile(kernel), col_tile(kernel), slice_depth(kernel)};
}

IntegerBytes integer_bytes(const IntegerBlocks& blocks, std::int64_t k) {
  const IntegerTile& tile = blocks.tile;
  const std::int64_t rows = round_up(blocks.m, tile.rows),
                     columns = round_up(blocks.n, tile.columns), depth = round_up(k, tile.depth);
  IntegerBytes bytes;
  bytes.a = lines_bytes(rows, depth, blocks.planes);
  bytes.b = lines_bytes(columns, depth, blocks.planes);
  bytes.products =
      static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns) * bytes_of_product;
  return bytes;
}

IntegerBlocks integer_blocks(const GemmProblem& p, const DeviceLimits& limits, double launch_bound,
                             const IntegerTile& tile) {
  std::size_t bound = most_shared_bytes;
  if (limits.memory_bytes > 0)
    bound = std::min(
        limits.memory_bytes,
        limits.shares_memory ? bound : std::max(bound, limits.memory_bytes / share_of_own));
  const auto fits = [&](const IntegerBlocks& blocks) {
    const IntegerBytes bytes = integer_bytes(blocks, blocks.k);
    const std::size_t most = limits.max_allocation_bytes;
    return bytes.sum() <= bound &&
           (most == 0 || std::max({bytes.a, bytes.b, bytes.products}) <= most);
  };
  IntegerBlocks blocks{
      p.m, p.n, std::min(p.k, deepest(limits, tile.depth)), integer_moduli, integer_moduli, tile};
  while (!fits(blocks)) {
    if (halving_of(blocks).can(blocks.planes == 1 ? 0 : small))
      halving_of(blocks).halve();
    else if (blocks.planes > 1)
      blocks.planes /= 2;
    else if (blocks.k > tile.depth)
      blocks.k = round_up(blocks.k / 2, tile.depth);
    else
      throw DeviceError(
          "no block of a product by integers fits the device's memory; the CPU has to do it");
  }
  blocks.planes_of_launch = blocks.planes;
  if (launch_bound > 0) bound_launches(blocks, launch_bound);
  return blocks;
}

}  // namespace duoblas
