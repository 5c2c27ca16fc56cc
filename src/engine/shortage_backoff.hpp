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
      resting_.store(1 << std::min(failures - free_tries, 8), std::memory_order_relaxed);
    return failures;
  }

  void succeeded() noexcept {
    if (failures_.load(std::memory_order_relaxed) != 0)
      failures_.store(0, std::memory_order_relaxed);
  }

 private:
  std::atomic<int> failures_{0};  ///< in a row
  std::atomic<int> resting_{0};   ///< calls that are still to leave the device alone
};

static_assert(1 << 8 == ShortageBackoff::longest_rest);

}  // namespace duoblas
