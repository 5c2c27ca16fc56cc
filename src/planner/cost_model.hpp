// What calls take on a tuned machine: time models per element type and op pair, and the measured
// times beside them. Made once from a profile, then read by any thread. call_estimate.hpp makes
// estimates of single calls from it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "facts/rates.hpp"
#include "planner/point_timings.hpp"
#include "problem/gemm_problem.hpp"
#include "profile/profile.hpp"

namespace duoblas {

/// A tuned point as estimates need it.
struct ModelPoint {
  double log_m = 0, log_n = 0, log_k = 0;
  /// log(measured / time model) per Timed, then log(whole call / (slower side + join)).
  std::array<double, timed_models + 1> log_residual{};
  std::array<double, timed_models + 1> measured{};  ///< 1, or 0: not measured
  std::uint32_t place = 0;                          ///< in Profile::points
};

/// The points of one element type and op pair, and the time models through them.
struct ModelGroup {
  std::size_t first = 0, count = 0;  ///< in CostModel's points
  std::array<TimeModel, timed_models> time_models;
  double join_seconds = 0;  ///< by which a split call takes longer than its slower side, at least
  /// The highest rate at which any call was seen to pass over its operands.
  double bytes_per_second = 0;
  /// Seconds per byte of C that beta != 0 adds to a call. Negative if it takes less, as with a BLAS
  /// that fills C with zeros and adds to them.
  double cpu_update_seconds = 0, gpu_update_seconds = 1 / rates::copied_bytes_per_second;
  bool knows_updates = false;  ///< these were measured
  /// How far calls of one plan are apart: the median of the points' noise.
  double noise = 0;

  const TimeModel& time_model(Timed what) const { return time_models[place_of(what)]; }
};

class CostModel {
 public:
  explicit CostModel(const Profile& profile);

  /// The points to use for this type and these ops: with the same ops if there are any, else with
  /// any ops. Null: the type was not tuned.
  const ModelGroup* group(Precision precision, Op op_a, Op op_b) const;
  const ModelPoint* points(const ModelGroup& group) const { return points_.data() + group.first; }

 private:
  static constexpr std::size_t pairs = 9, types = 4;
  static std::size_t key(Precision precision, Op op_a, Op op_b);
  ModelGroup modelled(const Profile& profile, const std::vector<std::uint32_t>& places);

  std::vector<ModelPoint> points_;
  std::array<ModelGroup, types * pairs + types> groups_;  ///< the last: any ops
};

}  // namespace duoblas
