// Decides whether several threads copy faster than one, from the times of earlier copies.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>

#include "facts/rates.hpp"

namespace duoblas {

/// A helper thread may share its core with another program's thread, or with a spinning thread of a
/// BLAS. If it is preempted in the middle of a piece, everybody waits for milliseconds, while the
/// whole copy takes a few tenths of one. Then the caller's thread copies alone for a multiple of
/// what was lost, and for twice as many each time that happens again. Not thread-safe.
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
      patience_ = least_patience;
      return;
    }
    const std::chrono::duration<double> by_one(static_cast<double>(bytes) / rate_alone_);
    const auto lost = std::min<std::chrono::duration<double>>(took - by_one, most_lost);
    alone_until_ = now + std::chrono::duration_cast<Clock::duration>(patience_ * lost);
    patience_ = std::min(2 * patience_, most_patience);
  }

 private:
  // Copies that wait take at most a third of the time, and a 64th where that does not end: threads
  // of a BLAS spin for half a millisecond after a call, or for 0.1 s and more.
  static constexpr double least_patience = 2, most_patience = 64;
  // A process that was stopped, or swapped out, has lost more, but not to its helpers.
  static constexpr std::chrono::duration<double> most_lost = std::chrono::milliseconds(100);

  double rate_alone_ = rates::alone_copied_bytes_per_second;  // until it is known
  Clock::time_point alone_until_{};
  double patience_ = least_patience;
};

}  // namespace duoblas
