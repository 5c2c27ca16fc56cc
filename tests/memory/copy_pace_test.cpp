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

// One thread copies with 4 GB/s here, 4 MiB in a millisecond.
CopyPace with_known_rate() {
  CopyPace pace;
  pace.note(true, four_mb, milliseconds(1), {});
  return pace;
}

TEST(CopyPace, CopiesAloneForTwiceWhatACopyLostThatWaited) {
  CopyPace pace = with_known_rate();
  const CopyPace::Clock::time_point now{};
  pace.note(false, four_mb, milliseconds(4), now);
  EXPECT_TRUE(pace.is_alone(now + microseconds(5900)));
  EXPECT_FALSE(pace.is_alone(now + microseconds(6100)));
}

TEST(CopyPace, CopiesAloneForLongerWhereCopiesWaitAgain) {
  CopyPace pace = with_known_rate();
  CopyPace::Clock::time_point now{};
  for (int i = 0; i < 10; ++i) pace.note(false, four_mb, milliseconds(4), now);
  EXPECT_TRUE(pace.is_alone(now + milliseconds(191)));
  EXPECT_FALSE(pace.is_alone(now + milliseconds(193)));
  pace.note(false, four_mb, microseconds(100), now);
  pace.note(false, four_mb, milliseconds(4), now);
  EXPECT_FALSE(pace.is_alone(now + milliseconds(7))) << "it was fast in between";
}

TEST(CopyPace, IsNotAloneForLongWhereTheProcessWasStopped) {
  CopyPace pace = with_known_rate();
  const CopyPace::Clock::time_point now{};
  pace.note(false, four_mb, milliseconds(10000), now);
  EXPECT_FALSE(pace.is_alone(now + milliseconds(201)));
}

// Helpers that never run for their milliseconds cost little.
TEST(CopyPace, LosesAFewPerCentToOneThreadWhereHelpersAlwaysWait) {
  CopyPace pace = with_known_rate();
  CopyPace::Clock::time_point now{};
  int copies = 0;
  for (; now.time_since_epoch() < milliseconds(5000); ++copies) {
    const bool alone = pace.is_alone(now);
    const auto took = milliseconds(alone ? 1 : 4);
    now += took;
    pace.note(alone, four_mb, took, now);
  }
  EXPECT_GT(copies, 4800);
}

// Where one in a hundred copies waits, all but a few are by all threads.
TEST(CopyPace, LosesLittleToASingleDisturbance) {
  CopyPace pace = with_known_rate();
  CopyPace::Clock::time_point now{};
  int alone = 0;
  for (int copy = 0; copy < 10000; ++copy) {
    const bool by_one = pace.is_alone(now);
    alone += by_one;
    const auto took = by_one            ? microseconds(1000)
                      : copy % 100 == 0 ? microseconds(4000)
                                        : microseconds(100);
    now += took;
    pace.note(by_one, four_mb, took, now);
  }
  EXPECT_LT(alone, 800);
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
