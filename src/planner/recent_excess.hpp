// How many times longer than expected calls took, on the mean of the recent ones.
#pragma once

#include <algorithm>
#include <utility>

#include "planner/unseen_seconds.hpp"
#include "planner/way.hpp"

namespace duoblas {

/// A posterior follows the usual time of a class, and takes a few slow calls for disturbances. If
/// they come again and again, because the class has calls that a side is slower for, the mean is
/// longer than the usual time. What calls cost is their mean.
class RecentExcess {
 public:
  /// A slow call counts with the next call. Until then it may be the first one of a change, which
  /// the posterior finds out; the owner forgets the excess then.
  void saw(double seconds, double expected) {
    if (!(seconds > 0 && expected > 0)) return;
    if (mean_.expected <= 0) mean_ = {expected, expected};
    const Times call{std::min(seconds, most_at_once * expected), expected};
    const bool is_slow = seconds > clearly * expected;
    add(std::exchange(last_slow_, is_slow ? call : Times{}));
    if (!is_slow) add(call);
  }

  /// A call of another strategy: what is known becomes old.
  void fade() { mean_.seconds -= UnseenSeconds::part * (mean_.seconds - mean_.expected); }

  /// 1: they took about as long as expected.
  double factor() const {
    if (mean_.expected <= 0) return 1;
    const double excess = mean_.seconds / mean_.expected;
    return excess > clearly ? excess : 1;
  }

 private:
  struct Times {
    double seconds = 0, expected = 0;
  };

  // Tuned on simulated machines (mixed_class_test).
  static constexpr double part_of_call = 1.0 / 24, most_at_once = 4;

  void add(const Times& call) {
    if (call.expected <= 0) return;
    mean_.seconds += part_of_call * (call.seconds - mean_.seconds);
    mean_.expected += part_of_call * (call.expected - mean_.expected);
  }

  Times mean_, last_slow_;  ///< last_slow_: of the last call if that was slow, not yet counted
};

}  // namespace duoblas
