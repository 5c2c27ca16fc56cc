// A CPU BLAS on the threads of a team: each of them calls an instance that has one thread. So the
// threads that factorise panels do everything between two panels as well. Otherwise threads of two
// kinds would wait awake on the same cores, each for its next work, and keep the others from
// theirs.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "cpu/blas_instance.hpp"
#include "cpu/cpu_side.hpp"
#include "cpu/thread_team.hpp"
#include "cpu/tiles.hpp"
#include "problem/gemm_problem.hpp"
#include "problem/lapack_problem.hpp"
#include "problem/level3_problem.hpp"
#include "problem/partition.hpp"

namespace duoblas {

/// Tiles for each thread, so that one that loses its core for a while does less. On eight of 16
/// cores LU and QR take as long with one (docs/experiments/factorisations-in-place.md).
inline constexpr int usual_tiles = 2;

/// At most `for_each` tiles for each thread, all of about the same size, with short sides. One tile
/// if the product is too small to share. In all else as tile_grid().
TileGrid even_tiles(const GemmProblem& p, int threads, int for_each = usual_tiles);

/// For one caller, whose thread is the first of the team. Its functions take no memory that must be
/// there. A fork waits until they return. The same number of threads gives the same bits.
class TeamBlas {
 public:
  /// `tiles`: of products, for each thread. \pre the instance has one thread.
  TeamBlas(std::unique_ptr<ThreadTeam> team, BlasInstance& blas, int tiles)
      : team_(std::move(team)), blas_(blas), tiles_(tiles) {}

  ThreadTeam& team() const { return *team_; }
  /// For the body of in_strips().
  BlasInstance& blas() const { return blas_; }

  /// \pre not only_scales_c.
  void multiply(const GemmProblem& product) const;
  /// syrk or herk. \pre every size fits an int.
  void update_triangle(const Level3Problem& update) const;
  /// Calls `body(strip)` for parts that together are [0, extent), one for each thread. It does not
  /// throw, and makes no ForkGuard.
  void in_strips(std::int64_t extent, const std::function<void(const Interval&)>& body) const;
  /// By the caller's thread alone; returns info.
  int factorise(const LapackProblem& small) const;

 private:
  void hand_out(std::int64_t count, const std::function<void(std::int64_t)>& body) const;

  const std::unique_ptr<ThreadTeam> team_;
  BlasInstance& blas_;
  const int tiles_;
};

/// The configuration's threads as a team, for factorisations of this element type. Null: it has one
/// thread, memory is short, or no instance with one thread can be loaded.
std::unique_ptr<TeamBlas> team_blas_for(CpuSide& cpu, Precision precision, const CpuConfig& config,
                                        int tiles = usual_tiles) noexcept;

}  // namespace duoblas
