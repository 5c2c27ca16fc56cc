// The library's own parallel work on the host, for everything that no BLAS does.
#pragma once

#include <cstdint>
#include <functional>

namespace duoblas {

/// Calls `body(begin, end)` for ranges that together are [0, count), on at most `threads` threads
/// (0: as many as affinity and the cgroup allow); returns when all are done. In a forked child the
/// calling thread does it all, and so it does while a fork is running, and what is left where the
/// pool is short of memory.
/// Rethrows the first exception of a body.
void parallel_for(std::int64_t count,
                  const std::function<void(std::int64_t begin, std::int64_t end)>& body,
                  int threads = 0);

/// Calls `body(index)` for each index of [0, count), likewise, but hands out one index at a time,
/// so at the end no thread waits for more than one call. For calls of 0.1 ms and more.
void hand_out(std::int64_t count, const std::function<void(std::int64_t index)>& body, int threads);

}  // namespace duoblas
