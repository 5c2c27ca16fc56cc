// Whether several threads copy or one, from made-up times.
#include "memory/copy_pace.hpp"

#include <chrono>

#include <gtest/gtest.h>

namespace duoblas {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr std::size_t four_mb = std::size_t{4} << 20;

TEST(CopyPace, CopiesTogetherWhileThatIsFast) {
  CopyPace pace;
  CopyPace::Clock::time_point now{};
  for (int i = 0; i < 100; ++i) {
    EXPECT_FALSE(pace.is_alone(now));
    now += microseconds(100);
    pace.note(false, four_mb, microseconds(100), now);
    pace.note(false, 16 * four_mb, microseconds(1600), now);
  }
}

TEST(CopyPace, CopiesAloneForAWhileAfterACopyThatWaited) {
  CopyPace pace;
  CopyPace::Clock::time_point now{};
  pace.note(false, four_mb, milliseconds(3), now);
  EXPECT_TRUE(pace.is_alone(now + milliseconds(19)));
  EXPECT_FALSE(pace.is_alone(now + milliseconds(20)));
}

TEST(CopyPace, CopiesAloneForLongerWhereCopiesWaitAgain) {
  CopyPace pace;
  CopyPace::Clock::time_point now{};
  for (int i = 0; i < 10; ++i) pace.note(false, four_mb, milliseconds(3), now);
  EXPECT_TRUE(pace.is_alone(now + milliseconds(319)));
  EXPECT_FALSE(pace.is_alone(now + milliseconds(320)));
  pace.note(false, four_mb, microseconds(100), now);
  pace.note(false, four_mb, milliseconds(3), now);
  EXPECT_FALSE(pace.is_alone(now + milliseconds(20))) << "it was fast in between";
}

TEST(CopyPace, CopiesTogetherWhereOneThreadIsSlowerStill) {
  CopyPace pace;
  CopyPace::Clock::time_point now{};
  pace.note(false, four_mb, milliseconds(2), now);
  EXPECT_TRUE(pace.is_alone(now));
  now += milliseconds(10);
  pace.note(true, four_mb, milliseconds(4), now);
  now += milliseconds(20);
  pace.note(false, four_mb, milliseconds(2), now);
  EXPECT_FALSE(pace.is_alone(now));
}

}  // namespace
}  // namespace duoblas
