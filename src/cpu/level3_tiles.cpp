#include "cpu/level3_tiles.hpp"

#include <algorithm>
#include <cmath>
#include <variant>

#include "cpu/tiles.hpp"
#include "facts/rates.hpp"
#include "problem/partition.hpp"
#include "problem/rounding.hpp"

namespace duoblas {
namespace {

// A whole number of tiles that is close to the middle.
std::int64_t middle_of(std::int64_t order, std::int64_t lines) {
  return parts(parts(order, lines), 2) * lines;
}

// The products of one halving have the same shape. Those of a rank-2k update add to each other.
void add_triangle(const Level3Problem& p, std::int64_t lines, std::vector<TileSteps>& tiles) {
  if (order(p) <= lines) return tiles.push_back({p});
  std::vector<GemmProblem> products;
  for (const Step& step : halved(p, middle_of(order(p), lines)))
    if (const auto* product = std::get_if<GemmProblem>(&step))
      products.push_back(*product);
    else
      add_triangle(std::get<Level3Problem>(step), lines, tiles);
  const GemmProblem& like = products.front();
  const TileGrid grid{lines, lines, parts(like.m, lines), parts(like.n, lines)};
  for (std::int64_t index = 0; index < grid.count(); ++index) {
    TileSteps& tile = tiles.emplace_back();
    for (const GemmProblem& product : products) tile.emplace_back(tile_of(product, grid, index));
  }
}

// Lines of symm's result. `products`: those that other lines add to it. For each half halved()
// gives one more, and then a smaller call.
void add_lines(const Level3Problem& p, std::int64_t lines, const std::vector<GemmProblem>& products,
               std::vector<TileSteps>& tiles) {
  if (order(p) <= lines) {
    tiles.emplace_back(products.begin(), products.end()).emplace_back(p);
    return;
  }
  const std::int64_t middle = middle_of(order(p), lines);
  const Axis axis = p.side == Side::left ? Axis::rows : Axis::columns;
  std::vector<GemmProblem> first, second;
  for (const GemmProblem& product : products) {
    const PartitionedProblem halves = partition(product, axis, middle);
    first.push_back(halves.gpu);
    second.push_back(halves.cpu);
  }
  const Steps steps = halved(p, middle);
  const auto* step = steps.begin();
  first.push_back(std::get<GemmProblem>(step[0]));
  second.push_back(std::get<GemmProblem>(step[1]));
  add_lines(std::get<Level3Problem>(step[2]), lines, first, tiles);
  add_lines(std::get<Level3Problem>(step[3]), lines, second, tiles);
}

void add_strip(const Level3Problem& p, std::int64_t lines, std::vector<TileSteps>& tiles) {
  if (is_in_place(p.routine))
    tiles.push_back({p});
  else
    add_lines(p, lines, {}, tiles);
}

}  // namespace

// If C is a triangle tiles are faster than OpenBLAS's own routine; in most shapes of symm, trmm and
// trsm they are slower (facts/rates.hpp).
std::optional<Level3Grid> level3_grid(const Level3Problem& p, int threads) {
  constexpr std::int64_t long_sum = 4;  // k over the order
  constexpr std::int64_t unit = 16, smallest = 32, largest = 256;
  if (!updates_triangle(p.routine) || p.only_scales_c() || threads < rates::tiles_least_threads)
    return {};
  const bool is_long = p.k >= long_sum * order(p);
  if (flops(p) < (is_long ? rates::tiles_least_flops_of_long_sums : rates::tiles_least_flops))
    return {};
  // At least two tiles per thread.
  const auto lines = static_cast<double>(order(p)) / std::sqrt(4.0 * threads);
  const auto rounded = round_up(static_cast<std::int64_t>(std::ceil(lines)), unit);
  return Level3Grid{std::clamp(rounded, smallest, largest), free_extent(p)};
}

std::vector<TileSteps> level3_tiles(const Level3Problem& p, const Level3Grid& grid) {
  std::vector<TileSteps> tiles;
  if (updates_triangle(p.routine)) {
    add_triangle(p, grid.lines, tiles);
    return tiles;
  }
  Level3Problem rest = p;
  while (free_extent(rest) > grid.sides) {
    const Steps strips = split_free_extent(rest, grid.sides);
    add_strip(std::get<Level3Problem>(strips.begin()[0]), grid.lines, tiles);
    rest = std::get<Level3Problem>(strips.begin()[1]);
  }
  add_strip(rest, grid.lines, tiles);
  return tiles;
}

}  // namespace duoblas
