// What a call would take, from what a tuned one took: enough to send a shape to the right side.
#pragma once

#include "plan/profile.hpp"
#include "problem/gemm_problem.hpp"

namespace duoblas {

/// Estimated seconds of one whole call per strategy; infinite where nothing is known.
struct CallTimes {
  double cpu_all;
  double gpu;
  double hybrid;
};

/// Scales the point's times to the problem: rates by flops, plus what does not shrink with the
/// flops: the launch, the memory traffic of shapes with little work per byte, copies to a device
/// that does not share memory, and the save of a C that is both read and shared.
/// `crossover_flops` as in Profile.
CallTimes estimate_times(const TunedPoint& point, const GemmProblem& problem,
                         double crossover_flops);

}  // namespace duoblas
