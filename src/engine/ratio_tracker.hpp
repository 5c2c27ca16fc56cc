// What has become of the ratio of the two sides' speeds, from one noisy call after another.
#pragma once

#include <array>

namespace duoblas {

/// One call's evidence: ln of (GPU's speed / CPU's speed), relative to what the plan assumed.
struct RatioSample {
  double log_ratio = 0;
  /// The GPU was done before the CPU, nobody knows how long: the true value is this or larger.
  bool at_least = false;
};

/// Estimates the ratio and says which correction to apply. The estimate is a running mean over
/// ten calls; a residual counts no more than `reach` times the usual one (Huber's
/// M-estimator, 1964), so that a single disturbed call moves nothing; three of them in a row on
/// one side are a change, and the estimate starts again from their median. Bounds alone never say
/// where the ratio is: after `patience` calls without a measurement the correction is raised step
/// by step until the GPU is waited for; where that finds what was known before, patience doubles.
class RatioTracker {
 public:
  void add(const RatioSample& sample);

  /// The correction to apply to ln of the odds of the plan's share. It stays where it is while the
  /// estimate is nearer than the dead band, and else goes a part of the way.
  double correction() const { return applied_; }
  /// Half the width of the dead band, as wide as the noise seen so far makes it.
  double dead_band() const;

 private:
  void add_measured(double value);
  void add_bound(double value);
  void restart_at(double value);
  bool is_third_outlier(double residual);
  void approach();

  double estimate_ = 0;
  double applied_ = 0;
  double spread_ = 0.05;  ///< mean absolute residual
  int weight_ = 3;        ///< calls that the estimate is the mean of; the plan counts as three
  bool moving_ = false;

  std::array<double, 3> outliers_{};  ///< residuals in a row on the same side
  int outlier_count_ = 0;

  double last_bound_ = 0;
  int bounds_in_a_row_ = 0;
  int patience_ = 2;
  int probes_ = 0;  ///< steps upwards since the last measurement
  double before_probing_ = 0;
};

}  // namespace duoblas
