// Whether a program's call of LAPACK is done here or by the program's own library. What calls of
// its kind took decides; before any did, the estimates. The engine owns one, and keeps its bytes.
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

/// Thread-safe. Calls are alike if they have the same routine, type and triangle, flops within a
/// factor of two, and both one or both several right-hand sides.
class LapackSelector {
 public:
  /// \param ours, programs seconds that the call is estimated to take each way.
  ///
  /// Until the program's library has shown its time, the call is ours only if our way takes, or is
  /// expected to take, half of the library's estimate. Afterwards a way that is expected to be
  /// faster, or nearly as fast, is tried until its time is known: twice. The way that is expected
  /// to be slower is tried again when that costs no more than a small part of what calls have taken
  /// since it was last tried: a call may have been disturbed.
  LapackWay choose(const LapackProblem& problem, double ours, double programs);
  /// What a call took.
  void saw(const LapackProblem& problem, LapackWay way, double seconds);

  /// What calls took as bytes, for later processes of the same build on the same machine.
  std::vector<unsigned char> kept();
  /// Begins with that. False, and nothing changes: the bytes are damaged or of another kind.
  bool restore(const std::vector<unsigned char>& kept);
  /// Calls `changed` from now on when something worth keeping was seen; it may call kept().
  void tell(std::function<void()> changed);

  static constexpr double worth_a_try = 1.2;
  /// Part of the program's time. The estimate is of a machine that was quiet.
  static constexpr double sure_gain = 0.5;
  /// Part of what calls have taken since.
  static constexpr double exploration_part = 0.01;

 private:
  struct Way {
    WayTimes times;
    double seconds_since = 0;     ///< of calls the other way, since this one was last seen or tried
    bool is_exploration = false;  ///< its next call is an exploration
    bool has_begun = true;        ///< false: recalled, and not yet done in this process
  };
  struct Record;
  using Kind = std::tuple<LapackRoutine, Precision, Uplo, int, bool>;
  static Kind kind_of(const LapackProblem& problem);

  std::mutex mutex_;
  std::map<Kind, std::array<Way, 2>> kinds_;
  std::function<void()> changed_;
};

}  // namespace duoblas
