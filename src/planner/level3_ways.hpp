// Whether a level-3 call goes as one job of the device or by halves, where both use the device: by
// what calls of its kind took, and before any did by the estimates. And what the CPU BLAS's own
// routine was seen to take.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <tuple>

#include "planner/way_times.hpp"
#include "problem/level3_problem.hpp"

namespace duoblas {

enum class Level3Choice { job, halves, cpu };

/// Thread-safe. Calls are alike that have the routine, type, side and op, and flops within a power
/// of two.
class Level3Ways {
 public:
  /// Job or halves. Seconds that the call is estimated to take each way; one that is not expected
  /// to take much longer is tried a few times.
  Level3Choice choose(const Level3Problem& problem, double job, double halves);
  /// What a call took.
  void saw(const Level3Problem& problem, Level3Choice way, double seconds);

  /// What such calls took that way; nothing: too few were seen.
  std::optional<double> seen_seconds(const Level3Problem& problem, Level3Choice way);

  /// Calls of each way before it is left for good: the first waits for memory and kernels, and
  /// counts for nothing.
  static constexpr int tries = 3;
  /// Against the other way's time.
  static constexpr double worth_a_try = 1.5;

 private:
  using Kind = std::tuple<Routine, Precision, Side, Op, int>;
  static Kind kind_of(const Level3Problem& problem);

  std::mutex mutex_;
  std::map<Kind, std::array<WayTimes, 3>> kinds_;
};

}  // namespace duoblas
