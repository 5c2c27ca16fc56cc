// Decides whether several threads copy faster than one, from the times of earlier copies.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>

#include "facts/rates.hpp"

namespace duoblas {

/// A helper thread may share its core with another program's thread, or with a spinning thread of a
/// BLAS. If it is preempted in the middle of a piece, everybody waits for milliseconds, while the
/// whole copy takes a few tenths of one. Then the caller's thread copies alone for a while. Not
/// thread-safe.
class CopyPace {
 public:
  using Clock = std::chrono::steady_clock;

  bool is_alone(Clock::time_point now) const { return now < alone_until_; }

  /// Learns from a copy that began when is_alone() was `alone`.
  void note(bool alone, std::size_t bytes, Clock::duration took, Clock::time_point now) {
    const double rate = static_cast<double>(bytes) / std::chrono::duration<double>(took).count();
    if (alone) {
      rate_alone_ = rate;
      return;
    }
    // A copy of less than a millisecond has not waited for a preempted helper.
    if (took < std::chrono::milliseconds(1) || rate >= rate_alone_) {
      pause_ = shortest_pause;
      return;
    }
    alone_until_ = now + pause_;
    pause_ = std::min(2 * pause_, longest_pause);
  }

 private:
  // Threads of OpenBLAS spin for 1 to 2 ms after a call; if the user has set another time, or they
  // are another library's, for 0.1 s and more (dropin/shim/settings.h).
  static constexpr Clock::duration shortest_pause = std::chrono::milliseconds(20);
  static constexpr Clock::duration longest_pause = std::chrono::milliseconds(320);

  double rate_alone_ = rates::alone_copied_bytes_per_second;  // until it is known
  Clock::time_point alone_until_{};
  Clock::duration pause_ = shortest_pause;
};

}  // namespace duoblas
