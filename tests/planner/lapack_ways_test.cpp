// Whether a program's call of LAPACK is done here, by what such calls took.
#include "planner/lapack_ways.hpp"

#include <gtest/gtest.h>

namespace duoblas::test {
namespace {

LapackProblem call(LapackRoutine routine, std::int64_t n) {
  LapackProblem p;
  p.routine = routine;
  p.m = p.n = n;
  return p;
}

struct Times {
  double ours = 0, programs = 0;
};

/// Calls that take so long, whatever was estimated; how many of them were ours.
int ours_of(LapackWays& ways, const LapackProblem& p, int calls, Times true_times, Times estimate) {
  int ours = 0;
  for (int i = 0; i < calls; ++i) {
    const LapackWay way = ways.choose(p, estimate.ours, estimate.programs);
    ours += way == LapackWay::ours;
    ways.saw(p, way, way == LapackWay::ours ? true_times.ours : true_times.programs);
  }
  return ours;
}

TEST(LapackWays, AreOursAtOnceWhereHalfTheTimeIsExpected) {
  LapackWays ways;
  const LapackProblem p = call(LapackRoutine::getrf, 4000);
  EXPECT_EQ(ours_of(ways, p, 20, {0.2, 1}, {0.3, 1}), 20);
}

TEST(LapackWays, WaitForTheProgramsTimeWhereLessIsExpected) {
  LapackWays ways;
  const LapackProblem p = call(LapackRoutine::getrf, 4000);
  EXPECT_EQ(ways.choose(p, 0.8, 1), LapackWay::programs);
  EXPECT_EQ(ours_of(ways, p, 2, {0.7, 1}, {0.8, 1}), 0);
  EXPECT_EQ(ours_of(ways, p, 20, {0.7, 1}, {0.8, 1}), 20);
}

TEST(LapackWays, AreTheProgramsOnceOursWereSlower) {
  LapackWays ways;
  const LapackProblem p = call(LapackRoutine::potrf, 4000);
  EXPECT_EQ(ours_of(ways, p, 100, {2, 1}, {0.3, 1}), 2) << "the estimate was wrong";
  EXPECT_EQ(ours_of(ways, p, 100, {2, 1}, {0.3, 1}), 0);
  EXPECT_GT(ours_of(ways, call(LapackRoutine::getrf, 4000), 1, {0.2, 1}, {0.3, 1}), 0)
      << "another routine is another matter";
}

TEST(LapackWays, DoNotTryWhatIsExpectedToBeMuchSlower) {
  LapackWays ways;
  const LapackProblem p = call(LapackRoutine::getrf, 1000);
  EXPECT_EQ(ours_of(ways, p, 50, {1, 1}, {1.5, 1}), 0);
}

}  // namespace
}  // namespace duoblas::test
