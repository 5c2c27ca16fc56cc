#include "kernel_space/last_tiles.hpp"

#include <algorithm>

#include "facts/rates.hpp"
#include "kernel_space/kernel_defaults.hpp"

namespace duoblas {
namespace {

constexpr std::int64_t least_slices = 4, most_parts = 64;

// Groups that the device has room for at a time. One alone on a unit that has room for two takes
// nearly as long as both.
std::int64_t places_of(const KernelParams& kernel, int compute_units) {
  return std::int64_t{std::max(1, compute_units)} * std::max(1, kernel.resident_groups);
}

struct Split {
  LastTiles last;
  double steps = 0;  // of k that a unit takes for them
};

Split best_split(const KernelParams& kernel, std::int64_t tiles, std::int64_t k,
                 int compute_units) {
  const std::int64_t units = places_of(kernel, compute_units), rest = tiles % units;
  Split best{{}, rest == 0 ? 0 : static_cast<double>(k)};
  if (!kernel.split_last || rest == 0) return best;
  // The second kernel starts as fast whatever a tile's step takes. (Smaller tiles: not measured.)
  constexpr double of_large_tile = 128 * 128, of_small_tile = 64 * 64;
  const auto elements = static_cast<double>(row_tile(kernel) * col_tile(kernel));
  const double start = rates::steps_of_split * of_large_tile / std::max(elements, of_small_tile);
  const std::int64_t most = std::min(most_parts, k / kernel.k_unroll / least_slices);
  for (std::int64_t parts = 2; parts <= most; ++parts) {
    const auto of_unit = static_cast<double>((rest * parts + units - 1) / units);
    const double added = static_cast<double>(rest * parts) / static_cast<double>(units);
    const double steps =
        of_unit * (static_cast<double>(k) / static_cast<double>(parts) + rates::steps_of_part) +
        added * rates::steps_to_add_part + start;
    if (steps < best.steps) best = {{rest, parts}, steps};
  }
  return best;
}

}  // namespace

LastTiles last_tiles(const KernelParams& kernel, std::int64_t tiles, std::int64_t k,
                     int compute_units) {
  return best_split(kernel, tiles, k, compute_units).last;
}

double rounds_of(const KernelParams& kernel, std::int64_t tiles, std::int64_t k,
                 int compute_units) {
  const std::int64_t units = std::max(1, compute_units), places = places_of(kernel, compute_units);
  const Split split = best_split(kernel, tiles, k, compute_units);
  if (split.last.tiles == 0) return static_cast<double>((tiles + units - 1) / units);
  const double rounds = static_cast<double>(tiles / places) + split.steps / static_cast<double>(k);
  return rounds * static_cast<double>(places) / static_cast<double>(units);
}

LastTiles last_tiles_of_trial(const KernelParams& kernel, std::int64_t tiles) {
  return kernel.split_last ? LastTiles{tiles - tiles / 2, 3} : LastTiles{};
}

}  // namespace duoblas
