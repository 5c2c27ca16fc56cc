// Whether to believe the device's timestamps: they are compared with the host's clock whenever the
// host was waiting for the end of the kernels.
#pragma once

#include <atomic>

namespace duoblas {

/// The end of a job's kernels, in seconds from the start of its submit.
struct EndOfKernels {
  double told = 0;      ///< by the timestamps; 0: they tell nothing
  double seen = 0;      ///< by the host
  bool waited = false;  ///< `seen` is the end itself; else the kernels had ended before
};

/// Drivers count from different instants (QUEUED is an instant of the host in the device's time). A
/// wrong timestamp can only be too early here, because `seen` is an upper bound. Then the GPU's
/// share grows until the host waits for it, and that reveals the error. A host that is busy wakes
/// up late, too, so trust that was lost comes back with agreements. Thread-safe.
class TimestampTrust {
 public:
  /// `available`: the queue keeps timestamps.
  explicit TimestampTrust(bool available) : available_(available) {}

  /// There are timestamps, of which believes() is to be asked.
  bool is_available() const { return available_; }
  bool in_use() const {
    return available_ && strikes_.load(std::memory_order_relaxed) < most_strikes;
  }

  /// Whether `told` is possible. If the host waited, this also confirms or weakens the trust.
  bool believes(const EndOfKernels& end) {
    // The host wakes up late, by a tenth of a millisecond or by a lost time slice. The tolerance
    // allows the former; the latter hardly happens three times without an agreement in between.
    const double tolerance = 0.1 * end.seen + 200e-6;
    const bool possible = end.told > 0 && end.told <= end.seen + tolerance &&
                          (!end.waited || end.told >= end.seen - tolerance);
    const bool was_in_use = in_use();
    if (!possible) {
      strikes_.fetch_add(was_in_use ? 1 : 0, std::memory_order_relaxed);
      agreements_.store(0, std::memory_order_relaxed);
    } else if (end.waited) {
      const int agreements = agreements_.fetch_add(1, std::memory_order_relaxed) + 1;
      if (was_in_use || agreements >= enough_agreements)
        strikes_.store(0, std::memory_order_relaxed);
    }
    return possible && was_in_use;
  }

 private:
  static constexpr int most_strikes = 3;
  // In a row. A choice: a driver that counts from another instant is not right so often by chance.
  static constexpr int enough_agreements = 8;
  const bool available_;
  std::atomic<int> strikes_{0}, agreements_{0};
};

}  // namespace duoblas
