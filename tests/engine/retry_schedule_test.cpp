// When a lost device is opened again.
#include "engine/reopening.hpp"

#include <gtest/gtest.h>

namespace duoblas {
namespace {

TEST(RetrySchedule, TriesEverMoreRarelyAndThenNoMore) {
  RetrySchedule schedule({1, 4, 3, 64});
  EXPECT_EQ(schedule.next_pause(), 1);
  EXPECT_EQ(schedule.next_pause(), 4);
  EXPECT_EQ(schedule.next_pause(), 16);
  EXPECT_EQ(schedule.next_pause(), std::nullopt);
}

TEST(RetrySchedule, TrustsADeviceThatWorkedForSomeCalls) {
  RetrySchedule schedule({1, 4, 3, 2});
  schedule.next_pause();
  schedule.worked();
  EXPECT_EQ(schedule.next_pause(), 4) << "one call is too few";
  schedule.worked();
  schedule.worked();
  EXPECT_EQ(schedule.next_pause(), 1);
}

}  // namespace
}  // namespace duoblas
