#include "cpu/tiles.hpp"

#include <algorithm>
#include <cmath>

#include "problem/partition.hpp"
#include "problem/rounding.hpp"

namespace duoblas {
namespace {

// A multiple of the cache line for every element type, and of the rows and columns that OpenBLAS's
// inner kernels compute at once.
constexpr std::int64_t granule = 16;
// Enough tiles per thread that the end is delayed by only a small part of the whole by a core of
// half the speed, or by one that lost time to the GPU's driver.
constexpr double tiles_per_thread = 4;
// Each call packs its operands again: at 128 x 128 that is 1/64 of a copy per multiply-add.
constexpr double smallest_side = 128;
// Below this depth, a smallest tile takes no longer than handing it out.
constexpr double shallow = 64;

// The step of equal parts that cover `extent`. Before rounding, each is at most `wanted`.
std::int64_t even_step(std::int64_t extent, double wanted) {
  const double parts = std::ceil(static_cast<double>(extent) / wanted);
  return round_up(static_cast<std::int64_t>(std::ceil(static_cast<double>(extent) / parts)),
                  granule);
}

}  // namespace

TileGrid tile_grid(const GemmProblem& p, int threads) {
  if (threads <= 1) return {p.m, p.n, 1, 1};
  const auto m = static_cast<double>(p.m);
  const auto n = static_cast<double>(p.n);
  const double smallest_area =
      smallest_side * smallest_side * std::max(1.0, shallow / static_cast<double>(p.k));
  const double area = std::max(m * n / (tiles_per_thread * threads), smallest_area);
  // Square tiles read least. If C is too narrow for them, a tile has all of its width.
  const double side = std::sqrt(area);
  TileGrid grid;
  grid.rows = even_step(p.m, m < side ? m : n < side ? area / n : side);
  grid.cols = even_step(p.n, n < side ? n : m < side ? area / m : side);
  grid.tiles_down = parts(p.m, grid.rows);
  grid.tiles_across = parts(p.n, grid.cols);
  return grid;
}

GemmProblem tile_of(const GemmProblem& p, const TileGrid& grid, std::int64_t index) {
  const std::int64_t row = index / grid.tiles_across * grid.rows;
  const std::int64_t col = index % grid.tiles_across * grid.cols;
  return block_of(p, {row, std::min(grid.rows, p.m - row)}, {col, std::min(grid.cols, p.n - col)},
                  {0, p.k});
}

}  // namespace duoblas
