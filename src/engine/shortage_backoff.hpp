// How calls go on where the device is short of memory or another resource: the next one tries
// again, and only where that fails time and again does the device get a rest.
#pragma once

#include <algorithm>
#include <atomic>

namespace duoblas {

/// Thread-safe.
class ShortageBackoff {
 public:
  /// In a row, from the third on, failures are followed by 2, 4, 8 ... calls that do not try.
  static constexpr int free_tries = 2;
  static constexpr int longest_rest = 256;
  /// In a row, after which nobody believes in a shortage.
  static constexpr int most_failed_waits = 3;

  /// Whether this call is to leave the device alone. Counts it.
  bool rests() noexcept {
    int left = resting_.load(std::memory_order_relaxed);
    while (left > 0)
      if (resting_.compare_exchange_weak(left, left - 1, std::memory_order_relaxed)) return true;
    return false;
  }

  /// A call failed for shortage. Returns how many did in a row.
  int failed() noexcept {
    const int failures = failures_.fetch_add(1, std::memory_order_relaxed) + 1;
    if (failures > free_tries)
      resting_.store(1 << std::min(failures - free_tries, doublings), std::memory_order_relaxed);
    return failures;
  }
  /// It did so in the wait for the device, behind all that takes memory.
  void wait_failed() noexcept { failed_waits_.fetch_add(1, std::memory_order_relaxed); }

  /// Whether too many waits failed in a row, calls that failed earlier not counted, or a call that
  /// came after the longest rest did.
  bool is_hopeless() const noexcept {
    return failed_waits_.load(std::memory_order_relaxed) >= most_failed_waits ||
           failures_.load(std::memory_order_relaxed) > free_tries + doublings;
  }

  /// A call was right, or the device is to be another one.
  void succeeded() noexcept {
    for (std::atomic<int>* count : {&failures_, &failed_waits_, &resting_})
      if (count->load(std::memory_order_relaxed) != 0) count->store(0, std::memory_order_relaxed);
  }

 private:
  static constexpr int doublings = 8;
  static_assert(1 << doublings == longest_rest);

  std::atomic<int> failures_{0};      ///< in a row
  std::atomic<int> failed_waits_{0};  ///< since a call was right
  std::atomic<int> resting_{0};       ///< calls that are still to leave the device alone
};

}  // namespace duoblas
