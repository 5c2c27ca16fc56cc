// Work beside a program's threads: its priority and its end.
#include "engine/background_work.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <future>
#include <memory>

namespace duoblas {
namespace {

int nice_here() {
  return ::getpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()));
}

int nice_of_work(WorkPriority priority) {
  const auto nice = std::make_shared<std::promise<int>>();
  EXPECT_TRUE(give_background_work([nice] { nice->set_value(nice_here()); }, priority));
  return nice->get_future().get();
}

TEST(BackgroundWork, OfLowPriorityGivesWayAndWorkAfterItDoesNot) {
  EXPECT_EQ(nice_of_work(WorkPriority::low), std::min(nice_here() + 10, 19));
  EXPECT_EQ(nice_of_work(WorkPriority::as_the_program), nice_here());
}

TEST(BackgroundWork, ExpectsThreadsOfACpuDeviceToStayAsTheyAre) {
  EXPECT_EQ(building_priority(true), WorkPriority::as_the_program);
  EXPECT_EQ(building_priority(false), WorkPriority::low);
}

// A device that is to be reopened pauses for a long time.
TEST(BackgroundWork, IsTakenHoweverMuchIsToBeDoneLater) {
  for (int piece = 0; piece < 20; ++piece) ASSERT_TRUE(give_background_work_later(3600, [] {}));
  EXPECT_TRUE(give_background_work([] {}));
}

}  // namespace
}  // namespace duoblas
