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
  /// Of the best hybrid split; 0 parts if no partition leaves both sides something.
  Share swept;
  double planned = 0, cpu = 0, gpu = 0, hybrid = 0;
  int rounds = 0;
  std::string best;  ///< "cpu", "gpu" or "hybrid"
  /// planned / best - 1. Each round gives a ratio, in which drift of the clock cancels; this is
  /// their median. Below 0 if the plan is faster than all that was swept. Infinite if it could not
  /// be timed.
  double regret = 0;
  /// The same of a choice among CPU-only, GPU-only and the best split by times that were measured
  /// just before. No planner can be expected to do better on this machine.
  double floor = 0;
};

/// Sweeps the share in 16ths, then in 64ths around the best. Then CPU-only, GPU-only, that best and
/// the plan take turns, twice: the first time gives the floor, the second one judges. They are
/// timed anew because the minimum of a sweep is partly luck, which must not count against the plan.
/// `engine` has a profile with points; `seconds`: for everything, roughly.
ShapeRegret measure_regret(Engine& engine, const MeasuredProblem& measured, double seconds,
                           unsigned seed);

}  // namespace duoblas
