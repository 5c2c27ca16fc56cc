// Whether a time is believed that would decide alone: a machine that paused makes any call slow.
#pragma once

namespace duoblas {

struct DoubtedTime {
  bool is_doubted = false;  ///< the last time was

  /// A call took `now`, far longer than `known`. True: it is not believed. The next one is, so that
  /// a way that has become slow is known to be after two calls. `known` 0: nothing is.
  bool is_passing(double now, double known) {
    // A choice. Beside threads that spin, calls took 4.4 times as long.
    constexpr double far = 5;
    is_doubted = !is_doubted && known > 0 && now > far * known;
    return is_doubted;
  }
};

}  // namespace duoblas
