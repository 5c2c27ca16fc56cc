// The CPU's part of an LU factorisation that our own threads do: panels, and exchanges of rows in
// many columns. The threads live as long as the factorisation.
#pragma once

#include <memory>

#include "cpu/cpu_config.hpp"
#include "cpu/lu_panel.hpp"
#include "engine/engine.hpp"
#include "problem/lapack_problem.hpp"

namespace duoblas {

class LuThreads {
 public:
  /// For panels of at most so many columns, on the cores of `cpu`. If there is no memory, suits()
  /// is always false.
  LuThreads(Engine& engine, const LapackProblem& p, std::int64_t panel_columns,
            const CpuConfig& cpu, TeamShare share) noexcept;

  bool suits(const LapackProblem& getrf) const { return panel_ && panel_->suits(getrf); }
  /// \pre suits(getrf).
  int factorise(const LapackProblem& getrf, LuPanel::Source from, PanelInverse* inverse) const {
    return panel_->factorise(getrf, from, inverse);
  }

  /// Panels of one width; the last one may be narrower.
  struct Panels {
    std::int64_t width = 0, columns = 0;
  };
  /// In the panels' columns, exchanges the rows from each panel's end, but not before `first`, to
  /// `last` - 1. All at once, so that each column is loaded into a cache once.
  void swap_behind_panels(const LapackProblem& p, const Panels& panels, std::int64_t first,
                          std::int64_t last) const;

 private:
  std::unique_ptr<ThreadTeam> team_;
  std::unique_ptr<LuPanel> panel_;
};

}  // namespace duoblas
