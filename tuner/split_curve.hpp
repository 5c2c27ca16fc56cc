// What each share of the GPU costs at one problem: the picture of a hybrid call.
#pragma once

#include <optional>
#include <vector>

#include "tuner/comparison.hpp"
#include "tuner/split_sample.hpp"

namespace duoblas {

struct SplitCurveRules {
  int parts = 16;  ///< shares of so many, 0 and all of them included
  int rounds = 5;  ///< every share once per round, in a new order each time
  /// No new round is begun after it, but three are always made.
  double seconds = 20;
  unsigned seed = 1;
};

struct SplitCurve {
  ComparisonProblem problem;
  std::vector<SplitSample> samples;  ///< by share, from none to all; medians
  std::optional<double> chosen;      ///< the co-tuned hybrid's share; nothing where it is one side
};

/// The settings of an engine that knows when a GPU ended that nobody waited for: the split curve's.
Settings split_curve_settings(Settings settings);

/// With the co-tuned kernel of the profile's nearest point (the built-in one where there is none).
/// Share 0 is the CPU side's cores alone. Where the device does not say when it ended, the GPU's
/// time is left out of the shares at which the CPU ended last. No samples where there is no device.
/// \throws CpuBlasError.
SplitCurve measure_split_curve(Engine& engine, const ComparisonProblem& problem,
                               const Profile& profile, const SplitCurveRules& rules);

}  // namespace duoblas
