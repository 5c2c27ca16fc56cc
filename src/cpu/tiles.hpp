// Divides C into tiles that single-threaded calls of a BLAS compute at the same time.
#pragma once

#include <cstdint>

#include "problem/gemm_problem.hpp"

namespace duoblas {

/// Tiles of `rows` x `cols` elements of C, fewer in the last row and column of tiles.
struct TileGrid {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t tiles_down = 0;
  std::int64_t tiles_across = 0;
  std::int64_t count() const { return tiles_down * tiles_across; }
};

/// The grid for `threads` threads. It depends on the arguments only, so sums are added in the same
/// order each time. Steps are multiples of 16 elements: whole cache lines if C and its rows start
/// at one. One tile if there is one thread. \pre not empty, not only_scales_c.
TileGrid tile_grid(const GemmProblem& p, int threads);

/// Tile `index` of [0, count), row by row, as a product of its own.
GemmProblem tile_of(const GemmProblem& p, const TileGrid& grid, std::int64_t index);

}  // namespace duoblas
