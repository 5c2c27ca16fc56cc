// The time at each share of the GPU for one problem.
#pragma once

#include <optional>
#include <vector>

#include "tuner/comparison.hpp"
#include "tuner/split_sample.hpp"

namespace duoblas {

struct SplitCurveRules {
  int parts = 16;  ///< the number of shares, from 0 to all of them
  int rounds = 5;  ///< every share once per round, in a new order each time
  /// No new round begins after this time, but three are always made.
  double seconds = 20;
  unsigned seed = 1;
};

struct SplitCurve {
  ComparisonProblem problem;
  std::vector<SplitSample> samples;  ///< by share, from none to all; medians
  std::optional<double> chosen;      ///< the co-tuned hybrid's share; nothing if it is one side
};

/// Settings for split curves: the engine then knows when a GPU ended even if nobody waited for it.
Settings split_curve_settings(Settings settings);

/// Uses the co-tuned kernel of the profile's nearest point, or the built-in one if there is none.
/// Share 0 is the CPU side's cores alone. If the device does not report when it ended, the GPU's
/// time is missing at shares where the CPU ended last. No samples if there is no device. \throws
/// CpuBlasError.
SplitCurve measure_split_curve(Engine& engine, const ComparisonProblem& problem,
                               const Profile& profile, const SplitCurveRules& rules);

}  // namespace duoblas
