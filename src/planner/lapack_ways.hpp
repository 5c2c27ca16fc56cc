// Whether a program's call of LAPACK is done here or by the program's own library: by what calls of
// its kind took, and before any did by the estimates.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <tuple>
#include <vector>

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
  /// faster, or nearly as fast, is tried until it is known: twice. What is not expected to be the
  /// faster way is looked at again where it costs no more than a part of what calls have taken
  /// since it was: a call may have been disturbed.
  LapackWay choose(const LapackProblem& problem, double ours, double programs);
  /// What a call took.
  void saw(const LapackProblem& problem, LapackWay way, double seconds);

  /// What calls took as bytes, for later processes of the same build on the same machine.
  std::vector<unsigned char> kept();
  /// Begins with that. False, and nothing changes, where it is something else or damaged.
  bool restore(const std::vector<unsigned char>& kept);
  /// Calls `changed` from now on when something worth keeping was seen; it may call kept().
  void tell(std::function<void()> changed);

  static constexpr double worth_a_try = 1.2;
  /// Of the program's time: the estimate is of a machine that was quiet.
  static constexpr double sure_gain = 0.5;
  /// Of what calls have taken since.
  static constexpr double part_for_another_look = 0.01;

 private:
  struct Way {
    WayTimes times;
    double seconds_since = 0;   ///< of calls the other way, since this one was last seen or tried
    bool is_looked_at = false;  ///< its next call is another look
    bool has_begun = true;      ///< false: recalled, and not yet done in this process
  };
  struct Record;
  using Kind = std::tuple<LapackRoutine, Precision, Uplo, int, bool>;
  static Kind kind_of(const LapackProblem& problem);

  std::mutex mutex_;
  std::map<Kind, std::array<Way, 2>> kinds_;
  std::function<void()> changed_;
};

}  // namespace duoblas
