// A barrier for the threads of a team.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "cpu/thread_team.hpp"

namespace duoblas {

/// For `threads` threads. Each has a cache line of its own in which it reports its arrival.
class ThreadBarrier {
 public:
  explicit ThreadBarrier(int threads) : arrived_(static_cast<std::size_t>(threads)) {}

  /// Returns when all threads have called it as often as this one. Their earlier writes are visible
  /// then.
  void wait(int thread) {
    Arrival& own = arrived_[static_cast<std::size_t>(thread)];
    const std::uint32_t times = own.count.load(std::memory_order_relaxed) + 1;
    own.count.store(times, std::memory_order_release);
    for (const Arrival& other : arrived_)
      wait_awake([&] {
        return static_cast<std::int32_t>(other.count.load(std::memory_order_acquire) - times) >= 0;
      });
  }

 private:
  struct alignas(64) Arrival {
    std::atomic<std::uint32_t> count{0};
  };
  std::vector<Arrival> arrived_;
};

}  // namespace duoblas
