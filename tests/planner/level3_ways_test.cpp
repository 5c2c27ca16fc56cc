// Which way a level-3 call goes, by what such calls took.
#include "planner/way_chooser.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

namespace duoblas::test {
namespace {

// Of which two count, and one is the process's first.
constexpr int tries = 3;

Level3Problem call(Routine routine, std::int64_t n) {
  Level3Problem p;
  p.routine = routine;
  p.m = p.n = p.k = n;
  return p;
}

/// Calls that take so long whatever was estimated; how many of them went as one job.
int jobs_of(WayChooser& chooser, const Level3Problem& p, int calls, double job, double halves,
            double estimate_job, double estimate_halves) {
  int jobs = 0;
  for (int i = 0; i < calls; ++i) {
    const Way way =
        chooser.choose(class_of(p), {{Way::job, estimate_job}, {Way::halves, estimate_halves}});
    jobs += way == Way::job;
    chooser.observe(class_of(p), way, way == Way::job ? job : halves);
  }
  return jobs;
}

TEST(SimilarLevel3Calls, BeginWithTheEstimatesAndEndWithWhatIsFaster) {
  WayChooser chooser;
  const Level3Problem p = call(Routine::trsm, 1000);
  EXPECT_EQ(chooser.choose(class_of(p), {{Way::job, 1.0}, {Way::halves, 1.2}}), Way::job);
  jobs_of(chooser, p, 20, 1.0, 0.5, 1.0, 1.2);
  EXPECT_EQ(jobs_of(chooser, p, 20, 1.0, 0.5, 1.0, 1.2), 0) << "halves were tried, and were faster";
  EXPECT_EQ(
      chooser.choose(class_of(call(Routine::trmm, 1000)), {{Way::job, 1.0}, {Way::halves, 1.2}}),
      Way::job)
      << "another routine is another matter";
  EXPECT_EQ(
      chooser.choose(class_of(call(Routine::trsm, 4000)), {{Way::job, 1.0}, {Way::halves, 1.2}}),
      Way::job)
      << "and so is another size";
}

TEST(SimilarLevel3Calls, TryWhatIsSlowerAFewTimesOnly) {
  WayChooser chooser;
  const Level3Problem p = call(Routine::symm, 1000);
  const int halves = 100 - jobs_of(chooser, p, 100, 1.0, 1.3, 1.0, 1.2);
  EXPECT_GE(halves, tries);
  // Looked at again for a hundredth of the time.
  EXPECT_LE(0.3 * (halves - tries), UnseenSeconds::part * 100);
  EXPECT_EQ(jobs_of(chooser, call(Routine::syrk, 1000), 100, 1.0, 1.0, 1.0, 2.0), 100)
      << "it was expected to take much longer";
}

// A machine that pauses in one of the first calls, whichever way that goes.
TEST(SimilarLevel3Calls, AreNotDecidedByOneDisturbedCall) {
  const Level3Problem p = call(Routine::trsm, 1000);
  constexpr int calls = 600, late = 300, first_calls = 12;
  for (const double halves : {0.5, 0.8, 1.3, 3.0})
    for (const double estimate : {0.8, 1.2})
      for (int disturbed = 0; disturbed < first_calls; ++disturbed)
        for (const double times : {10.0, 1000.0}) {
          WayChooser chooser;
          double seconds = 0;
          for (int i = 0; i < calls; ++i) {
            const Way way = chooser.choose(class_of(p), {{Way::job, 1}, {Way::halves, estimate}});
            const double took = way == Way::job ? 1 : halves;
            chooser.observe(class_of(p), way, i == disturbed ? times * took : took);
            if (i >= calls - late) seconds += took;
          }
          EXPECT_LE(seconds, 1.03 * late * std::min(1.0, halves))
              << halves << ", call " << disturbed << ", " << times;
        }
}

// It would have to be looked at again for as long as the machine paused.
TEST(SimilarLevel3Calls, GiveTheCpusSideItsPartThoughOneJobWasDisturbed) {
  constexpr double least = 1.0 / 32;
  for (int disturbed = 0; disturbed < 6; ++disturbed) {
    WayChooser chooser;
    const Level3Problem p = call(Routine::syrk, 1000);
    double share = 0.5;
    for (int job = 0; job < 40; ++job) {
      const double paused = job == disturbed ? 1000 : 1;
      chooser.observe_sides(class_of(p), share, share, share < 1 ? paused * (1 - share) : 0);
      share = chooser.balanced_share(class_of(p), least).value_or(0.5);
    }
    EXPECT_NEAR(share, 0.5, 0.01) << "job " << disturbed;
  }
}

TEST(SimilarLevel3Calls, TellWhatSuchCallsTookFromTheSecondOn) {
  WayChooser chooser;
  const Level3Problem p = call(Routine::syrk, 1000);
  EXPECT_FALSE(chooser.seen_seconds(class_of(p), Way::job));
  chooser.observe(class_of(p), Way::job, 5);
  EXPECT_FALSE(chooser.seen_seconds(class_of(p), Way::job)) << "a first call waits for kernels";
  chooser.observe(class_of(p), Way::job, 1.5);
  EXPECT_NEAR(chooser.seen_seconds(class_of(p), Way::job).value_or(0), 1.5, 1e-9);
  EXPECT_FALSE(chooser.seen_seconds(class_of(p), Way::halves));
  EXPECT_FALSE(chooser.seen_seconds(class_of(call(Routine::syrk, 3000)), Way::job));
}

TEST(SimilarLevel3Calls, TellTheShareWithWhichBothSidesEndTogether) {
  WayChooser chooser;
  const Level3Problem p = call(Routine::syrk, 1000);
  // A device of a third of the CPU side's speed.
  const auto call_with = [&](double share) {
    chooser.observe_sides(class_of(p), share, 3 * share, 1 - share);
  };
  call_with(0.5);
  EXPECT_FALSE(chooser.balanced_share(class_of(p), 0)) << "a first call waits for kernels";
  call_with(0.5);
  EXPECT_NEAR(chooser.balanced_share(class_of(p), 0).value_or(0), 0.25, 1e-9);
  call_with(0.25);
  EXPECT_DOUBLE_EQ(chooser.balanced_share(class_of(p), 0).value_or(0), 0.25) << "it stays there";
  chooser.observe_sides(class_of(p), 0.25, 100, 1);
  EXPECT_DOUBLE_EQ(chooser.balanced_share(class_of(p), 0).value_or(0), 0.25)
      << "one disturbed call";
  chooser.observe_sides(class_of(p), 1.0, 1, 1);
  chooser.observe_sides(class_of(p), 0.5, 1, 0);
  EXPECT_DOUBLE_EQ(chooser.balanced_share(class_of(p), 0).value_or(0), 0.25)
      << "one side had nothing to do";
  EXPECT_FALSE(chooser.balanced_share(class_of(p, CallsAre::unusual), 0));
  EXPECT_FALSE(chooser.balanced_share(class_of(call(Routine::syr2k, 1000)), 0));
}

// A side that has nothing to do shows nothing: it is looked at for a hundredth of the time.
TEST(SimilarLevel3Calls, GiveTheCpusSideItsShareAgain) {
  WayChooser chooser;
  const Level3Problem p = call(Routine::syrk, 1000);
  constexpr double least = 0.05;
  const auto call_with = [&](double cpu_per_call) {
    const double share = chooser.balanced_share(class_of(p), least).value_or(0.5);
    chooser.observe_sides(class_of(p), share, share, cpu_per_call * (1 - share));
    return share;
  };
  for (int i = 0; i < 4; ++i) call_with(1000);
  EXPECT_EQ(call_with(1000), 1);
  double lost = 0;
  for (int i = 0; i < 20'000; ++i) lost += std::max(0.0, 1000 * (1 - call_with(1000)) - 1);
  EXPECT_GT(lost, 0) << "it was looked at";
  EXPECT_LT(lost, 1.1 * UnseenSeconds::part * 20'000);
  for (int i = 0; i < 20'000; ++i) call_with(1);
  EXPECT_DOUBLE_EQ(call_with(1), 0.5) << "both are equally fast";
}

TEST(SimilarLevel3Calls, TellWhatTheCpuTookAndDoNotChooseByIt) {
  WayChooser chooser;
  const Level3Problem p = call(Routine::symm, 1000);
  for (int i = 0; i < 5; ++i) chooser.observe(class_of(p), Way::plain, 0.1);
  EXPECT_NEAR(chooser.seen_seconds(class_of(p), Way::plain).value_or(0), 0.1, 1e-9);
  EXPECT_EQ(chooser.choose(class_of(p), {{Way::job, 1.0}, {Way::halves, 1.2}}), Way::job);
}

TEST(SimilarLevel3Calls, GoTheBetterWayAgainOnceItIsNotDisturbedAnyMore) {
  WayChooser chooser;
  const Level3Problem p = call(Routine::symm, 1000);
  jobs_of(chooser, p, 20, 1.0, 1.3, 1.0, 1.2);
  EXPECT_LT(jobs_of(chooser, p, 100, 5.0, 1.3, 1.0, 1.2), 10) << "jobs are disturbed";
  jobs_of(chooser, p, 500, 1.0, 1.3, 1.0, 1.2);
  EXPECT_GT(jobs_of(chooser, p, 100, 1.0, 1.3, 1.0, 1.2), 95);
}

TEST(SimilarLevel3Calls, AreJudgedByTheLastOnesHoweverManyThereWere) {
  WayChooser chooser;
  const Level3Problem p = call(Routine::symm, 1000);
  for (int i = 0; i < 800'000; ++i) {
    chooser.observe(class_of(p), Way::job, 1);
    chooser.observe_sides(class_of(p), 0.5, 1, 1);
  }
  for (int i = 0; i < 3; ++i) {
    chooser.observe(class_of(p), Way::job, 5);
    chooser.observe_sides(class_of(p), 0.5, 3, 1);
  }
  EXPECT_NEAR(chooser.seen_seconds(class_of(p), Way::job).value_or(0), 5, 1e-9);
  EXPECT_NEAR(chooser.balanced_share(class_of(p), 0).value_or(0), 0.25, 1e-9);
}

/// Calls that stay jobs; how many of them were to go another way.
int others_of(WayChooser& chooser, const Level3Problem& p, int calls, double job, double plain) {
  int others = 0;
  for (int i = 0; i < calls; ++i) {
    others += chooser.choose(class_of(p), {{Way::plain, plain}, {Way::job, job}}) == Way::plain;
    chooser.observe(class_of(p), Way::job, job);
  }
  return others;
}

// The CPU's own routine is tried early where that costs next to nothing; a device that nobody saw
// is not where much is expected to be lost.
TEST(SimilarLevel3Calls, TryTheCpuWhereThatCostsLittleAndNoDeviceThatSeemsFarSlower) {
  const Level3Problem p = call(Routine::syrk, 1000);
  WayChooser chooser, dear;
  const int tried = others_of(chooser, p, 100, 1e-3, 2.5e-3);
  EXPECT_GE(tried, tries);
  EXPECT_LE(tried, 12) << "they came to nothing";
  EXPECT_EQ(others_of(dear, p, 100, 1, 2.5), 0) << "it costs more than a hundredth of them";
  WayChooser of_cpu;
  for (int i = 0; i < 10'000; ++i) {
    ASSERT_EQ(of_cpu.choose(class_of(p), {{Way::plain, 1}, {Way::job, 1.6}}), Way::plain);
    of_cpu.observe(class_of(p), Way::plain, 1);
  }
}

TEST(SimilarLevel3Calls, WithoutWorkOrATimeTellNothing) {
  WayChooser chooser;
  const Level3Problem p = call(Routine::syrk, 1000), nothing = call(Routine::syrk, 0);
  for (int i = 0; i < 3; ++i) {
    chooser.observe(class_of(nothing), Way::plain, 1);
    chooser.observe(class_of(p), Way::plain, std::numeric_limits<double>::infinity());
    chooser.observe(class_of(p), Way::plain, 0);
  }
  EXPECT_FALSE(chooser.seen_seconds(class_of(nothing), Way::plain));
  EXPECT_FALSE(chooser.seen_seconds(class_of(p), Way::plain));
}

TEST(SimilarLevel3Calls, DoNotJudgeByAFirstCall) {
  WayChooser chooser;
  const Level3Problem p = call(Routine::symm, 1000);
  chooser.observe(class_of(p), chooser.choose(class_of(p), {{Way::job, 1.0}, {Way::halves, 1.2}}),
                  10);
  jobs_of(chooser, p, 10, 1.0, 1.3, 1.0, 1.2);
  EXPECT_EQ(jobs_of(chooser, p, 10, 1.0, 1.3, 1.0, 1.2), 10);
}

// Whatever is asked for at once, or two by two.
TEST(SimilarLevel3Calls, EndWithTheFastestOfThreeWays) {
  const Level3Problem p = call(Routine::trmm, 1000);
  constexpr Way ways[] = {Way::plain, Way::job, Way::halves};
  for (const Way fastest : ways) {
    WayChooser chooser;
    const auto next = [&] {
      return chooser.choose(class_of(p), {{Way::plain, 1}, {Way::job, 0.8, 2}, {Way::halves, 0.9}});
    };
    double seconds = 0;
    constexpr int calls = 600;
    for (int i = 0; i < 2 * calls; ++i) {
      const Way way = next();
      const double took = way == fastest ? 0.6 : 0.85;
      chooser.observe(class_of(p), way, took);
      if (i >= calls) seconds += took;
    }
    EXPECT_LT(seconds, 1.025 * calls * 0.6) << static_cast<int>(fastest);
  }
}

TEST(SimilarLevel3Calls, AreWhereALaterProcessBegins) {
  WayChooser earlier, later;
  const Level3Problem p = call(Routine::trsm, 1000), q = call(Routine::symm, 1000);
  jobs_of(earlier, p, 20, 1.0, 0.5, 1.0, 1.2);
  jobs_of(earlier, q, 20, 1.0, 1.1, 1.0, 1.2);
  ASSERT_TRUE(later.restore(earlier.kept()));
  EXPECT_NEAR(later.seen_seconds(class_of(p), Way::job).value_or(0), 1.0, 1e-9);
  EXPECT_NEAR(later.seen_seconds(class_of(p), Way::halves).value_or(0), 0.5, 1e-9);
  EXPECT_EQ(jobs_of(later, p, 20, 1.0, 0.5, 1.0, 1.2), 0) << "halves, whatever is estimated";
  // The machine may have changed: what was hardly slower is tried again, and the first call of a
  // process does not count.
  EXPECT_LE(jobs_of(later, q, 20, 1.0, 0.5, 1.0, 1.2), 11) << "halves are faster by now";
}

// Its own calls show that the machine has changed, so what is recalled of the other way is old too.
TEST(SimilarLevel3Calls, TryTheOtherWayAgainOnceTheRecalledOneHasBecomeSlower) {
  WayChooser earlier;
  const Level3Problem p = call(Routine::symm, 1000);
  jobs_of(earlier, p, 8, 1.0, 1.6, 1.0, 1.2);
  const std::vector<unsigned char> kept = earlier.kept();
  WayChooser slower, same, jittery;
  ASSERT_TRUE(slower.restore(kept) && same.restore(kept) && jittery.restore(kept));
  EXPECT_LE(jobs_of(slower, p, 20, 1.4, 0.9, 1.0, 1.2), 3);
  EXPECT_EQ(jobs_of(same, p, 8, 1.05, 0.9, 1.0, 1.2), 8) << "a try would cost half a call";
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(jobs_of(jittery, p, 2, i % 2 == 0 ? 1.0 : 1.2, 0.9, 1.0, 1.2), 2) << i;
}

/// How many of the processes' calls went by halves, which seemed slower in the first one.
int halves_in_processes(int processes, int calls_each, double job, double disturbed_halves,
                        double halves) {
  WayChooser first;
  const Level3Problem p = call(Routine::trsm, 1000);
  for (int i = 0; i < 4; ++i) {
    first.observe(class_of(p), Way::halves, disturbed_halves);
    first.observe(class_of(p), Way::job, job);
  }
  std::vector<unsigned char> kept = first.kept();
  int by_halves = 0;
  for (int process = 0; process < processes; ++process) {
    WayChooser later;
    EXPECT_TRUE(later.restore(kept));
    by_halves += calls_each - jobs_of(later, p, calls_each, job, halves, 1.0, 1.2);
    kept = later.kept();
  }
  return by_halves;
}

TEST(SimilarLevel3Calls, OfManyShortProcessesLookAtTheSlowerWayAgain) {
  EXPECT_EQ(halves_in_processes(2, 20, 0.020, 0.045, 0.010), 0) << "not at once";
  EXPECT_GT(halves_in_processes(20, 20, 0.020, 0.045, 0.010), 150) << "after 2.5 s of calls";
}

TEST(SimilarLevel3Calls, OfManyShortProcessesDoNotEachTryWhatIsHardlySlower) {
  constexpr int processes = 50, calls = 4;
  const int halves = halves_in_processes(processes, calls, 0.020, 0.0228, 0.0228);
  EXPECT_GT(halves, 0);
  EXPECT_LT(halves * 0.0028, 0.025 * processes * calls * 0.020)
      << "of two calls in a try one counts, and is paid for";
}

TEST(SimilarLevel3Calls, OfUnusualCallsAreLearnedApartAndNotKept) {
  WayChooser earlier, later;
  const Level3Problem p = call(Routine::trsm, 1000);
  for (int i = 0; i < 3; ++i) earlier.observe(class_of(p, CallsAre::unusual), Way::job, 9);
  EXPECT_TRUE(earlier.seen_seconds(class_of(p, CallsAre::unusual), Way::job));
  EXPECT_FALSE(earlier.seen_seconds(class_of(p), Way::job));
  ASSERT_TRUE(later.restore(earlier.kept()));
  EXPECT_FALSE(later.seen_seconds(class_of(p, CallsAre::unusual), Way::job));
}

TEST(SimilarLevel3Calls, ThatAreDamagedOrOfAnotherVersionChangeNothing) {
  WayChooser earlier, later;
  const Level3Problem p = call(Routine::trsm, 1000);
  jobs_of(earlier, p, 20, 1.0, 0.5, 1.0, 1.2);
  jobs_of(later, p, 20, 3.0, 4.0, 1.0, 1.2);
  const auto expect_unchanged = [&] {
    EXPECT_NEAR(later.seen_seconds(class_of(p), Way::job).value_or(0), 3.0, 1e-9);
  };
  const auto good = earlier.kept();
  for (std::size_t length = 0; length < good.size(); ++length) {
    ASSERT_FALSE(later.restore({good.begin(), good.begin() + static_cast<long>(length)}));
    expect_unchanged();
  }
  auto longer = good;
  longer.push_back(0);
  EXPECT_FALSE(later.restore(longer));
  auto of_another_version = good;
  ++of_another_version[0];
  EXPECT_FALSE(later.restore(of_another_version));
  expect_unchanged();
  // Wherever it is, no time that is not a number gets in.
  const double nothing = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t at = 0; at + sizeof nothing <= good.size(); ++at) {
    auto damaged = good;
    std::memcpy(damaged.data() + at, &nothing, sizeof nothing);
    WayChooser fresh;
    fresh.restore(damaged);
    for (const Way way : {Way::job, Way::halves})
      ASSERT_TRUE(std::isfinite(fresh.seen_seconds(class_of(p), way).value_or(0))) << at;
  }
}

TEST(SimilarLevel3Calls, ThatAreChosenAndNeverDoneAreLeftInTheEnd) {
  WayChooser chooser;
  const Level3Problem p = call(Routine::symm, 1000);
  for (int i = 0; i < 2; ++i)
    chooser.observe(class_of(p), chooser.choose(class_of(p), {{Way::job, 1.0}, {Way::halves, 1.2}}),
                    1.0);
  int halves = 0;
  for (int i = 0; i < 1000; ++i)
    halves += chooser.choose(class_of(p), {{Way::job, 1.0}, {Way::halves, 1.2}}) == Way::halves;
  EXPECT_GT(halves, tries) << "a call that was not done is no try";
  EXPECT_LT(halves, 100);
}

// The CPU does the calls of a way whose kernels are being built, which may take seconds.
TEST(SimilarLevel3Calls, TryAgainWhatCouldNotBeDoneForLong) {
  WayChooser chooser;
  const Level3Problem p = call(Routine::symm, 1000);
  for (int i = 0; i < 2; ++i)
    chooser.observe(class_of(p), chooser.choose(class_of(p), {{Way::job, 1.0}, {Way::halves, 1.2}}),
                    1.0);
  for (int i = 0; i < 1000; ++i)
    if (chooser.choose(class_of(p), {{Way::job, 1.0}, {Way::halves, 1.2}}) == Way::job)
      chooser.observe(class_of(p), Way::job, 1.0);
  EXPECT_LT(jobs_of(chooser, p, 4000, 1.0, 0.5, 1.0, 1.2), 1000) << "halves are faster";
}

}  // namespace
}  // namespace duoblas::test
