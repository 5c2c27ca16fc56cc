// The tiles of a product that are left when all units of a device have had as many as one another.
// Their k is split, where that takes less time than leaving units idle (kernels/tiled_split.clh).
#pragma once

#include <cstdint>

#include "kernel_space/kernel_params.hpp"

namespace duoblas {

struct LastTiles {
  std::int64_t tiles = 0;  ///< whose k is split; 0: none
  std::int64_t parts = 0;  ///< of each of them
};

/// For a C of so many tiles and k steps, in numbers of the kernel's loops.
LastTiles last_tiles(const KernelParams& kernel, std::int64_t tiles, std::int64_t k,
                     int compute_units);

/// What a unit does, in tiles, one after another, with what splitting costs.
double rounds_of(const KernelParams& kernel, std::int64_t tiles, std::int64_t k, int compute_units);

/// For a trial of the kernel, whose products are small: half of the tiles.
LastTiles last_tiles_of_trial(const KernelParams& kernel, std::int64_t tiles);

}  // namespace duoblas
