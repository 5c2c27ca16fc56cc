#include "cpu/workers.hpp"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <new>
#include <optional>

#include "cpu/cpu_limits.hpp"
#include "os/fork_state.hpp"

namespace duoblas {
namespace {

constinit std::atomic<tbb::task_scheduler_handle*> pool{nullptr};

// oneTBB's own clean-up at exit() crashes in a child of a process that had workers. If the host
// uses oneTBB as well, the pool belongs to both, and is not touched here.
void stop_pool() {
  tbb::task_scheduler_handle* handle = pool.exchange(nullptr);
  if (handle == nullptr) return;
  tbb::finalize(*handle, std::nothrow);
  delete handle;
}

void hold_pool() {
  if (pool.load() != nullptr) return;
  at_rest_before_fork(stop_pool);
  auto* handle = new tbb::task_scheduler_handle(tbb::attach{});
  tbb::task_scheduler_handle* none = nullptr;
  if (!pool.compare_exchange_strong(none, handle)) delete handle;
}

// Whether the calling thread has to do everything: a child has none of the pool's threads, and the
// pool does not know it.
bool alone(std::int64_t count, int threads) {
  return threads == 1 || count == 1 || fork_generation() > 0;
}

// oneTBB takes the main thread's cores for all of the machine's, and prints a warning if an arena
// wants more workers than the pool may have. A lower limit that the host has set is kept.
class PoolOfAtLeast {
 public:
  explicit PoolOfAtLeast(int threads) {
    if (static_cast<std::size_t>(threads) > limit())
      raised_.emplace(parallelism, static_cast<std::size_t>(threads));
  }
  static std::size_t limit() { return tbb::global_control::active_value(parallelism); }

 private:
  static constexpr auto parallelism = tbb::global_control::max_allowed_parallelism;
  std::optional<tbb::global_control> raised_;
};

// The arena lives for one call. Afterwards workers that still spin in it return to the pool. \pre a
// ForkGuard exists.
template <typename Work>
void in_arena(int threads, Work&& work) {
  hold_pool();
  const PoolOfAtLeast pool_of(threads);
  tbb::task_arena arena(
      static_cast<int>(std::min(static_cast<std::size_t>(threads), PoolOfAtLeast::limit())));
  arena.execute(work);
}

// Indices are given to whoever asks next. A pool that is short of memory on its way leaves some,
// and nobody would know which.
class Indices {
 public:
  Indices(std::int64_t count, const std::function<void(std::int64_t)>& body)
      : count_(count), body_(body) {}

  void do_one() {
    const std::int64_t index = next_.fetch_add(1);
    if (index >= count_) return;
    try {
      body_(index);
    } catch (...) {
      body_threw_.store(true);
      throw;
    }
  }
  void do_rest() {
    while (next_.load() < count_) do_one();
  }
  bool body_threw() const { return body_threw_.load(); }

 private:
  const std::int64_t count_;
  const std::function<void(std::int64_t)>& body_;
  std::atomic<std::int64_t> next_{0};
  std::atomic<bool> body_threw_{false};
};

}  // namespace

void parallel_for(std::int64_t count,
                  const std::function<void(std::int64_t begin, std::int64_t end)>& body,
                  int threads) {
  if (count <= 0) return;
  watch_forks();
  if (threads <= 0) threads = cpu_limits("", 0).threads;
  if (alone(count, threads)) return body(0, count);
  constexpr std::int64_t ranges_per_thread = 8;
  const std::int64_t ranges = std::min(count, ranges_per_thread * threads);
  const std::int64_t step = (count + ranges - 1) / ranges;
  const auto of_range = [&body, count, step](std::int64_t range) {
    if (range * step < count) body(range * step, std::min((range + 1) * step, count));
  };
  hand_out(ranges, std::cref(of_range), threads);
}

void hand_out(std::int64_t count, const std::function<void(std::int64_t index)>& body,
              int threads) {
  watch_forks();
  if (threads <= 0) threads = cpu_limits("", 0).threads;
  Indices indices(count, body);
  if (alone(count, threads)) return indices.do_rest();
  // A pipeline's thread checks results here, with the device's mutex. Another thread may wait for
  // that mutex with a ForkGuard, and a fork for that guard: so nobody waits for the fork here.
  const ForkGuardIfOpen no_fork;
  if (!no_fork) return indices.do_rest();
  try {
    in_arena(threads, [&] {
      // The default partitioner would leave several ranges together if no thread was idle when it
      // looked.
      tbb::parallel_for(
          tbb::blocked_range<std::int64_t>(0, count),
          [&](const auto& range) {
            for (std::int64_t i = range.begin(); i < range.end(); ++i) indices.do_one();
          },
          tbb::simple_partitioner());
    });
  } catch (const std::bad_alloc&) {
    if (indices.body_threw()) throw;
    indices.do_rest();
  }
}

}  // namespace duoblas
