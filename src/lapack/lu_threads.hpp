// What the CPU does of an LU factorisation with threads of our own, which are there for the length
// of it: panels, and swaps of rows in many columns.
#pragma once

#include <memory>

#include "cpu/cpu_config.hpp"
#include "cpu/lu_panel.hpp"
#include "engine/engine.hpp"
#include "problem/lapack_problem.hpp"

namespace duoblas {

class LuThreads {
 public:
  /// For panels of at most so many columns, on the cores of `cpu`. Where there is no memory nothing
  /// suits it.
  LuThreads(Engine& engine, const LapackProblem& p, std::int64_t panel_columns,
            const CpuConfig& cpu) noexcept;

  bool suits(const LapackProblem& getrf) const { return panel_ && panel_->suits(getrf); }
  /// \pre suits(getrf).
  int factorise(const LapackProblem& getrf, LuPanel::Source from) const {
    return panel_->factorise(getrf, from);
  }

  /// Panels of a width, of which the last one may be narrower.
  struct Panels {
    std::int64_t width = 0, columns = 0;
  };
  /// In their columns the swaps of rows from where the panel ends, but not before `first`, to
  /// `last` - 1. All at once: each column comes into a cache once.
  void swap_behind_panels(const LapackProblem& p, const Panels& panels, std::int64_t first,
                          std::int64_t last) const;

 private:
  std::unique_ptr<ThreadTeam> team_;
  std::unique_ptr<LuPanel> panel_;
};

}  // namespace duoblas
