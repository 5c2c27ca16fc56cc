// When two runs count as different.
#include "cli/bench/record_changes.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "timing/median.hpp"

namespace duoblas::cli {
namespace {

// Timings of a call of a second with this spread, in seconds.
MeasuredTime drawn(double mean, double deviation, int rounds, std::mt19937& random) {
  std::normal_distribution<double> time(mean, deviation);
  std::vector<double> seconds;
  for (int i = 0; i < rounds; ++i) seconds.push_back(time(random));
  return {median(seconds), quantile(seconds, 0.25), quantile(seconds, 0.75), rounds};
}

double share_of(Change change, double then, double now, double deviation, int rounds) {
  constexpr int tries = 2000;
  std::mt19937 random(7);
  int found = 0;
  for (int i = 0; i < tries; ++i) {
    const MeasuredTime before = drawn(then, deviation, rounds, random);
    found += judge(before, drawn(now, deviation, rounds, random)).change == change;
  }
  return static_cast<double>(found) / tries;
}

TEST(Verdict, CallsEqualTimesTheSameButForOneInFifty) {
  for (const int rounds : {3, 5, 9, 25})
    for (const double deviation : {0.005, 0.02, 0.05})
      EXPECT_GT(share_of(Change::same, 1, 1, deviation, rounds), 0.98)
          << rounds << " rounds, " << deviation;
}

TEST(Verdict, SeesWhatIsLargerThanTheSpread) {
  EXPECT_GT(share_of(Change::faster, 1.3, 1, 0.03, 9), 0.95);
  EXPECT_GT(share_of(Change::slower, 1, 1.3, 0.03, 9), 0.95);
}

TEST(Verdict, DoesNotSeeWhatIsSmallerThanTheSpread) {
  EXPECT_GT(share_of(Change::same, 1.03, 1, 0.05, 9), 0.9);
}

TEST(Verdict, DoesNotBelieveDifferencesThatClockDriftMakes) {
  const MeasuredTime then{1, 1, 1, 9};
  EXPECT_EQ(judge(then, {0.985, 0.985, 0.985, 9}).change, Change::same);
  EXPECT_EQ(judge(then, {1.015, 1.015, 1.015, 9}).change, Change::same);
  EXPECT_EQ(judge(then, {0.97, 0.97, 0.97, 9}).change, Change::faster);
  EXPECT_EQ(judge(then, {1.03, 1.03, 1.03, 9}).change, Change::slower);
}

TEST(Verdict, OfOneSampleIsThatNothingIsKnown) {
  const Verdict verdict = judge({1, 1, 1, 1}, {0.1, 0.1, 0.1, 9});
  EXPECT_EQ(verdict.change, Change::same);
  EXPECT_TRUE(std::isinf(verdict.margin));
  EXPECT_DOUBLE_EQ(verdict.speed, 10);
}

}  // namespace
}  // namespace duoblas::cli
