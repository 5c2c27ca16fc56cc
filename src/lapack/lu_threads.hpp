// The CPU's part of an LU factorisation that our own threads do: panels, exchanges of rows in many
// columns, and in place all other steps as well. The threads live as long as the factorisation.
#pragma once

#include <functional>
#include <memory>

#include "cpu/lu_panel.hpp"
#include "cpu/team_blas.hpp"
#include "engine/engine.hpp"
#include "problem/lapack_problem.hpp"
#include "sides/cpu_config.hpp"

namespace duoblas {

class LuThreads {
 public:
  /// For panels of at most so many columns, on the cores of `cpu`. If there is no memory, suits()
  /// is always false.
  LuThreads(Engine& engine, const LapackProblem& p, std::int64_t panel_columns,
            const CpuConfig& cpu, TeamShare share) noexcept;

  /// Does all other steps; null: the CPU BLAS's own threads do.
  const TeamBlas* blas() const { return blas_.get(); }

  bool suits(const LapackProblem& getrf) const { return panel_ && panel_->suits(getrf); }
  /// \pre suits(getrf).
  int factorise(const LapackProblem& getrf, LuPanel::Source from, PanelInverse* inverse) const {
    return panel_->factorise(getrf, from, inverse);
  }

  /// Calls `body` on each of the threads, all at once; returns when all have returned. It does not
  /// throw.
  void together(const std::function<void()>& body) const;

  /// Panels of one width; the last one may be narrower.
  struct Panels {
    std::int64_t width = 0, columns = 0;
  };
  /// In the panels' columns, exchanges the rows from each panel's end, but not before `first`, to
  /// `last` - 1. All at once, so that each column is loaded into a cache once.
  void swap_behind_panels(const LapackProblem& p, const Panels& panels, std::int64_t first,
                          std::int64_t last) const;

 private:
  ThreadTeam* team() const { return blas_ ? &blas_->team() : own_team_.get(); }

  std::unique_ptr<TeamBlas> blas_;
  std::unique_ptr<ThreadTeam> own_team_;  ///< if there is no blas_
  std::unique_ptr<LuPanel> panel_;
};

}  // namespace duoblas
