// Opens a device again after it was lost (the machine slept, its driver was replaced, it was
// unplugged), while the CPU does the program's calls.
#pragma once

#include <functional>
#include <memory>
#include <optional>

namespace duoblas {

/// When to try to open a lost device again. Pure arithmetic.
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

/// Thread-safe.
class Reopening {
 public:
  /// `try_again` opens the device, and returns whether there is one. `say` gets the result. Both
  /// are called on a thread of the library, and never after this object is destroyed.
  struct Actions {
    std::function<bool()> try_again;
    std::function<void(const char*)> say;
  };
  Reopening(Actions actions, const RetryPauses& pauses);
  ~Reopening();  ///< waits for a running try
  Reopening(const Reopening&) = delete;
  Reopening& operator=(const Reopening&) = delete;

  /// The device was lost: is_unavailable() until it is open again. That is tried after a pause.
  /// Several calls may report the same loss.
  void lost() noexcept;
  /// A call on the device was right.
  void worked() noexcept;
  bool is_unavailable() const noexcept;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace duoblas
