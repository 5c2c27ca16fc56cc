// The CPU BLAS's own routines, on all cores: of a call that is no product, or has none inside.
#pragma once

#include <duoblas/error.hpp>

#include "engine/engine.hpp"

namespace duoblas {

/// Preconditions as for CpuSide::run. Needs no memory where the BLAS is loaded. Returns what that
/// does, for LAPACK its info. \throws CpuBlasError.
template <typename Problem>
auto run_on_cpu(Engine& engine, const Problem& problem) {
  return engine.cpu().run(problem, engine.plans().all_cores(problem.precision));
}

/// \throws CpuBlasError if run_on_cpu cannot do this routine.
template <typename RoutineName>
void require_on_cpu(Engine& engine, RoutineName routine, Precision precision) {
  engine.cpu().require(routine, precision, engine.plans().all_cores(precision));
}

/// Whether run_on_cpu() can do this routine.
template <typename RoutineName>
bool has_on_cpu(Engine& engine, RoutineName routine, Precision precision) try {
  require_on_cpu(engine, routine, precision);
  return true;
} catch (const CpuBlasError&) {
  return false;
}

}  // namespace duoblas
