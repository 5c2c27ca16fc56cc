// Which way a level-3 call goes, by what such calls took.
#include "planner/level3_ways.hpp"

#include <gtest/gtest.h>

namespace duoblas::test {
namespace {

Level3Problem call(Routine routine, std::int64_t n) {
  Level3Problem p;
  p.routine = routine;
  p.m = p.n = p.k = n;
  return p;
}

/// Calls that take so long whatever was estimated; how many of them went as one job.
int jobs_of(Level3Ways& ways, const Level3Problem& p, int calls, double job, double halves,
            double estimate_job, double estimate_halves) {
  int jobs = 0;
  for (int i = 0; i < calls; ++i) {
    const Level3Choice way = ways.choose(p, estimate_job, estimate_halves);
    jobs += way == Level3Choice::job;
    ways.saw(p, way, way == Level3Choice::job ? job : halves);
  }
  return jobs;
}

TEST(Level3Ways, BeginWithTheEstimatesAndEndWithWhatIsFaster) {
  Level3Ways ways;
  const Level3Problem p = call(Routine::trsm, 1000);
  EXPECT_EQ(ways.choose(p, 1.0, 1.2), Level3Choice::job);
  jobs_of(ways, p, 20, 1.0, 0.5, 1.0, 1.2);
  EXPECT_EQ(jobs_of(ways, p, 20, 1.0, 0.5, 1.0, 1.2), 0) << "halves were tried, and were faster";
  EXPECT_EQ(ways.choose(call(Routine::trmm, 1000), 1.0, 1.2), Level3Choice::job)
      << "another routine is another matter";
  EXPECT_EQ(ways.choose(call(Routine::trsm, 4000), 1.0, 1.2), Level3Choice::job)
      << "and so is another size";
}

TEST(Level3Ways, TryWhatIsSlowerAFewTimesOnly) {
  Level3Ways ways;
  const Level3Problem p = call(Routine::symm, 1000);
  EXPECT_EQ(jobs_of(ways, p, 100, 1.0, 1.3, 1.0, 1.2), 100 - Level3Ways::tries);
  EXPECT_EQ(jobs_of(ways, call(Routine::syrk, 1000), 100, 1.0, 1.0, 1.0, 2.0), 100)
      << "it was expected to take much longer";
}

TEST(Level3Ways, TellWhatSuchCallsTookFromTheSecondOn) {
  Level3Ways ways;
  const Level3Problem p = call(Routine::syrk, 1000);
  EXPECT_FALSE(ways.seen_seconds(p, Level3Choice::job));
  ways.saw(p, Level3Choice::job, 5);
  EXPECT_FALSE(ways.seen_seconds(p, Level3Choice::job)) << "a first call waits for kernels";
  ways.saw(p, Level3Choice::job, 1.5);
  EXPECT_DOUBLE_EQ(ways.seen_seconds(p, Level3Choice::job).value_or(0), 1.5);
  EXPECT_FALSE(ways.seen_seconds(p, Level3Choice::halves));
  EXPECT_FALSE(ways.seen_seconds(call(Routine::syrk, 3000), Level3Choice::job));
}

TEST(Level3Ways, TellWhatTheCpuTookAndDoNotChooseByIt) {
  Level3Ways ways;
  const Level3Problem p = call(Routine::symm, 1000);
  for (int i = 0; i < 5; ++i) ways.saw(p, Level3Choice::cpu, 0.1);
  EXPECT_DOUBLE_EQ(ways.seen_seconds(p, Level3Choice::cpu).value_or(0), 0.1);
  EXPECT_EQ(ways.choose(p, 1.0, 1.2), Level3Choice::job);
}

TEST(Level3Ways, DoNotJudgeByAFirstCall) {
  Level3Ways ways;
  const Level3Problem p = call(Routine::symm, 1000);
  ways.saw(p, ways.choose(p, 1.0, 1.2), 10);
  jobs_of(ways, p, 10, 1.0, 1.3, 1.0, 1.2);
  EXPECT_EQ(jobs_of(ways, p, 10, 1.0, 1.3, 1.0, 1.2), 10);
}

}  // namespace
}  // namespace duoblas::test
