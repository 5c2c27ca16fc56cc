// Threads that all run at the same time, so they may wait for each other, which oneTBB's tasks must
// not. For work whose steps take microseconds.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "cpu/cpu_limits.hpp"
#include "sides/cpu_config.hpp"

namespace duoblas {

/// One caller at a time, whose thread is the first of the team. The threads do not sleep between
/// two pieces of work that follow each other closely. Not used in children of fork().
class ThreadTeam {
 public:
  /// Longer than what a factorisation does between two panels: to wake threads that sleep takes
  /// about as long as a panel.
  static constexpr std::chrono::microseconds between_panels{2000};

  /// `threads` includes the caller's. Fewer if no more can be started. They run on the caller's
  /// cores. After a piece of work they wait awake for `awake`, then they sleep.
  explicit ThreadTeam(int threads, std::chrono::microseconds awake = between_panels);
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  int size() const { return static_cast<int>(threads_.size()) + 1; }

  /// Calls `body(thread)` for 0 to `threads` - 1, all at once; returns when all have returned.
  /// `body` does not throw. \pre 1 <= threads <= size().
  void run(int threads, const std::function<void(int thread)>& body);

 private:
  void serve(int thread);

  const std::chrono::microseconds awake_;
  std::atomic<std::uint32_t> work_{0};  ///< number of the piece of work
  std::atomic<int> at_work_{0};
  int wanted_ = 0;
  const std::function<void(int)>* body_ = nullptr;  ///< null: the end
  std::vector<std::thread> threads_;
};

/// How many of a configuration's threads a team has. `most`: three quarters of them if there are
/// twelve or more, else half. `all`: for a team that does all of the CPU's work.
/// With 16 cores of a Xeon 12 threads took 11.3 ms where 8 took 13.7 for the panels of dgetrf 4096.
enum class TeamShare { half, most, all };

/// How many threads a team would have, if all could be started.
int team_size(const CpuConfig& config, const CpuLimits& limits, TeamShare share);

/// A team on the cores of the configuration, with a share of the threads that the configuration has
/// and the caller allows (ScopedThreadBound). The other threads copy and drive the device
/// meanwhile, and threads that wait for each other every few microseconds gain little from more.
/// \throws std::bad_alloc.
std::unique_ptr<ThreadTeam> team_for(const CpuConfig& config, const CpuLimits& limits,
                                     TeamShare share = TeamShare::half);

/// Spins until `done()`. That comes soon, but other threads may need the core, so now and then it
/// yields. To yield is a system call, which many threads should not make all the time.
template <typename Done>
void wait_awake(Done&& done) {
  constexpr int looks_before_yield = 300;
  for (int looks = 1; !done(); ++looks) {
    if (looks % looks_before_yield == 0) std::this_thread::yield();
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("isb");  // about as long as x86's (Rust's spin_loop has it); most ignore "yield"
#endif
  }
}

/// A barrier for the threads of a team. Each has a cache line of its own in which it reports its
/// arrival.
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
