#include "bench/ladder_steps.hpp"

#include <algorithm>

#include "kernel_space/canonical_kernel.hpp"
#include "kernel_space/kernel_defaults.hpp"
#include "kernel_space/kernel_rules.hpp"

namespace duoblas {
namespace {

// Each step starts from the one before.
class Ladder {
 public:
  Ladder(Precision precision, const DeviceLimits& limits) {
    const bool has_fma = is_double(precision) ? limits.fma_double : limits.fma_single;
    if (!has_fma) next.multiply_add = MultiplyAdd::plain;
  }

  KernelParams next;

  void tutorial(std::string title, std::string change) {
    add(std::move(title), std::move(change));
    steps_.back().of_tutorial = true;
  }
  void add(std::string title, std::string change) {
    steps_.push_back({std::move(title), std::move(change), canonical(next), steps_.size()});
  }
  /// Marks the last step as derived from step `number`, not from the one before it.
  void changes(std::size_t number) {
    steps_.back().from = number;
    steps_.back().change = "from step " + std::to_string(number) + ": " + steps_.back().change;
  }
  /// The kernel of step `number`; steps count from 1.
  const KernelParams& kernel(std::size_t number) const { return steps_.at(number - 1).kernel; }
  std::vector<LadderStep> steps() const { return steps_; }

 private:
  std::vector<LadderStep> steps_;
};

std::string by(int x, int y) {
  return std::to_string(x) + " x " + std::to_string(y);
}

// Steps 2 to 5 have square tiles: 32 x 32 as in the tutorial, or 16 x 16 where a work-group of
// 1024 or its two tiles are too large for the device.
constexpr int kSquare = 32, kSmallSquare = 16;

KernelParams square_tile(KernelParams p, int edge) {
  p.family = KernelFamily::tiled;
  p.tile_rows = p.tile_cols = p.vector_width = 1;
  p.group_rows = p.group_cols = edge;
  p.k_unroll = edge;
  p.local_a = p.local_b = true;
  p.prefetch = 0;
  return p;
}

struct RegisterTile {
  int rows, cols, group_rows, group_cols, k_unroll;
};

// Step 6: the tutorial's 8 x 8 sums and 128 x 128 x 16 for s. For wider elements the tile has fewer
// of them, so registers and local memory stay about the same. Three slices take 48 KiB, NVIDIA's
// OpenCL limit per work-group.
RegisterTile register_tile(Precision precision) {
  switch (precision) {
    case Precision::s: return {8, 8, 16, 16, 16};
    case Precision::d: return {8, 4, 8, 16, 16};
    case Precision::c: return {4, 4, 16, 16, 16};
    case Precision::z: return {4, 4, 8, 16, 8};
  }
  return {};
}

KernelParams with_tile(KernelParams p, const RegisterTile& tile) {
  p.tile_rows = tile.rows;
  p.tile_cols = tile.cols;
  p.group_rows = tile.group_rows;
  p.group_cols = tile.group_cols;
  p.k_unroll = tile.k_unroll;
  return p;
}

int elements_of_16_bytes(Precision precision) {
  return std::max(1, 16 / static_cast<int>(element_size(precision)));
}

// Steps 1 to 5: naive, local memory, more work per work-item, wide types, packed A.
void climb_square_tiles(Ladder& ladder, Precision precision, const DeviceLimits& limits) {
  KernelParams& p = ladder.next;
  int edge = kSquare;
  if (violated_rule(square_tile(p, edge), precision, limits) != nullptr) edge = kSmallSquare;
  const std::string tile = by(edge, edge);

  p = square_tile(p, edge);
  p.local_a = p.local_b = false;
  p.k_unroll = 1;
  ladder.tutorial("naive", "a work-item computes one element, A and B straight from memory");

  p = square_tile(p, edge);
  ladder.tutorial("tiles in local memory",
                  "each work-group brings " + tile + " tiles of A and B to local memory first");

  p.tile_rows = 8;
  p.group_rows = edge / 8;
  ladder.tutorial("more work per work-item",
                  "8 rows of C a work-item: an element of B from local memory serves 8 sums");

  p = square_tile(p, edge);
  p.tile_rows = p.tile_cols = 4;
  p.group_rows = p.group_cols = edge / 4;
  p.vector_width = elements_of_16_bytes(precision);
  std::string wide = "16-byte vectors for A and B; nearest point here: 4 x 4 elements a work-item";
  if (p.vector_width == 1) wide = "4 x 4 elements a work-item; one has 16 bytes already";
  ladder.tutorial("wide data types", wide);
  ladder.changes(2);

  p = ladder.kernel(3);
  p.pack_a = true;
  p.k_unroll = edge / 2;
  ladder.tutorial("transposed input, flat tiles",
                  "A is copied into tile order first, k outermost; tiles of " + tile + " x " +
                      std::to_string(edge / 2));
  ladder.changes(3);
}

// Steps 6 to 9.
void climb_register_tiles(Ladder& ladder, Precision precision, const DeviceLimits& limits) {
  KernelParams& p = ladder.next;
  RegisterTile tile = register_tile(precision);
  KernelParams prefetching = with_tile(p, tile);
  prefetching.vector_width = elements_of_16_bytes(precision);
  prefetching.prefetch = 1;
  // Two slices may be too much for a device's local memory: step 8 needs them.
  if (violated_rule(prefetching, precision, limits) != nullptr) tile.k_unroll = 8;
  p = with_tile(p, tile);
  ladder.tutorial("2-D register blocking",
                  by(tile.rows, tile.cols) + " sums a work-item, tiles of " +
                      by(tile.rows * tile.group_rows, tile.cols * tile.group_cols) + " x " +
                      std::to_string(tile.k_unroll));

  p.vector_width = elements_of_16_bytes(precision);
  ladder.tutorial("wide loads, register blocking",
                  p.vector_width == 1 ? "nothing: an element has 16 bytes already"
                                      : "16-byte vectors from memory, and from local memory");

  p.prefetch = 1;
  ladder.tutorial("software prefetch",
                  "the next slice comes while one is multiplied: two in local memory");

  p.pack_b = true;
  ladder.tutorial("padded dimensions",
                  "B is packed too: zeros fill up tiles (ours take any size without it as well)");
}

void climb_beyond(Ladder& ladder, Precision precision) {
  KernelParams& p = ladder.next;
  p.fragments = true;
  ladder.add("fragments across barrier",
             "the next step's operands are read during a step, and across the barrier");

  p.lane_order = LaneOrder::patch_4x8;
  ladder.add("lane patches", "32 neighbours are a patch of 4 x 8 of the group, not a row of it");

  p.madd_order = MaddOrder::row_serpentine;
  ladder.add("order of multiply-adds", "there and back along rows, so that registers are reused");

  p.async_copy = true;
  p.prefetch = 2;
  ladder.add("asynchronous copies", "slices pass the registers by; three of them in local memory");

  if (precision != Precision::d) {
    p.resident_groups = 2;
    ladder.add("shares of registers", "registers are limited: two groups fit a multiprocessor");
    return;
  }
  // 64 x 128 x 8 with four slices: the best within 48 KiB on an NVIDIA H200.
  p.matrix = MatrixUnit::fp64;
  p.tile_rows = 4;
  p.tile_cols = 16;
  p.group_rows = 16;
  p.group_cols = 8;
  p.k_unroll = 8;
  p.prefetch = 3;
  ladder.add("fp64 matrix instructions", "tiles of 64 x 128 x 8, four of them in local memory");
}

}  // namespace

std::vector<LadderStep> tiled_ladder(Precision precision, const DeviceLimits& limits) {
  Ladder ladder(precision, limits);
  climb_square_tiles(ladder, precision, limits);
  climb_register_tiles(ladder, precision, limits);
  climb_beyond(ladder, precision);
  return ladder.steps();
}

std::vector<LadderStep> panel_ladder(Precision precision, const DeviceLimits& limits) {
  DeviceLimits cpu = limits;
  cpu.is_cpu = true;
  const KernelParams best = default_kernel(precision, cpu);
  constexpr int whole_k = 2048;  // the longest block there is
  Ladder ladder(precision, limits);
  KernelParams& p = ladder.next;
  const MultiplyAdd multiply_add = p.multiply_add;
  p = best;
  p.multiply_add = multiply_add;
  p.tile_rows = 1;
  p.vector_width = p.tile_cols = is_complex(precision) ? 1 : 2;
  p.k_unroll = 1;
  p.block_k = whole_k;
  p.pack_a = p.pack_b = false;
  ladder.add("one row, narrow vector",
             "a work-item sums one vector of two numbers; A and B straight from memory");

  p.vector_width = p.tile_cols = best.vector_width;
  ladder.add("full vector", "a vector as wide as the device's");

  p.tile_rows = best.tile_rows;
  p.tile_cols = best.tile_cols;
  ladder.add("register tile", by(p.tile_rows, p.tile_cols / p.vector_width) +
                                  " vectors: a vector of B serves every row, an element of A all");

  p.k_unroll = best.k_unroll;
  ladder.add("unrolled loop", std::to_string(p.k_unroll) + " steps of k per turn of the loop");

  p.block_k = best.block_k;
  ladder.add("blocking in k", "slices of " + std::to_string(p.block_k) +
                                  " steps stay in cache (longer ones than k change nothing)");

  p.pack_b = true;
  ladder.add("packed B", "B is copied into panels: its lines follow one another in memory");

  p.pack_a = true;
  ladder.add("packed A and B", "A is copied into panels too");
  return ladder.steps();
}

}  // namespace duoblas
