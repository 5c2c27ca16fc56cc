// What one call would take by each strategy, and the share that balances its sides. Lives on the
// stack of one planning call. Refers to the model, profile and problem; owns nothing.
#pragma once

#include <limits>

#include "planner/cost_model.hpp"
#include "planner/learner.hpp"
#include "planner/plan_cut.hpp"

namespace duoblas {

/// As the tuner's finest: a part of 64 is 1.6 % of C.
inline constexpr int finest_share_parts = 64;

/// A cut, with the seconds expected of it.
struct SplitCall {
  Share share;  ///< that the cut was rounded from
  PlannedCut cut;
  double seconds = std::numeric_limits<double>::infinity();  ///< where it leaves a side nothing
};

/// Rows of C for both sides, with their cut, or for the GPU alone.
struct EntryRows {
  std::int64_t rows = 0;
  SplitCall both;
  double seconds = std::numeric_limits<double>::infinity();  ///< of the whole call
  Forecast forecast;  ///< of these rows, but for the CPU alone, which is of all of C
};

/// Estimates for one problem; cheap to make, nothing is allocated. Between the tuned points each
/// time model's residual over what was measured is interpolated by inverse distance in log m, log
/// n, log k (D. Shepard, 1968), so that at a tuned shape the estimates are what was measured.
/// Infinite where nothing is known. Only references are kept.
class CallEstimate {
 public:
  /// `group` is of `model`; the problem may be of another element type, whose times are then scaled
  /// by the work and the bytes of an element. `learned`: what calls showed of such times, by which
  /// estimates are multiplied; null: nothing.
  CallEstimate(const CostModel& model, const ModelGroup& group, const Profile& profile,
               const GemmProblem& problem, const LearnedTimes* learned = nullptr);

  /// The tuned point nearest to the problem.
  const TunedPoint& nearest() const { return *nearest_; }
  /// The problem has the nearest point's sizes.
  bool is_tuned() const;
  /// How far the nearest point is along the worst axis, in natural logarithms of the size.
  double log_distance() const { return log_distance_; }

  /// The part of the GPU's time by which sharing must be faster to be worth it. Nothing at a tuned
  /// shape; elsewhere the spread between calls of one plan, because sharing rests on two estimates:
  /// both place the cut, and the slower side's time counts.
  double needed_gain_by_sharing() const;

  double cpu_seconds() const;
  double gpu_seconds(const GpuConfig& gpu_config) const;
  double hybrid_seconds(const PlannedCut& cut, const GpuConfig& gpu_config) const;

  /// At a tuned shape the tuned share, unless calls or updates have shown otherwise. Elsewhere the
  /// fastest cut in 64ths by the estimates; along columns too if rows round coarsely.
  SplitCall balanced(const GpuConfig& gpu_config) const;

  /// The most rows for the GPU such that the call takes at most `allowance` longer than the CPU
  /// alone, even if the GPU takes `worst` times as long as expected. No rows if there are none
  /// such, or if the CPU side's own expected time would use more than a quarter of the allowance: a
  /// stand-in's CPU side has half of the cores, and smaller calls show the same for less.
  SplitCall careful(const GpuConfig& gpu_config, double worst, double allowance) const;

  /// The same for a CPU side with fewer cores than the CPU alone, such as a stand-in's. Both sides
  /// get half of C's rows at most, so many that they take at most `allowance` longer than the CPU
  /// alone would take for these rows, even if the GPU takes `worst` times as long as expected. The
  /// CPU alone does the other rows afterwards. 0 rows: there are none such.
  EntryRows entry(const GpuConfig& gpu_config, double worst, double allowance) const;

  /// The same with rows that the GPU does alone.
  EntryRows entry_alone(const GpuConfig& gpu_config, double worst, double allowance) const;

  /// The cost model's estimates, without learned factors, for each side's part of the cut.
  Forecast forecast(const PlannedCut& cut, const GpuConfig& gpu_config) const;

 private:
  EntryRows entry_of(const GemmProblem& first, double seconds, const PlannedCut& cut,
                     const GpuConfig& gpu_config) const;
  /// Of a part of the problem, by the same time models and residuals.
  CallEstimate of_part(const GemmProblem& part) const;

  double timed(Timed what, const WorkSizes& sizes) const;
  double added_copies(const WorkSizes& sizes) const;
  double updating(double seconds, double seconds_per_byte, const WorkSizes& sizes) const;
  double streaming_seconds(const PlannedCut& cut, const GpuConfig& gpu_config) const;
  double at_least_alone(double beside, double alone) const;
  double gpu_side(const PlannedCut& cut, const GpuConfig& gpu_config) const;
  double cpu_side(const PlannedCut& cut) const;
  double modelled_cpu() const;
  double modelled_gpu(const GpuConfig& gpu_config) const;
  double modelled_gpu_side(const PlannedCut& cut, const GpuConfig& gpu_config) const;
  double modelled_cpu_side(const PlannedCut& cut) const;
  double factor(Timed what, double part) const;
  double log_part(double part) const;
  bool follows_calls() const;
  double least_seconds() const;
  SplitCall split_call(const PlannedCut& cut, Share share, const GpuConfig& gpu_config) const;
  SplitCall balanced_along(Axis axis, const GpuConfig& gpu_config) const;

  const ModelGroup& group_;
  const GemmProblem* problem_;
  const LearnedTimes* learned_;
  const TunedPoint* nearest_ = nullptr;
  double log_distance_ = 0;
  double part_ = 1;       ///< of the problem that is learned from: that of which this is a part
  TypeRatio type_ratio_;  ///< of the problem's type over the points'
  std::array<double, timed_models + 1> residual_{};
};

}  // namespace duoblas
