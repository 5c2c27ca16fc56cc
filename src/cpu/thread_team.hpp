// Threads that all run at the same time, so that they may wait for each other: what oneTBB's tasks
// may not. For work whose steps take microseconds.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "cpu/cpu_config.hpp"
#include "cpu/cpu_limits.hpp"

namespace duoblas {

/// One caller at a time, whose thread is the first of the team. Between two pieces of work that
/// follow each other closely its threads do not sleep. Not used in children of fork().
class ThreadTeam {
 public:
  /// `threads` with the caller's; fewer where no more can be had. They run where the caller may.
  explicit ThreadTeam(int threads);
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  int size() const { return static_cast<int>(threads_.size()) + 1; }

  /// Calls `body(thread)` for 0 to `threads` - 1, all at once; returns when all have returned.
  /// `body` does not throw. \pre 1 <= threads <= size().
  void run(int threads, const std::function<void(int thread)>& body);

 private:
  void serve(int thread);

  std::atomic<std::uint32_t> work_{0};  ///< number of the piece of work
  std::atomic<int> at_work_{0};
  int wanted_ = 0;
  const std::function<void(int)>* body_ = nullptr;  ///< null: the end
  std::vector<std::thread> threads_;
};

/// On the cores of the configuration, with half as many threads as it has, and the caller allows
/// (ScopedThreadBound): other threads copy and drive the device meanwhile, and who waits for each
/// other in steps of microseconds gains little from more. \throws std::bad_alloc.
std::unique_ptr<ThreadTeam> team_for(const CpuConfig& config, const CpuLimits& limits);

/// Waits until `done()`: soon, but other threads may need the core. Giving it away is a system
/// call, which many threads at once had better not make all the time.
template <typename Done>
void wait_awake(Done&& done) {
  constexpr int looks_before_yield = 300;
  for (int looks = 1; !done(); ++looks) {
    if (looks % looks_before_yield == 0) std::this_thread::yield();
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
  }
}

}  // namespace duoblas
