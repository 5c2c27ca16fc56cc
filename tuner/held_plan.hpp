// Does a plan still win against its neighbours? One that does not moves to the best of them.
#pragma once

#include <functional>
#include <vector>

#include "profile/profile.hpp"
#include "tuner/search/strategy.hpp"

namespace duoblas {

struct HeldPlan {
  /// With the plan that won, and all times as they were measured now.
  TunedPoint point;
  /// Nothing beats that plan. False: there was no time to find the best.
  bool holds = false;
  /// The time of the CPU on all cores, and of the GPU alone, now over what it was. 0: not known.
  double cpu = 0, gpu = 0;
};

/// Where the point's plan and its neighbours lie: its kernels first, then `others`. `side` is what
/// the CPU is beside the GPU, `all` what it is alone.
SearchSpace space_around(const TunedPoint& point, const std::vector<KernelParams>& others,
                         const CpuConfig& side, const CpuConfig& all);

/// Measures the plan in turns with the GPU alone, the simple pair, a sixteenth to a quarter more
/// and less on the GPU, and all kernels of the space. If one of them beats_choice(), its split is
/// searched, and that is the plan, and so on until nothing beats it. Of the CPU alone the times are
/// taken: whether it is faster is for calls to decide, by these. \pre `space` is
/// space_around(point).
HeldPlan held_plan(Evaluator& evaluator, const SearchSpace& space, const TunedPoint& point,
                   const std::function<bool()>& time_is_up);

/// Seconds that the first batch of it takes, about.
double seconds_of_holding(const TunedPoint& point, const SearchSpace& space);

}  // namespace duoblas
