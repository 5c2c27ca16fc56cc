// Whether several threads copy faster than one, by what copies took.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace duoblas {

/// A helper that shares its core with another program's thread, or with one of a BLAS that spins,
/// may be put aside in the middle of a piece, and everybody waits for it: for milliseconds, where
/// the copy takes some tenths of one. Then the caller's thread copies alone for a while. Not
/// thread-safe.
class CopyPace {
 public:
  using Clock = std::chrono::steady_clock;

  bool is_alone(Clock::time_point now) const { return now < alone_until_; }

  /// What a copy took that began when is_alone() was this.
  void note(bool alone, std::size_t bytes, Clock::duration took, Clock::time_point now) {
    const double rate = static_cast<double>(bytes) / std::chrono::duration<double>(took).count();
    if (alone) {
      rate_alone_ = rate;
      return;
    }
    // What takes less than a millisecond has waited for nobody.
    if (took < std::chrono::milliseconds(1) || rate >= rate_alone_) {
      pause_ = shortest_pause;
      return;
    }
    alone_until_ = now + pause_;
    pause_ = std::min(2 * pause_, longest_pause);
  }

 private:
  // Threads of OpenBLAS spin for up to 32 ms.
  static constexpr Clock::duration shortest_pause = std::chrono::milliseconds(20);
  static constexpr Clock::duration longest_pause = std::chrono::milliseconds(320);

  // Until it is known: less than half of what one core of an H200's host copies
  // (bench_host_transfers).
  double rate_alone_ = 4e9;
  Clock::time_point alone_until_{};
  Clock::duration pause_ = shortest_pause;
};

}  // namespace duoblas
