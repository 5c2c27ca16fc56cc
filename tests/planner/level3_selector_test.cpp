// Which way a level-3 call goes, by what such calls took.
#include "planner/level3_selector.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

namespace duoblas::test {
namespace {

Level3Problem call(Routine routine, std::int64_t n) {
  Level3Problem p;
  p.routine = routine;
  p.m = p.n = p.k = n;
  return p;
}

/// Calls that take so long whatever was estimated; how many of them went as one job.
int jobs_of(Level3Selector& selector, const Level3Problem& p, int calls, double job, double halves,
            double estimate_job, double estimate_halves) {
  int jobs = 0;
  for (int i = 0; i < calls; ++i) {
    const Level3Variant variant = selector.choose(p, estimate_job, estimate_halves);
    jobs += variant == Level3Variant::job;
    selector.saw(p, variant, variant == Level3Variant::job ? job : halves);
  }
  return jobs;
}

TEST(SimilarLevel3Calls, BeginWithTheEstimatesAndEndWithWhatIsFaster) {
  Level3Selector selector;
  const Level3Problem p = call(Routine::trsm, 1000);
  EXPECT_EQ(selector.choose(p, 1.0, 1.2), Level3Variant::job);
  jobs_of(selector, p, 20, 1.0, 0.5, 1.0, 1.2);
  EXPECT_EQ(jobs_of(selector, p, 20, 1.0, 0.5, 1.0, 1.2), 0)
      << "halves were tried, and were faster";
  EXPECT_EQ(selector.choose(call(Routine::trmm, 1000), 1.0, 1.2), Level3Variant::job)
      << "another routine is another matter";
  EXPECT_EQ(selector.choose(call(Routine::trsm, 4000), 1.0, 1.2), Level3Variant::job)
      << "and so is another size";
}

TEST(SimilarLevel3Calls, TryWhatIsSlowerAFewTimesOnly) {
  Level3Selector selector;
  const Level3Problem p = call(Routine::symm, 1000);
  const int halves = 100 - jobs_of(selector, p, 100, 1.0, 1.3, 1.0, 1.2);
  EXPECT_GE(halves, Level3Selector::tries);
  // Looked at again for a hundredth of the time.
  EXPECT_LE(0.3 * (halves - Level3Selector::tries), Level3Selector::exploration_part * 100);
  EXPECT_EQ(jobs_of(selector, call(Routine::syrk, 1000), 100, 1.0, 1.0, 1.0, 2.0), 100)
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
          Level3Selector selector;
          double seconds = 0;
          for (int i = 0; i < calls; ++i) {
            const Level3Variant variant = selector.choose(p, 1, estimate);
            const double took = variant == Level3Variant::job ? 1 : halves;
            selector.saw(p, variant, i == disturbed ? times * took : took);
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
    Level3Selector selector;
    const Level3Problem p = call(Routine::syrk, 1000);
    double share = 0.5;
    for (int job = 0; job < 40; ++job) {
      const double paused = job == disturbed ? 1000 : 1;
      selector.saw_sides(p, share, share, share < 1 ? paused * (1 - share) : 0);
      share = selector.balanced_share(p, least).value_or(0.5);
    }
    EXPECT_NEAR(share, 0.5, 0.01) << "job " << disturbed;
  }
}

TEST(SimilarLevel3Calls, TellWhatSuchCallsTookFromTheSecondOn) {
  Level3Selector selector;
  const Level3Problem p = call(Routine::syrk, 1000);
  EXPECT_FALSE(selector.seen_seconds(p, Level3Variant::job));
  selector.saw(p, Level3Variant::job, 5);
  EXPECT_FALSE(selector.seen_seconds(p, Level3Variant::job)) << "a first call waits for kernels";
  selector.saw(p, Level3Variant::job, 1.5);
  EXPECT_DOUBLE_EQ(selector.seen_seconds(p, Level3Variant::job).value_or(0), 1.5);
  EXPECT_FALSE(selector.seen_seconds(p, Level3Variant::halves));
  EXPECT_FALSE(selector.seen_seconds(call(Routine::syrk, 3000), Level3Variant::job));
}

TEST(SimilarLevel3Calls, TellTheShareWithWhichBothSidesEndTogether) {
  Level3Selector selector;
  const Level3Problem p = call(Routine::syrk, 1000);
  // A device of a third of the CPU side's speed.
  const auto call_with = [&](double share) { selector.saw_sides(p, share, 3 * share, 1 - share); };
  call_with(0.5);
  EXPECT_FALSE(selector.balanced_share(p)) << "a first call waits for kernels";
  call_with(0.5);
  EXPECT_DOUBLE_EQ(selector.balanced_share(p).value_or(0), 0.25);
  call_with(0.25);
  EXPECT_DOUBLE_EQ(selector.balanced_share(p).value_or(0), 0.25) << "it stays there";
  selector.saw_sides(p, 0.25, 100, 1);
  EXPECT_DOUBLE_EQ(selector.balanced_share(p).value_or(0), 0.25) << "one disturbed call";
  selector.saw_sides(p, 1.0, 1, 1);
  selector.saw_sides(p, 0.5, 1, 0);
  EXPECT_DOUBLE_EQ(selector.balanced_share(p).value_or(0), 0.25) << "one side had nothing to do";
  EXPECT_FALSE(selector.balanced_share(p, 0, CallsAre::unusual));
  EXPECT_FALSE(selector.balanced_share(call(Routine::syr2k, 1000)));
}

// A side that has nothing to do shows nothing: it is looked at for a hundredth of the time.
TEST(SimilarLevel3Calls, GiveTheCpusSideItsShareAgain) {
  Level3Selector selector;
  const Level3Problem p = call(Routine::syrk, 1000);
  constexpr double least = 0.05;
  const auto call_with = [&](double cpu_per_call) {
    const double share = selector.balanced_share(p, least).value_or(0.5);
    selector.saw_sides(p, share, share, cpu_per_call * (1 - share));
    return share;
  };
  for (int i = 0; i < 4; ++i) call_with(1000);
  EXPECT_EQ(call_with(1000), 1);
  double lost = 0;
  for (int i = 0; i < 20'000; ++i) lost += std::max(0.0, 1000 * (1 - call_with(1000)) - 1);
  EXPECT_GT(lost, 0) << "it was looked at";
  EXPECT_LT(lost, 1.1 * Level3Selector::exploration_part * 20'000);
  for (int i = 0; i < 20'000; ++i) call_with(1);
  EXPECT_DOUBLE_EQ(call_with(1), 0.5) << "both are equally fast";
}

TEST(SimilarLevel3Calls, TellWhatTheCpuTookAndDoNotChooseByIt) {
  Level3Selector selector;
  const Level3Problem p = call(Routine::symm, 1000);
  for (int i = 0; i < 5; ++i) selector.saw(p, Level3Variant::cpu, 0.1);
  EXPECT_DOUBLE_EQ(selector.seen_seconds(p, Level3Variant::cpu).value_or(0), 0.1);
  EXPECT_EQ(selector.choose(p, 1.0, 1.2), Level3Variant::job);
}

TEST(SimilarLevel3Calls, GoTheBetterWayAgainOnceItIsNotDisturbedAnyMore) {
  Level3Selector selector;
  const Level3Problem p = call(Routine::symm, 1000);
  jobs_of(selector, p, 20, 1.0, 1.3, 1.0, 1.2);
  EXPECT_LT(jobs_of(selector, p, 100, 5.0, 1.3, 1.0, 1.2), 10) << "jobs are disturbed";
  jobs_of(selector, p, 500, 1.0, 1.3, 1.0, 1.2);
  EXPECT_GT(jobs_of(selector, p, 100, 1.0, 1.3, 1.0, 1.2), 95);
}

TEST(SimilarLevel3Calls, AreJudgedByTheLastOnesHoweverManyThereWere) {
  Level3Selector selector;
  const Level3Problem p = call(Routine::symm, 1000);
  for (int i = 0; i < 800'000; ++i) {
    selector.saw(p, Level3Variant::job, 1);
    selector.saw_sides(p, 0.5, 1, 1);
  }
  for (int i = 0; i < 3; ++i) {
    selector.saw(p, Level3Variant::job, 5);
    selector.saw_sides(p, 0.5, 3, 1);
  }
  EXPECT_DOUBLE_EQ(selector.seen_seconds(p, Level3Variant::job).value_or(0), 5);
  EXPECT_DOUBLE_EQ(selector.balanced_share(p).value_or(0), 0.25);
}

// Nothing is known of the device's time; the CPU's is looked at where that costs next to nothing.
TEST(SimilarLevel3Calls, LookAtTheCpuOnceAndNeverAtADeviceThatWasNotSeen) {
  Level3Selector selector;
  const Level3Problem p = call(Routine::syrk, 1000);
  EXPECT_FALSE(selector.looks_at(p, Level3Variant::job, 1e-6));
  int looks = 0;
  for (int i = 0; i < 100; ++i) {
    selector.saw(p, Level3Variant::job, 1e-3);
    looks += selector.looks_at(p, Level3Variant::cpu, 1e-3);
  }
  EXPECT_EQ(looks, Level3Selector::tries) << "they came to nothing";
  EXPECT_FALSE(selector.looks_at(p, Level3Variant::cpu, 1)) << "that costs much";
}

TEST(SimilarLevel3Calls, DoNotJudgeByAFirstCall) {
  Level3Selector selector;
  const Level3Problem p = call(Routine::symm, 1000);
  selector.saw(p, selector.choose(p, 1.0, 1.2), 10);
  jobs_of(selector, p, 10, 1.0, 1.3, 1.0, 1.2);
  EXPECT_EQ(jobs_of(selector, p, 10, 1.0, 1.3, 1.0, 1.2), 10);
}

TEST(SimilarLevel3Calls, AreWhereALaterProcessBegins) {
  Level3Selector earlier, later;
  const Level3Problem p = call(Routine::trsm, 1000), q = call(Routine::symm, 1000);
  jobs_of(earlier, p, 20, 1.0, 0.5, 1.0, 1.2);
  jobs_of(earlier, q, 20, 1.0, 1.1, 1.0, 1.2);
  ASSERT_TRUE(later.restore(earlier.kept()));
  EXPECT_DOUBLE_EQ(later.seen_seconds(p, Level3Variant::job).value_or(0), 1.0);
  EXPECT_DOUBLE_EQ(later.seen_seconds(p, Level3Variant::halves).value_or(0), 0.5);
  EXPECT_EQ(jobs_of(later, p, 20, 1.0, 0.5, 1.0, 1.2), 0) << "halves, whatever is estimated";
  // The machine may have changed: what was hardly slower is tried again, and the first call of a
  // process does not count.
  EXPECT_LE(jobs_of(later, q, 20, 1.0, 0.5, 1.0, 1.2), 11) << "halves are faster by now";
}

// Its own calls show that the machine has changed, so what is recalled of the other way is old too.
TEST(SimilarLevel3Calls, TryTheOtherWayAgainOnceTheRecalledOneHasBecomeSlower) {
  Level3Selector earlier;
  const Level3Problem p = call(Routine::symm, 1000);
  jobs_of(earlier, p, 8, 1.0, 1.6, 1.0, 1.2);
  const std::vector<unsigned char> kept = earlier.kept();
  Level3Selector slower, same, jittery;
  ASSERT_TRUE(slower.restore(kept) && same.restore(kept) && jittery.restore(kept));
  EXPECT_LE(jobs_of(slower, p, 20, 1.4, 0.9, 1.0, 1.2), 3);
  EXPECT_EQ(jobs_of(same, p, 8, 1.05, 0.9, 1.0, 1.2), 8) << "a try would cost half a call";
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(jobs_of(jittery, p, 2, i % 2 == 0 ? 1.0 : 1.2, 0.9, 1.0, 1.2), 2) << i;
}

/// How many of the processes' calls went by halves, which seemed slower in the first one.
int halves_in_processes(int processes, int calls_each, double job, double disturbed_halves,
                        double halves) {
  Level3Selector first;
  const Level3Problem p = call(Routine::trsm, 1000);
  for (int i = 0; i < 4; ++i) {
    first.saw(p, Level3Variant::halves, disturbed_halves);
    first.saw(p, Level3Variant::job, job);
  }
  std::vector<unsigned char> kept = first.kept();
  int by_halves = 0;
  for (int process = 0; process < processes; ++process) {
    Level3Selector later;
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
  Level3Selector earlier, later;
  const Level3Problem p = call(Routine::trsm, 1000);
  for (int i = 0; i < 3; ++i) earlier.saw(p, Level3Variant::job, 9, CallsAre::unusual);
  EXPECT_TRUE(earlier.seen_seconds(p, Level3Variant::job, CallsAre::unusual));
  EXPECT_FALSE(earlier.seen_seconds(p, Level3Variant::job));
  ASSERT_TRUE(later.restore(earlier.kept()));
  EXPECT_FALSE(later.seen_seconds(p, Level3Variant::job, CallsAre::unusual));
}

TEST(SimilarLevel3Calls, ThatAreDamagedOrOfAnotherVersionChangeNothing) {
  Level3Selector earlier, later;
  const Level3Problem p = call(Routine::trsm, 1000);
  jobs_of(earlier, p, 20, 1.0, 0.5, 1.0, 1.2);
  jobs_of(later, p, 20, 3.0, 4.0, 1.0, 1.2);
  const auto expect_unchanged = [&] {
    EXPECT_DOUBLE_EQ(later.seen_seconds(p, Level3Variant::job).value_or(0), 3.0);
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
    Level3Selector fresh;
    fresh.restore(damaged);
    for (const Level3Variant variant : {Level3Variant::job, Level3Variant::halves})
      ASSERT_TRUE(std::isfinite(fresh.seen_seconds(p, variant).value_or(0))) << at;
  }
}

TEST(SimilarLevel3Calls, ThatAreChosenAndNeverDoneAreLeftInTheEnd) {
  Level3Selector selector;
  const Level3Problem p = call(Routine::symm, 1000);
  for (int i = 0; i < 2; ++i) selector.saw(p, selector.choose(p, 1.0, 1.2), 1.0);
  int halves = 0;
  for (int i = 0; i < 1000; ++i) halves += selector.choose(p, 1.0, 1.2) == Level3Variant::halves;
  EXPECT_GT(halves, Level3Selector::tries) << "a call that was not done is no try";
  EXPECT_LT(halves, 100);
}

// The CPU does the calls of a way whose kernels are being built, which may take seconds.
TEST(SimilarLevel3Calls, TryAgainWhatCouldNotBeDoneForLong) {
  Level3Selector selector;
  const Level3Problem p = call(Routine::symm, 1000);
  for (int i = 0; i < 2; ++i) selector.saw(p, selector.choose(p, 1.0, 1.2), 1.0);
  for (int i = 0; i < 1000; ++i)
    if (selector.choose(p, 1.0, 1.2) == Level3Variant::job)
      selector.saw(p, Level3Variant::job, 1.0);
  EXPECT_LT(jobs_of(selector, p, 4000, 1.0, 0.5, 1.0, 1.2), 1000) << "halves are faster";
}

}  // namespace
}  // namespace duoblas::test
