#include "gpu/level3/level3_blocks.hpp"

#include <algorithm>

#include "kernel_space/device_blocks.hpp"
#include "memory/upload_ring.hpp"
#include "problem/rounding.hpp"

namespace duoblas {

BlockSizes block_sizes(std::int64_t order) {
  constexpr std::int64_t blocks = 8, unit = 16, most = 512;
  // 128 lines of a solve take half as many products as twice 64, whose enqueueing takes the host
  // longer than their inverses (docs/experiments/transfers.md#jobs-of-level-3).
  constexpr std::int64_t leaf = 128, small_leaf = 64;
  BlockSizes sizes;
  sizes.block = std::clamp(round_up(parts(order, blocks), unit), unit, most);
  sizes.leaf = sizes.block % leaf == 0 ? leaf : std::min(small_leaf, sizes.block);
  return sizes;
}

namespace {

constexpr std::int64_t widest_tile = 64;  // of the panel kernels that tuning finds

// Where operands are copied, first results of trmm and trsm come earlier, and less is left to do
// when the last rows have been sent
// (docs/experiments/transfers.md#lines-of-trmm-that-come-back-early).
constexpr std::int64_t most_of_copied_triangle = 256;

// When a solve's last operands have been sent, the results of its last two blocks are still to
// come. Where these go by leaves it is those of the last two leaves: of blocks of 256 lines half as
// much (docs/experiments/transfers.md#the-last-blocks-by-leaves).
constexpr std::int64_t last_blocks_by_leaves = 2;

// All of B of a strmm of 4096, half of a dtrmm's.
constexpr std::size_t most_saved_bytes = std::size_t{64} << 20;
// Of page-locked memory, whose blocks are kept as a whole: those of few lines, or of a B with few
// right-hand sides, are nearly empty.
constexpr std::size_t most_saved_blocks = 2 * most_saved_bytes / UploadRing::block_bytes;

std::size_t saved_bytes_of_trmm(const Level3Problem& p, std::int64_t block) {
  const bool left = p.side == Side::left;
  const auto rows = static_cast<std::size_t>(left ? block : p.m);
  const auto columns = static_cast<std::size_t>(left ? p.n : block);
  const std::size_t row_bytes = columns * element_size(p.precision);
  if (rows == 0 || row_bytes == 0) return 0;
  const std::size_t blocks = UploadRing::most_blocks_of(rows, device_pitch(row_bytes));
  return std::min(most_saved_bytes, most_saved_blocks / blocks * rows * row_bytes);
}

}  // namespace

BlockSizes block_sizes(const Level3Problem& problem, MatricesInPlace in_place,
                       const KernelParams& kernel) {
  BlockSizes sizes = block_sizes(order(problem));
  if (in_place.a && updates_triangle(problem.routine))
    sizes.block = round_up(sizes.block, widest_tile);
  // A CPU's cores do products of few lines nearly as fast as larger ones.
  if (in_place.a && kernel.family == KernelFamily::panel) sizes.step = widest_tile;
  // C is read and written once for each block column, so these are wider where that multiplies
  // little in vain: nothing in symm, and little in trmm and trsm if they go in steps. The leaves of
  // trsm stay as they were.
  const bool is_symm = problem.routine == Routine::symm || problem.routine == Routine::hemm;
  const bool has_large_blocks = is_symm || (sizes.step > 0 && sizes.block % sizes.leaf == 0);
  if (has_large_blocks && goes_by_columns(problem, in_place))
    sizes.block = std::min<std::int64_t>(2 * sizes.block, 512);
  if (!in_place.a && !in_place.c && is_in_place(problem.routine) && sizes.block % sizes.leaf == 0 &&
      most_of_copied_triangle % sizes.leaf == 0)
    sizes.block = std::min(sizes.block, most_of_copied_triangle);
  if (!in_place.a && !in_place.c && problem.routine == Routine::trsm)
    sizes.blocks_by_leaves = last_blocks_by_leaves;
  if (!in_place.a && !in_place.c && problem.routine == Routine::trmm)
    sizes.saved_bytes = saved_bytes_of_trmm(problem, sizes.block);
  return sizes;
}

}  // namespace duoblas
