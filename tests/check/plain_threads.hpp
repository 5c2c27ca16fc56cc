// Threads for checks in tests: new ones each time, and they share work of any size.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "check/check_threads.hpp"

namespace duoblas::test {

inline void hand_out_to_new_threads(std::int64_t count,
                                    const std::function<void(std::int64_t)>& piece, int threads) {
  std::atomic<std::int64_t> next{0};
  std::exception_ptr thrown;
  std::mutex mutex;
  const auto work = [&] {
    for (std::int64_t mine = next.fetch_add(1); mine < count; mine = next.fetch_add(1)) try {
        piece(mine);
      } catch (...) {
        const std::lock_guard lock(mutex);
        thrown = std::current_exception();
      }
  };
  std::vector<std::jthread> others;
  for (int thread = 1; thread < threads; ++thread) others.emplace_back(work);
  work();
  others.clear();
  if (thrown) std::rethrow_exception(thrown);
}

/// The caller's thread alone, or three.
inline CheckThreads threads_of(std::uint64_t seed) {
  if (seed % 2 == 0) return {};
  return {hand_out_to_new_threads, 3, 0};
}

}  // namespace duoblas::test
