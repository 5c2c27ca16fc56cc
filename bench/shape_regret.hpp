// What planning one shape costs: the planned call against the best that a sweep finds.
#pragma once

#include <string>

#include "engine/engine.hpp"
#include "tuner/measured_problem.hpp"

namespace duoblas {

/// Medians of the last, interleaved rounds, in seconds; infinite where a strategy cannot be had.
struct ShapeRegret {
  GemmProblem problem;  ///< its memory is gone
  Plan plan;
  Share
      swept;  ///< of the best hybrid split; 0 parts where no partition leaves both sides something
  double planned = 0, cpu = 0, gpu = 0, hybrid = 0;
  int rounds = 0;
  std::string best;  ///< "cpu", "gpu" or "hybrid"
  /// planned / best - 1, the median within rounds, which drift of the clock cancels in: below 0
  /// where the plan is faster than anything that was swept. Infinite where it could not be timed.
  double regret = 0;
  /// The same of a choice among CPU-only, GPU-only and the best split by times that were measured
  /// just before: what nobody can know better on this machine.
  double floor = 0;
};

/// Sweeps the share in 16ths, then in 64ths around the best, and lets CPU-only, GPU-only, that best
/// and the plan take turns anew, twice: the minimum of a sweep is lucky, and the luck is not to
/// count against the plan. The first time tells the floor, the second one judges. `machine` has a
/// profile with points; `seconds`: for everything, roughly.
ShapeRegret measure_regret(Engine& engine, const MeasuredProblem& measured, double seconds,
                           unsigned seed);

}  // namespace duoblas
