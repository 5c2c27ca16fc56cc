#include "cpu/workers.hpp"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <atomic>
#include <new>

#include "cpu/cpu_limits.hpp"
#include "cpu/fork_state.hpp"

namespace duoblas {
namespace {

constinit std::atomic<tbb::task_scheduler_handle*> pool{nullptr};

// oneTBB's own clean-up at exit() crashes in a child of a process that had workers. Where the host
// uses oneTBB as well, the pool is its too, and this leaves it alone.
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

}  // namespace

void parallel_for(std::int64_t count,
                  const std::function<void(std::int64_t begin, std::int64_t end)>& body,
                  int threads) {
  if (count <= 0) return;
  watch_forks();
  if (threads <= 0) threads = cpu_limits("", 0).threads;
  // A child has none of the pool's threads, and the pool does not know.
  if (threads == 1 || count == 1 || fork_generation() > 0) return body(0, count);
  const ActiveWork work;
  hold_pool();
  tbb::task_arena arena(threads);
  arena.execute([&] {
    tbb::parallel_for(tbb::blocked_range<std::int64_t>(0, count),
                      [&](const auto& range) { body(range.begin(), range.end()); });
  });
}

}  // namespace duoblas
