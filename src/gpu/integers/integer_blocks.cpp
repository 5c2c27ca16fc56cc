#include "gpu/integers/integer_blocks.hpp"

#include <algorithm>

#include <duoblas/error.hpp>

#include "problem/rounding.hpp"

namespace duoblas {
namespace {

// Of kernels/integers_numbers.clh.
constexpr std::size_t bytes_of_line = 24;
// Residues, and an int.
constexpr std::size_t bytes_of_product = integer_moduli + sizeof(int);
// As much memory as integrated GPUs share with all else without anybody's noticing.
constexpr std::size_t most_bytes = std::size_t{256} << 20;
// Smaller blocks read A and B, which they make residues of, more often than it takes to multiply.
constexpr std::int64_t small = 512;
// Multiply-adds of bytes a second. A guess: what a slow integrated GPU does without dot products.
constexpr double slow_rate = 2e10;

std::size_t lines_bytes(std::int64_t lines, std::int64_t k, int planes) {
  const auto padded = static_cast<std::size_t>(round_up(lines, integer_tile));
  return padded * (bytes_of_line + static_cast<std::size_t>(planes) *
                                       static_cast<std::size_t>(round_up(k, integer_tile)));
}

// Work-items go round once for each slice, and once for each eighth number of a line, twice.
std::int64_t deepest(const DeviceLimits& limits) {
  if (limits.loop_turns == 0) return deepest_integers;
  const std::int64_t turns = limits.loop_turns * 8 / 9 / integer_tile * integer_tile;
  return std::clamp(turns, integer_tile, deepest_integers);
}

std::int64_t halved(std::int64_t extent) {
  return round_up(extent / 2, integer_tile);
}

// Shorter blocks, and fewer moduli at a time, until a launch of products ends in time.
void bound_launches(IntegerBlocks& blocks, double seconds) {
  const double most = slow_rate * seconds;
  const auto of_plane = [&] {
    return static_cast<double>(blocks.m) * static_cast<double>(blocks.n) *
           static_cast<double>(blocks.k);
  };
  while (of_plane() > most && std::max(blocks.m, blocks.n) > integer_tile) {
    std::int64_t& larger = blocks.m > blocks.n ? blocks.m : blocks.n;
    larger = halved(larger);
  }
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

IntegerBytes integer_bytes(const IntegerBlocks& blocks, std::int64_t k) {
  IntegerBytes bytes;
  bytes.a = lines_bytes(blocks.m, k, blocks.planes);
  bytes.b = lines_bytes(blocks.n, k, blocks.planes);
  bytes.products = static_cast<std::size_t>(round_up(blocks.m, integer_tile)) *
                   static_cast<std::size_t>(round_up(blocks.n, integer_tile)) * bytes_of_product;
  return bytes;
}

IntegerBlocks integer_blocks(const GemmProblem& p, const DeviceLimits& limits,
                             double launch_bound) {
  std::size_t bound = most_bytes;
  if (limits.memory_bytes > 0) bound = std::min(bound, limits.memory_bytes);
  const auto fits = [&](const IntegerBlocks& blocks) {
    const IntegerBytes bytes = integer_bytes(blocks, blocks.k);
    const std::size_t most = limits.max_allocation_bytes;
    return bytes.sum() <= bound &&
           (most == 0 || std::max({bytes.a, bytes.b, bytes.products}) <= most);
  };
  IntegerBlocks blocks{p.m, p.n, std::min(p.k, deepest(limits))};
  while (!fits(blocks)) {
    std::int64_t& larger = blocks.m > blocks.n ? blocks.m : blocks.n;
    if (larger > small || (blocks.planes == 1 && larger > integer_tile))
      larger = halved(larger);
    else if (blocks.planes > 1)
      blocks.planes /= 2;
    else if (blocks.k > integer_tile)
      blocks.k = halved(blocks.k);
    else
      throw DeviceError(
          "no block of a product by integers fits the device's memory; the CPU has to do it");
  }
  blocks.planes_of_launch = blocks.planes;
  if (launch_bound > 0) bound_launches(blocks, launch_bound);
  return blocks;
}

}  // namespace duoblas
