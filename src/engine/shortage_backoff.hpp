// How calls go on if the device is short of memory or another resource. The next call tries again;
// only after repeated failures some calls leave the device alone.
#pragma once

#include <algorithm>
#include <atomic>

namespace duoblas {

/// Thread-safe.
class ShortageBackoff {
 public:
  /// From the third failure in a row on, 2, 4, 8 ... calls do not try.
  static constexpr int free_tries = 2;
  static constexpr int longest_rest = 256;
  /// After so many in a row it cannot be a shortage.
  static constexpr int most_failed_waits = 3;

  /// Whether this call must leave the device alone. Counts it.
  bool rests() noexcept {
    int left = resting_.load(std::memory_order_relaxed);
    while (left > 0)
      if (resting_.compare_exchange_weak(left, left - 1, std::memory_order_relaxed)) return true;
    return false;
  }

  /// A call failed for a shortage. No rest is longer than `most` calls. Returns how many failed in
  /// a row.
  int failed(int most = longest_rest) noexcept {
    const int failures = failures_.fetch_add(1, std::memory_order_relaxed) + 1;
    if (failures > free_tries)
      resting_.store(std::min(1 << std::min(failures - free_tries, doublings), most),
                     std::memory_order_relaxed);
    return failures;
  }
  /// It failed in the wait for the device, after everything that takes memory.
  void wait_failed() noexcept { failed_waits_.fetch_add(1, std::memory_order_relaxed); }

  /// Whether too many waits failed in a row, without counting calls that failed earlier; or a call
  /// failed after the longest rest.
  bool is_hopeless() const noexcept {
    return failed_waits_.load(std::memory_order_relaxed) >= most_failed_waits ||
           failures_.load(std::memory_order_relaxed) > free_tries + doublings;
  }

  /// A call was right, or another device is used.
  void succeeded() noexcept {
    for (std::atomic<int>* count : {&failures_, &failed_waits_, &resting_})
      if (count->load(std::memory_order_relaxed) != 0) count->store(0, std::memory_order_relaxed);
  }

 private:
  static constexpr int doublings = 8;
  static_assert(1 << doublings == longest_rest);

  std::atomic<int> failures_{0};      ///< in a row
  std::atomic<int> failed_waits_{0};  ///< since a call was right
  std::atomic<int> resting_{0};       ///< calls that will still leave the device alone
};

}  // namespace duoblas
