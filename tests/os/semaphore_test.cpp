// The counting semaphore, under many threads.
#include "os/semaphore.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace duoblas {
namespace {

TEST(Semaphore, LetsEveryThreadThroughAndNoMoreThanItsCountAtOnce) {
  constexpr int count = 2, turns = 200;
  for (int round = 0; round < 20; ++round) {
    Semaphore semaphore(count);
    std::atomic<int> inside{0}, most{0}, done{0};
    const auto take_turns = [&] {
      for (int turn = 0; turn < turns; ++turn) {
        semaphore.acquire();
        const int now = ++inside;
        int known = most;
        while (now > known && !most.compare_exchange_weak(known, now)) {
        }
        --inside;
        semaphore.release();
        ++done;
      }
    };
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 8; ++thread) threads.emplace_back(take_turns);
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(done, 8 * turns);
    EXPECT_LE(most, count);
  }
}

}  // namespace
}  // namespace duoblas
