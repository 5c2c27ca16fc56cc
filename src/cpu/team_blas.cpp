#include "cpu/team_blas.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <limits>
#include <new>
#include <utility>
#include <variant>
#include <vector>

#include "cpu/level3_tiles.hpp"
#include "cpu/pieces.hpp"
#include "os/fork_state.hpp"
#include "problem/rounding.hpp"

namespace duoblas {
namespace {

constexpr std::int64_t granule = 16;  // as in tile_grid()
// To begin and to end takes a team about as long as these flops take a thread: an estimate, not
// measured.
constexpr double worth_sharing = 2e5;
// A tile's sides are packed, which takes as long per element as so many multiply-adds: an estimate,
// not measured.
constexpr double packing = 8;

std::int64_t step_of(std::int64_t extent, std::int64_t count) {
  return round_up(parts(extent, count), granule);
}

double count_of(std::int64_t number) {
  return static_cast<double>(number);
}

// Tiles on the diagonal are half as large, so there are a few for each thread. Products of fewer
// lines than 64 are slow.
std::int64_t lines_of_tile(std::int64_t order, int threads) {
  return std::clamp<std::int64_t>(step_of(order, threads), 64, 256);
}

}  // namespace

TileGrid even_tiles(const GemmProblem& p, int threads, int for_each) {
  TileGrid best{p.m, p.n, 1, 1};
  if (threads <= 1 || 2 * count_of(p.m) * count_of(p.n) * count_of(p.k) < worth_sharing)
    return best;
  double least = std::numeric_limits<double>::max();
  const std::int64_t tiles = for_each * threads;
  for (std::int64_t down = 1; down <= tiles; ++down) {
    const std::int64_t rows = step_of(p.m, down), cols = step_of(p.n, tiles / down);
    const double time =
        count_of(rows) * count_of(cols) + packing * (count_of(rows) + count_of(cols));
    if (time >= least) continue;
    least = time;
    best = {rows, cols, parts(p.m, rows), parts(p.n, cols)};
  }
  return best;
}

void TeamBlas::hand_out(std::int64_t count, const std::function<void(std::int64_t)>& body) const {
  std::atomic<std::int64_t> next{0};
  const auto work = [&](int) {
    for (std::int64_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) body(i);
  };
  team_->run(static_cast<int>(std::min<std::int64_t>(team_->size(), count)), std::cref(work));
}

void TeamBlas::multiply(const GemmProblem& product) const {
  if (product.empty()) return;
  const auto in_tiles = [&](const GemmProblem& piece) {
    const ForkGuard no_fork;
    const TileGrid grid = even_tiles(piece, team_->size(), tiles_);
    const auto tile = [&](std::int64_t i) { blas_.gemm(tile_of(piece, grid, i)); };
    hand_out(grid.count(), std::cref(tile));
  };
  for_each_piece(product, {}, std::cref(in_tiles));
}

void TeamBlas::update_triangle(const Level3Problem& update) const {
  if (update.empty()) return;
  const ForkGuard no_fork;
  std::vector<TileSteps> tiles;
  try {
    tiles = level3_tiles(update, {lines_of_tile(order(update), team_->size()), update.k});
  } catch (const std::bad_alloc&) {
    return blas_.run(update);
  }
  const auto tile = [&](std::int64_t i) {
    for (const Step& step : tiles[static_cast<std::size_t>(i)])
      if (const auto* product = std::get_if<GemmProblem>(&step))
        blas_.gemm(*product);
      else
        blas_.run(std::get<Level3Problem>(step));
  };
  hand_out(static_cast<std::int64_t>(tiles.size()), std::cref(tile));
}

void TeamBlas::in_strips(std::int64_t extent,
                         const std::function<void(const Interval&)>& body) const {
  if (extent <= 0) return;
  const ForkGuard no_fork;
  const std::int64_t step = step_of(extent, team_->size());
  const auto strip = [&](std::int64_t i) { body({i * step, std::min(step, extent - i * step)}); };
  hand_out(parts(extent, step), std::cref(strip));
}

int TeamBlas::factorise(const LapackProblem& small) const {
  const ForkGuard no_fork;
  return blas_.lapack(small);
}

std::unique_ptr<TeamBlas> team_blas_for(CpuSide& cpu, Precision precision, const CpuConfig& config,
                                        int tiles) noexcept try {
  if (fork_generation() > 0) return nullptr;
  watch_forks();
  auto team = team_for(config, cpu.limits(), TeamShare::all);
  if (team->size() == 1) return nullptr;
  InstanceRequest one;
  one.library = config.library.empty() ? cpu.all_cores("").library : config.library;
  one.core_type = config.core_type;
  const ForkGuard no_fork;
  BlasInstance& blas = blas_instance(one);
  if (blas.threads() > 1) return nullptr;
  const Routine of_rank_k = is_complex(precision) ? Routine::herk : Routine::syrk;
  for (const Routine routine : {Routine::trmm, Routine::trsm, of_rank_k})
    blas.require(routine, precision);
  return std::make_unique<TeamBlas>(std::move(team), blas, tiles);
} catch (const std::exception&) {
  return nullptr;
}

}  // namespace duoblas
