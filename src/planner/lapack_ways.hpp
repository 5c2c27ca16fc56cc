// Whether a program's call of LAPACK is done here or by the program's own library: by what calls of
// its kind took, and before any did by the estimates.
#pragma once

#include <array>
#include <map>
#include <mutex>
#include <tuple>

#include "planner/way_times.hpp"
#include "problem/lapack_problem.hpp"

namespace duoblas {

enum class LapackWay { programs, ours };

/// Thread-safe. Calls are alike that have the routine, type and triangle, flops within a factor of
/// two, and one or several right-hand sides.
class LapackWays {
 public:
  /// \param ours, programs seconds that the call is estimated to take each way.
  ///
  /// Before the program's library has shown its time, the call is ours only where it takes, or is
  /// expected to take, half of what that is estimated to. Once it has, what is expected to be
  /// faster, or nearly as fast, is tried until it is known: twice.
  LapackWay choose(const LapackProblem& problem, double ours, double programs);
  /// What a call took.
  void saw(const LapackProblem& problem, LapackWay way, double seconds);

  static constexpr double worth_a_try = 1.2;
  /// Of the program's time: the estimate is of a machine that was quiet.
  static constexpr double sure_gain = 0.5;

 private:
  using Kind = std::tuple<LapackRoutine, Precision, Uplo, int, bool>;
  static Kind kind_of(const LapackProblem& problem);

  std::mutex mutex_;
  std::map<Kind, std::array<WayTimes, 2>> kinds_;
};

}  // namespace duoblas
