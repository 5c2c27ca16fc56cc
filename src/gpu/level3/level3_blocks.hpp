// How the order of a level-3 call is divided into blocks where the device does it as one job.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernel_space/kernel_params.hpp"
#include "problem/level3_problem.hpp"

namespace duoblas {

struct BlockSizes {
  std::int64_t block = 512;  ///< lines along the order
  std::int64_t leaf = 64;    ///< of inverted diagonal blocks, at most `block`
  /// Results that come back in the other direction than rows lie do so in pieces of so many bytes,
  /// of which each arrives as a whole.
  std::size_t piece_bytes = std::size_t{4} << 20;
  /// A triangular block is multiplied, or computed, in so many lines at a time, each without what
  /// lies beyond the triangle; 0: as a whole block.
  std::int64_t step = 0;
  /// As much of the old values of trmm's C may be saved on the host.
  std::size_t saved_bytes = 0;
  /// So many of a solve's last blocks are solved, and come back, leaf by leaf.
  std::int64_t blocks_by_leaves = 0;
  /// The device inverts a solve's leaves, which are sent first of all.
  bool inverts_leaves = false;
};

/// Whether the steps go by block columns of A, and B and C that are copied are in memory of the
/// library's own, which the device uses where it is.
constexpr bool goes_by_columns(const Level3Problem& p, MatricesInPlace in_place) {
  return !updates_triangle(p.routine) && p.side == Side::left && in_place.a && !in_place.c;
}

/// Blocks for a problem of this order: large enough for a GPU, and several of them in small calls
/// too, which conformance suites make.
BlockSizes block_sizes(std::int64_t order);
/// Blocks for a call whose A the device has in place. If they are whole tiles, lines are packed
/// once for all.
BlockSizes block_sizes(const Level3Problem& problem, MatricesInPlace in_place,
                       const KernelParams& kernel);

}  // namespace duoblas
