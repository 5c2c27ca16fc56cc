// The CPU's part of an LU factorisation that our own threads do: panels, exchanges of rows in many
// columns, and in place all other steps as well.
#pragma once

#include <functional>
#include <memory>

#include "cpu/lu_panel.hpp"
#include "engine/engine.hpp"
#include "lapack/panel_threads.hpp"
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
  const TeamBlas* blas() const { return threads_ ? threads_->blas.get() : nullptr; }

  bool suits(const LapackProblem& getrf) const { return threads_ && threads_->panel->suits(getrf); }
  /// \pre suits(getrf).
  int factorise(const LapackProblem& getrf, LuPanel::Source from, PanelInverse* inverse) const {
    return threads_->panel->factorise(getrf, from, inverse);
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
  const std::shared_ptr<PanelThreads<LuPanel>> threads_;
};

}  // namespace duoblas
