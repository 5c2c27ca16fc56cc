// For how long jobs that failed leave the device alone.
#include "engine/device_jobs.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace duoblas::test {
namespace {

LapackProblem potrf(std::int64_t n) {
  LapackProblem p;
  p.routine = LapackRoutine::potrf;
  p.n = n;
  return p;
}

TEST(JobBackoff, LeavesTheDeviceAloneForLongerAndLonger) {
  JobBackoff backoff;
  int calls = 0, tries = 0;
  for (; calls < 100; ++calls)
    if (!backoff.rests(potrf(1000))) {
      ++tries;
      backoff.failed(potrf(1000));
    }
  EXPECT_EQ(tries, 8) << "three in a row, then after 2, 4, 8, 16 and 32 calls";
}

TEST(JobBackoff, SaysNothingOfOtherJobs) {
  JobBackoff backoff;
  for (int failures = 0; failures < 3; ++failures) backoff.failed(potrf(1000));
  LapackProblem other = potrf(1000);
  other.precision = Precision::s;
  EXPECT_FALSE(backoff.rests(other));
  EXPECT_FALSE(backoff.rests(potrf(300)));
  GemmProblem product;
  product.m = product.n = product.k = 550;  // as many flops
  EXPECT_EQ(JobKind(product).log_flops, JobKind(potrf(1000)).log_flops);
  EXPECT_FALSE(backoff.rests(product));
  backoff.succeeded(potrf(300));
  EXPECT_TRUE(backoff.rests(potrf(1000)));
}

TEST(JobBackoff, RestsAreShortWhereOnlyTheNumbersWereUnsuited) {
  JobBackoff backoff;
  int tries = 0, rest = 0, longest = 0;
  for (int calls = 0; calls < 1000; ++calls)
    if (backoff.rests(potrf(1000))) {
      longest = std::max(longest, ++rest);
    } else {
      rest = 0;
      ++tries;
      backoff.declined(potrf(1000));
    }
  EXPECT_EQ(longest, JobBackoff::longest_rest_for_numbers);
  EXPECT_LT(tries, 120) << "one call in nine, and a few at first";
  backoff.succeeded(potrf(1000));
  EXPECT_FALSE(backoff.rests(potrf(1000)));
}

TEST(JobBackoff, EndsWithAJobThatWorked) {
  JobBackoff backoff;
  for (int failures = 0; failures < 4; ++failures) backoff.failed(potrf(1000));
  EXPECT_TRUE(backoff.rests(potrf(1000)));
  backoff.succeeded(potrf(1000));
  EXPECT_FALSE(backoff.rests(potrf(1000)));
  backoff.failed(potrf(1000));
  EXPECT_FALSE(backoff.rests(potrf(1000)));
}

}  // namespace
}  // namespace duoblas::test
