#include "kernel_space/device_blocks.hpp"

#include <algorithm>

#include "facts/rates.hpp"
#include "kernel_space/kernel_defaults.hpp"
#include "problem/host_rect.hpp"
#include "problem/rounding.hpp"

namespace duoblas {
namespace {

// Kernels use int, also up to a tile beyond the end.
constexpr std::int64_t most_extent = std::int64_t{1} << 30;
constexpr std::int64_t least_slice = 16;

std::size_t rectangle(std::int64_t rows, std::int64_t columns, Precision precision) {
  return static_cast<std::size_t>(rows) *
         device_pitch(static_cast<std::size_t>(columns) * element_size(precision));
}

// The largest value in [low, high] that passes. \pre small ones pass and large ones do not.
template <typename Passes>
std::int64_t largest(std::int64_t low, std::int64_t high, Passes&& passes) {
  while (low < high) {
    const std::int64_t middle = low + (high - low + 1) / 2;
    if (passes(middle))
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

// By integers a tile is a product modulo each modulus: so many at least.
constexpr std::int64_t least_products = 14;

class BlockSearch {
 public:
  BlockSearch(const GemmProblem& problem, const KernelParams& kernel, Packing packing,
              const DeviceLimits& limits)
      : p_(problem), kernel_(kernel), packing_(packing), limits_(limits) {}

  std::optional<DeviceBlocks> panels() const {
    const bool rows = p_.m >= p_.n;
    const std::int64_t extent = rows ? p_.m : p_.n;
    const std::int64_t tile = rows ? row_tile(kernel_) : col_tile(kernel_);
    const std::int64_t tiles_across =
        rows ? parts(p_.n, col_tile(kernel_)) : parts(p_.m, row_tile(kernel_));
    const auto element = static_cast<std::int64_t>(element_size(p_.precision));
    const bool by_integers = is_by_integers(kernel_);
    const std::int64_t busy =
        tile * (by_integers ? parts(limits_.compute_units, tiles_across * least_products)
                            : busy_tiles(tiles_across, limits_.compute_units));
    const std::int64_t worth = round_up(std::max(parts(rates::least_panel_bytes, p_.k * element),
                                                 by_integers ? rates::least_lines_by_integers : 1),
                                        tile);
    for (const std::int64_t wanted :
         {round_up(std::max(busy, worth), by_integers ? tile : busy), busy}) {
      DeviceBlocks blocks{p_.m, p_.n, p_.k, rows ? Axis::rows : Axis::columns};
      (rows ? blocks.m : blocks.n) = std::min({wanted, extent, rows ? extent : widest_result()});
      if (blocks.n > widest_result() || std::max({blocks.m, blocks.n, blocks.k}) > most_extent)
        continue;
      const std::int64_t count = parts(extent, rows ? blocks.m : blocks.n);
      const auto with_slots = [&](std::int64_t slots) {
        blocks.c_slots = (rows ? blocks.a_slots : blocks.b_slots) = static_cast<int>(slots);
        return fits(blocks);
      };
      const std::int64_t least = std::min<std::int64_t>(2, count);
      if (!with_slots(least)) continue;
      with_slots(largest(least, count, with_slots));
      return blocks;
    }
    return {};
  }

  std::optional<DeviceBlocks> squares() const {
    const std::int64_t most = std::min(std::max(p_.m, p_.n), most_extent);
    const auto fits_with = [&](std::int64_t side) { return fits(square(side)); };
    const std::int64_t side = largest(1, most, fits_with);
    DeviceBlocks blocks = square(side);
    if (!fits(blocks)) return {};
    blocks.k = largest(blocks.k, std::min(p_.k, most_extent), [&](std::int64_t depth) {
      DeviceBlocks deeper = blocks;
      deeper.k = depth;
      return fits(deeper);
    });
    blocks.m = evened_out(p_.m, blocks.m, row_tile(kernel_));
    blocks.n = evened_out(p_.n, blocks.n, col_tile(kernel_));
    blocks.k = evened_out(p_.k, blocks.k, 32);
    DeviceBlocks beside = blocks;
    beside.walk = Axis::columns;
    return traffic_bytes(p_, beside) < traffic_bytes(p_, blocks) ? beside : blocks;
  }

 private:
  std::int64_t widest_result() const {
    // A block that rows arrive in holds what is said of them, too (memory/download_ring.hpp).
    const std::size_t note = is_by_integers(kernel_) ? 64 : 0;
    return static_cast<std::int64_t>((most_result_row_bytes - note) / element_size(p_.precision));
  }

  DeviceBlocks square(std::int64_t side) const {
    const auto in_tiles = [](std::int64_t extent, std::int64_t tile) {
      return extent < tile ? extent : extent / tile * tile;
    };
    DeviceBlocks blocks;
    blocks.m = std::min(p_.m, in_tiles(side, row_tile(kernel_)));
    blocks.n = std::min({p_.n, in_tiles(side, col_tile(kernel_)), widest_result()});
    blocks.k = std::min(p_.k, std::clamp(side / 4, least_slice, rates::enough_steps_of_slice));
    // Two slots, so that one block is in transfer while the other is in use.
    const auto slots = [](std::int64_t count) { return count > 1 ? 2 : 1; };
    const std::int64_t slices = parts(p_.k, blocks.k);
    const std::int64_t down = parts(p_.m, blocks.m), across = parts(p_.n, blocks.n);
    blocks.a_slots = slots(down * slices);
    blocks.b_slots = slots(across * slices);
    blocks.c_slots = slots(down * across);
    return blocks;
  }

  bool fits(const DeviceBlocks& blocks) const {
    return duoblas::fits(device_bytes(p_, blocks, kernel_, packing_), kernel_, limits_);
  }

  const GemmProblem& p_;
  const KernelParams& kernel_;
  const Packing packing_;
  const DeviceLimits& limits_;
};

}  // namespace

std::int64_t evened_out(std::int64_t whole, std::int64_t part, std::int64_t tile) {
  const std::int64_t even = parts(whole, parts(whole, part));
  return part < tile ? even : std::min(part, round_up(even, tile));
}

std::int64_t busy_tiles(std::int64_t tiles_across, std::int64_t compute_units) {
  const std::int64_t fewest = std::max<std::int64_t>(1, compute_units / tiles_across);
  std::int64_t best = fewest;
  double best_use = 0;
  for (std::int64_t lines = fewest; lines <= 12 * fewest && best_use < 0.9; ++lines) {
    const std::int64_t tiles = lines * tiles_across;
    const double use =
        static_cast<double>(tiles) / static_cast<double>(round_up(tiles, compute_units));
    if (use <= best_use) continue;
    best_use = use;
    best = lines;
  }
  return best;
}

std::size_t device_pitch(std::size_t row_bytes) {
  return static_cast<std::size_t>(round_up(static_cast<std::int64_t>(row_bytes), 16));
}

std::size_t slot_bytes_a(const GemmProblem& p, const DeviceBlocks& blocks) {
  return p.op_a == Op::none ? rectangle(blocks.m, blocks.k, p.precision)
                            : rectangle(blocks.k, blocks.m, p.precision);
}

std::size_t slot_bytes_b(const GemmProblem& p, const DeviceBlocks& blocks) {
  return p.op_b == Op::none ? rectangle(blocks.k, blocks.n, p.precision)
                            : rectangle(blocks.n, blocks.k, p.precision);
}

std::size_t slot_bytes_c(const GemmProblem& p, const DeviceBlocks& blocks) {
  return rectangle(blocks.m, blocks.n, p.precision);
}

DeviceBytes device_bytes(const GemmProblem& p, const DeviceBlocks& blocks,
                         const KernelParams& kernel, Packing packing) {
  const auto slots = [](int count) { return static_cast<std::size_t>(count); };
  const auto elements = [&](std::int64_t rows, std::int64_t columns) {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns) *
           element_size(p.precision);
  };
  DeviceBytes bytes;
  bytes.a = slots(blocks.a_slots) * slot_bytes_a(p, blocks);
  bytes.b = slots(blocks.b_slots) * slot_bytes_b(p, blocks);
  bytes.c = slots(blocks.c_slots) * slot_bytes_c(p, blocks);
  if (packing.a)
    bytes.packed_a =
        elements(round_up(blocks.m, row_tile(kernel)), packed_depth_a(kernel, blocks.k));
  if (packing.b)
    bytes.packed_b =
        elements(round_up(blocks.n, col_tile(kernel)), packed_depth_b(kernel, blocks.k));
  if (kernel.k_split > 1) bytes.partial = slots(kernel.k_split) * elements(blocks.m, blocks.n);
  return bytes;
}

DeviceBytes bytes_at_once(const GemmProblem& p, const KernelParams& kernel, Staged staged) {
  const Packing packing{packs_a(kernel, p.op_a), packs_b(kernel, p.op_b)};
  DeviceBytes bytes = device_bytes(p, {p.m, p.n, p.k}, kernel, packing);
  if (!staged.a) bytes.a = 0;
  if (!staged.b) bytes.b = 0;
  if (!staged.c) bytes.c = 0;
  return bytes;
}

bool fits(const DeviceBytes& bytes, const KernelParams& kernel, const DeviceLimits& limits) {
  constexpr std::size_t pixel = 16;
  if (kernel.image_a && bytes.packed_a / pixel > limits.max_image_pixels) return false;
  if (kernel.image_b && bytes.packed_b / pixel > limits.max_image_pixels) return false;
  const std::size_t most =
      std::max({bytes.a, bytes.b, bytes.c, bytes.packed_a, bytes.packed_b, bytes.partial});
  return (limits.max_allocation_bytes == 0 || most <= limits.max_allocation_bytes) &&
         (limits.memory_bytes == 0 || bytes.total() <= limits.memory_bytes);
}

bool fits_at_once(const GemmProblem& p, const DeviceBytes& bytes, const KernelParams& kernel,
                  const DeviceLimits& limits) {
  if (std::max({p.m, p.n, p.k}) > most_extent || !fits(bytes, kernel, limits)) return false;
  const std::size_t window =
      std::max({rect_of_a(p).span(), rect_of_b(p).span(), rect_of_c(p).span()});
  return limits.max_allocation_bytes == 0 || window <= limits.max_allocation_bytes;
}

std::optional<DeviceBlocks> device_blocks(const GemmProblem& problem, const KernelParams& kernel,
                                          Packing packing, const DeviceLimits& limits) {
  const BlockSearch search(problem, kernel, packing, limits);
  if (const auto panels = search.panels()) return panels;
  return search.squares();
}

double traffic_bytes(const GemmProblem& p, const DeviceBlocks& blocks) {
  const auto bytes = [&](std::int64_t rows, std::int64_t columns) {
    return static_cast<double>(rows) * static_cast<double>(columns) *
           static_cast<double>(element_size(p.precision));
  };
  const std::int64_t down = parts(p.m, blocks.m), across = parts(p.n, blocks.n);
  const bool one_slice = blocks.k >= p.k;
  const bool a_stays = one_slice && (across == 1 || blocks.walk == Axis::columns);
  const bool b_stays = one_slice && (down == 1 || blocks.walk == Axis::rows);
  return bytes(p.m, p.k) * static_cast<double>(a_stays ? 1 : across) +
         bytes(p.k, p.n) * static_cast<double>(b_stays ? 1 : down) +
         bytes(p.m, p.n) * (p.overwrites_c() ? 1 : 2);
}

}  // namespace duoblas
