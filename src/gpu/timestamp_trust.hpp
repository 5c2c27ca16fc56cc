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
/// share grows until the host waits for it, and that reveals the error. Thread-safe.
class TimestampTrust {
 public:
  /// `available`: the queue keeps timestamps.
  explicit TimestampTrust(bool available) : strikes_(available ? 0 : most_strikes) {}

  bool in_use() const { return strikes_.load(std::memory_order_relaxed) < most_strikes; }

  /// Whether `told` is possible. If the host waited, this also confirms or weakens the trust.
  bool believes(const EndOfKernels& end) {
    // The host wakes up late, by a tenth of a millisecond or by a lost time slice. The tolerance
    // allows the former; the latter does not happen three times without an agreement in between.
    const double tolerance = 0.1 * end.seen + 200e-6;
    const bool possible = end.told > 0 && end.told <= end.seen + tolerance &&
                          (!end.waited || end.told >= end.seen - tolerance);
    if (!possible) {
      strikes_.fetch_add(1, std::memory_order_relaxed);
    } else if (end.waited) {
      strikes_.store(0, std::memory_order_relaxed);
    }
    return possible;
  }

 private:
  static constexpr int most_strikes = 3;
  std::atomic<int> strikes_;
};

}  // namespace duoblas
