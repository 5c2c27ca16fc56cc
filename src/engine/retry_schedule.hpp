// When to try to open a lost device again. Pure arithmetic.
#pragma once

#include <optional>

namespace duoblas {

struct RetryPauses {
  double first = 1, growth = 4;  ///< seconds: 1, 4, 16, 64, 256
  int tries = 5;
  int calls_to_trust = 64;
};

/// Longer and longer pauses; after the last try the device is given up. If a device worked for some
/// calls, the schedule starts again: a laptop may sleep each night.
class RetrySchedule {
 public:
  explicit RetrySchedule(const RetryPauses& pauses) : pauses_(pauses), pause_(pauses.first) {}

  /// Seconds from a loss, or from a failed try, to the next try; nothing: there is none.
  std::optional<double> next_pause() {
    worked_ = 0;
    if (tries_ == pauses_.tries) return {};
    ++tries_;
    const double pause = pause_;
    pause_ *= pauses_.growth;
    return pause;
  }

  /// A call on the device was right.
  void worked() {
    if (tries_ == 0 || ++worked_ < pauses_.calls_to_trust) return;
    *this = RetrySchedule(pauses_);
  }

  int tries() const { return tries_; }

 private:
  RetryPauses pauses_;
  double pause_;
  int tries_ = 0, worked_ = 0;
};

}  // namespace duoblas
