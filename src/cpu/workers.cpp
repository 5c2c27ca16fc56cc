#include "cpu/workers.hpp"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include "cpu/cpu_limits.hpp"
#include "cpu/fork_state.hpp"

namespace duoblas {

void parallel_for(std::int64_t count,
                  const std::function<void(std::int64_t begin, std::int64_t end)>& body,
                  int threads) {
  if (count <= 0) return;
  watch_forks();
  if (threads <= 0) threads = cpu_limits("", 0).threads;
  // A child has none of the pool's threads, and the pool does not know.
  if (threads == 1 || count == 1 || fork_generation() > 0) return body(0, count);
  const ActiveWork work;
  tbb::task_arena arena(threads);
  arena.execute([&] {
    tbb::parallel_for(tbb::blocked_range<std::int64_t>(0, count),
                      [&](const auto& range) { body(range.begin(), range.end()); });
  });
}

}  // namespace duoblas
