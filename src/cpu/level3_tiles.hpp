// A level-3 call as tiles that threads compute at the same time, each with calls of a BLAS that has
// one thread. cpu/tiles.hpp does the same for a product. Pure arithmetic.
//
//     C is a triangle       tiles of C: a product, or on the diagonal a smaller call
//     symm, hemm            tiles of C: products with what is stored and mirrored, and a smaller
//                           call for the diagonal block between them
//     trmm, trsm            strips of right-hand sides: lines of C need each other
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "problem/halving.hpp"

namespace duoblas {

/// The steps of one thread, in this order.
using TileSteps = std::vector<Step>;

struct Level3Grid {
  std::int64_t lines = 0;  ///< of a tile along the order; for trmm and trsm all of them
  std::int64_t sides = 0;  ///< right-hand sides of a tile; none if C is a triangle
};

/// The best grid for such a call with so many threads; nothing if the BLAS's own threads are as
/// fast or faster.
std::optional<Level3Grid> level3_grid(const Level3Problem& problem, int threads);

/// The tiles. None of them reads or writes what another one writes. They depend on the arguments
/// only, so sums are added in the same order each time. \pre not empty, not only_scales_c(); the
/// grid's numbers are at least 1.
std::vector<TileSteps> level3_tiles(const Level3Problem& problem, const Level3Grid& grid);

}  // namespace duoblas
