// Whether a program multiplies for long enough that starting the device pays.
#pragma once

#include <atomic>

namespace duoblas {

/// Starting a device takes a driver 0.2 to 0.3 s of a core (an H200's, beside a BLAS with a thread
/// on every core and at exit), and nobody knows how long a program will go on. So it is started
/// once the calls that it may help took some times as long: a skier buys skis when the rent paid
/// comes to their price (A. R. Karlin, M. S. Manasse, L. Rudolph, D. D. Sleator: Competitive snoopy
/// caching, Algorithmica 3, 1988). Thread-safe.
class StartBet {
 public:
  /// A call that the device may help took the program's own BLAS so long.
  void add(double seconds) noexcept {
    double before = seen_.load(std::memory_order_relaxed);
    while (!seen_.compare_exchange_weak(before, before + seconds, std::memory_order_relaxed)) {
    }
  }
  /// Whether such calls took `needed` seconds so far.
  bool pays(double needed) const noexcept {
    return seen_.load(std::memory_order_relaxed) >= needed;
  }

 private:
  std::atomic<double> seen_{0};
};

}  // namespace duoblas
