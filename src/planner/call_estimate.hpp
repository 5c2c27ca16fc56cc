// What one call would take with each strategy, and the share that balances its sides. Lives on the
// stack of one planning call. Refers to the model, profile and problem; owns nothing.
#pragma once

#include <array>
#include <cstdint>

#include "planner/cost_model.hpp"
#include "planner/learner.hpp"
#include "planner/planned_partition.hpp"

namespace duoblas {

/// The finest share, the same as the tuner's: a 64th is 1.6 % of C.
inline constexpr int finest_share_parts = 64;

/// A partition, with the seconds expected of it.
struct SplitCall {
  Share share;  ///< that the partition was rounded from
  PlannedPartition partition;
  double seconds = endless;  ///< if it leaves a side nothing
};

/// Rows of C for both sides, with their partition, or for the GPU alone.
struct EntryRows {
  std::int64_t rows = 0;
  SplitCall at;
  double seconds = endless;  ///< of the whole call
  Forecast forecast;         ///< of these rows; the CPU alone is estimated for all of C
};

/// Estimates for one problem. Cheap to make: nothing is allocated, only references are kept.
/// Between tuned points the residual of each time model is interpolated by inverse distance in log
/// m, log n, log k (D. Shepard, 1968). So at a tuned shape the estimates are the measured times.
/// Infinite if nothing is known.
class CallEstimate {
 public:
  /// `group` is of `model`. The problem may have another element type; times are then scaled by the
  /// work and the bytes of an element. `learned`: factors that calls showed, by which estimates are
  /// multiplied; null: none.
  CallEstimate(const CostModel& model, const ModelGroup& group, const Profile& profile,
               const GemmProblem& problem, const LearnedTimes* learned = nullptr);

  /// The tuned point nearest to the problem.
  const TunedPoint& nearest() const { return *nearest_; }
  /// The problem has the nearest point's sizes.
  bool is_tuned() const { return is_tuned_; }
  /// The distance to the nearest point along the worst axis, as a natural logarithm of the size.
  double log_distance() const { return log_distance_; }

  /// Sharing must be faster than the GPU alone by this part of the GPU's time. 0 at a tuned shape.
  /// Elsewhere it is the spread between calls of one plan, because sharing rests on two estimates:
  /// both place the partition, and the slower side's time counts.
  double needed_gain_by_sharing() const;
  /// Whether calls showed the time of a side that works beside the other one.
  bool follows_calls() const;

  double cpu_seconds() const;
  double gpu_seconds(const GpuConfig& gpu_config) const;
  double hybrid_seconds(const PlannedPartition& partition, const GpuConfig& gpu_config) const;

  /// At a tuned shape the tuned share, unless calls or updates have shown otherwise. Elsewhere the
  /// fastest partition in 64ths by the estimates; along columns too if rows round coarsely.
  SplitCall balanced(const GpuConfig& gpu_config) const;

  /// The most rows, or columns where C has too few rows for that, for the GPU such that the call
  /// takes at most `allowance` longer than the CPU alone, even if the GPU takes `worst` times as
  /// long as expected. Nothing if there is no such number, or if the CPU side's own expected time
  /// would use more than a quarter of the allowance. A stand-in's CPU side has half of the cores,
  /// and smaller calls show the same for less.
  SplitCall careful(const GpuConfig& gpu_config, double worst, double allowance) const;

  /// The same for a CPU side with fewer cores than the CPU alone, such as a stand-in's. Both sides
  /// together get at most half of C's rows. They take at most `allowance` longer than the CPU alone
  /// would take for these rows, even if the GPU takes `worst` times as long as expected. The CPU
  /// alone does the other rows afterwards. 0 rows: there is no such number.
  EntryRows entry(const GpuConfig& gpu_config, double worst, double allowance) const;

  /// The cost model's estimates, without learned factors, for each side's part of the partition.
  Forecast forecast(const PlannedPartition& partition, const GpuConfig& gpu_config) const;

 private:
  void estimate(const GemmProblem& problem);
  EntryRows entry_of(const GemmProblem& first, const SplitCall& at,
                     const GpuConfig& gpu_config) const;
  /// For a part of the problem, by the same time models and residuals.
  CallEstimate of_part(const GemmProblem& part) const;

  double timed(Timed what, const WorkSizes& sizes) const;
  double added_copies(const WorkSizes& sizes) const;
  double updating(double seconds, double seconds_per_byte, const WorkSizes& sizes) const;
  double streaming_seconds(const PlannedPartition& partition, const GpuConfig& gpu_config) const;
  double at_least_alone(double beside, Timed alone, const WorkSizes& sizes) const;
  double gpu_side(const PlannedPartition& partition, const GpuConfig& gpu_config) const;
  double cpu_side(const PlannedPartition& partition) const;
  double modelled_gpu(const GpuConfig& gpu_config) const;
  double modelled_gpu_side(const PlannedPartition& partition, const GpuConfig& gpu_config) const;
  double modelled_cpu_side(const PlannedPartition& partition) const;
  double factor(Timed what, double part) const;
  double log_part(double part) const;
  double whole_seconds(double gpu_side, double cpu_side) const;
  SplitCall split_call(const PlannedPartition& partition, Share share,
                       const GpuConfig& gpu_config) const;
  SplitCall balanced_along(Axis axis, const GpuConfig& gpu_config) const;
  SplitCall careful_along(Axis axis, const GpuConfig& gpu_config, double worst,
                          double allowance) const;

  const ModelGroup& group_;
  const GemmProblem* problem_ = nullptr;
  const LearnedTimes* learned_;
  const TunedPoint* nearest_ = nullptr;
  bool is_tuned_ = false;
  double log_distance_ = 0;
  /// The part of C that this estimates, of the problem whose calls are learned from.
  double part_ = 1;
  std::array<TimeModel, timed_models> time_models_;  ///< of the problem's type
  std::array<double, timed_models + 1> residual_{};
  std::array<double, timed_models> factors_{};  ///< that calls showed, of the parts they had
  double least_seconds_ = 0, modelled_cpu_ = 0;
};

}  // namespace duoblas
