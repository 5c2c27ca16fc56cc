// A thread beside the caller's that does one piece of work at a time.
#include "gpu/lapack/later_launches.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>

namespace duoblas::test {
namespace {

TEST(LaterLaunches, AreDoneWhenTheCallerIsDoneWithThem) {
  LaterLaunches later;
  int done = 0;
  for (int i = 1; i <= 1000; ++i) {
    later.start([&] { ++done; });
    later.finish();
    ASSERT_EQ(done, i);
  }
  later.finish();
  EXPECT_EQ(done, 1000) << "nothing was started";
}

TEST(LaterLaunches, ThrowWhatWasThrownOnce) {
  LaterLaunches later;
  for (int i = 0; i < 100; ++i) {
    std::atomic<bool> has_begun = false;
    later.start([&] {
      has_begun = true;
      throw std::runtime_error("lost");
    });
    // The other thread throws, or the caller's.
    while (i % 2 == 0 && !has_begun) std::this_thread::yield();
    EXPECT_THROW(later.finish(), std::runtime_error);
    later.finish();
  }
}

TEST(LaterLaunches, AreOverWhenTheyHaveBeenStopped) {
  LaterLaunches later;
  std::atomic<int> begun = 0, ended = 0;
  later.start([&] {
    ++begun;
    ++ended;
  });
  later.stop();
  EXPECT_EQ(begun, ended);
  later.stop();
}

}  // namespace
}  // namespace duoblas::test
