// The stopwatch.
#include "timing/stopwatch.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace duoblas {
namespace {

void wait_for(std::chrono::milliseconds span) {
  const auto until = std::chrono::steady_clock::now() + span;
  while (std::chrono::steady_clock::now() < until) continue;
}

TEST(Stopwatch, CountsSecondsFromWhenItIsMade) {
  const Stopwatch watch;
  const double before = watch.seconds();
  EXPECT_GE(before, 0);
  wait_for(std::chrono::milliseconds(2));
  EXPECT_GE(watch.seconds(), before + 0.002);
}

TEST(Stopwatch, SaysHowLongWorkTookThatIsDoneOnce) {
  int calls = 0;
  const double seconds = seconds_of([&] {
    ++calls;
    wait_for(std::chrono::milliseconds(2));
  });
  EXPECT_EQ(calls, 1);
  EXPECT_GE(seconds, 0.002);
}

}  // namespace
}  // namespace duoblas
