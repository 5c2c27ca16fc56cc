// Threads of our own for the CPU's part of a factorisation: its panels, and in place all other
// steps as well. They live as long as the factorisation.
#pragma once

#include <cstdint>
#include <memory>
#include <new>
#include <utility>

#include "cpu/team_blas.hpp"
#include "engine/engine.hpp"
#include "problem/lapack_problem.hpp"
#include "sides/cpu_config.hpp"

namespace duoblas {

template <typename Panel>
struct PanelThreads {
  /// For panels of at most so many columns of `p`, on the cores of `cpu`. \throws std::bad_alloc.
  PanelThreads(Engine& engine, const LapackProblem& p, std::int64_t columns, const CpuConfig& cpu,
               TeamShare share, int tiles = usual_tiles) {
    const bool wants_all = share == TeamShare::all;
    if (wants_all) blas = team_blas_for(engine.cpu(), p.precision, cpu, tiles);
    // Beside threads of the CPU BLAS fewer do panels better.
    if (!blas) own_team = team_for(cpu, engine.cpu().limits(), wants_all ? TeamShare::half : share);
    panel = std::make_unique<Panel>(team(), p.precision, p.m, columns);
  }

  /// Null if there is no memory.
  template <typename... Arguments>
  static std::shared_ptr<PanelThreads> made(Arguments&&... of) noexcept try {
    return std::make_shared<PanelThreads>(std::forward<Arguments>(of)...);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }

  ThreadTeam& team() const { return blas ? blas->team() : *own_team; }

  std::unique_ptr<TeamBlas> blas;        ///< does the rest too; null: the CPU BLAS's own threads do
  std::unique_ptr<ThreadTeam> own_team;  ///< if there is no blas
  std::unique_ptr<Panel> panel;
};

}  // namespace duoblas
