// Whether a program's call of LAPACK is done here, by what such calls took.
#include "planner/way_chooser.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

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
int ours_of(WayChooser& chooser, const LapackProblem& p, int calls, Times true_times,
            Times estimate) {
  int ours = 0;
  for (int i = 0; i < calls; ++i) {
    const Way way = chooser.choose(class_of(p), {{Way::plain, estimate.programs},
                                                 {Way::job, estimate.ours, 1 / least_of_plain}});
    ours += way == Way::job;
    chooser.observe(class_of(p), way, way == Way::job ? true_times.ours : true_times.programs);
  }
  return ours;
}

TEST(SimilarLapackCalls, AreOursAtOnceWhereHalfTheTimeIsExpected) {
  WayChooser chooser;
  const LapackProblem p = call(LapackRoutine::getrf, 4000);
  EXPECT_EQ(ours_of(chooser, p, 20, {0.2, 1}, {0.3, 1}), 20);
}

TEST(SimilarLapackCalls, WaitForTheProgramsTimeWhereLessIsExpected) {
  WayChooser chooser;
  const LapackProblem p = call(LapackRoutine::getrf, 4000);
  EXPECT_EQ(chooser.choose(class_of(p), {{Way::plain, 1}, {Way::job, 0.8, 1 / least_of_plain}}),
            Way::plain);
  EXPECT_EQ(ours_of(chooser, p, 2, {0.7, 1}, {0.8, 1}), 0);
  EXPECT_EQ(ours_of(chooser, p, 20, {0.7, 1}, {0.8, 1}), 20);
}

// A try would cost what a program of ten calls gains. Of many it is a small part.
TEST(SimilarLapackCalls, OfTheProgramAreTriedOnceOursMayHaveLostAsMuch) {
  WayChooser chooser;
  const LapackProblem p = call(LapackRoutine::gesv, 4000);
  constexpr Times true_times{0.55, 1.2}, estimate{0.45, 1};
  EXPECT_EQ(ours_of(chooser, p, 10, true_times, estimate), 10);
  EXPECT_EQ(ours_of(chooser, p, 30, true_times, estimate), 28);
  EXPECT_EQ(ours_of(chooser, p, 50, true_times, estimate), 50) << "it is known by now";
}

TEST(SimilarLapackCalls, OfTheProgramAreTriedSoonWhereOursTakeNearlyItsEstimate) {
  WayChooser chooser;
  const LapackProblem p = call(LapackRoutine::gesv, 4000);
  EXPECT_EQ(ours_of(chooser, p, 2, {0.9, 0.5}, {0.45, 1}), 2);
  EXPECT_EQ(ours_of(chooser, p, 20, {0.9, 0.5}, {0.45, 1}), 0);
  WayChooser at_once;
  EXPECT_EQ(ours_of(at_once, p, 20, {1.1, 0.5}, {0.45, 1}), 2) << "more than its estimate";
}

TEST(SimilarLapackCalls, OfTheProgramAreTriedAfterTheCallsOfSeveralShortProcesses) {
  const LapackProblem p = call(LapackRoutine::gesv, 4000);
  std::vector<unsigned char> kept;
  int ours = 0;
  constexpr int processes = 10, calls = 6;
  for (int process = 0; process < processes; ++process) {
    WayChooser later;
    if (!kept.empty()) {
      ASSERT_TRUE(later.restore(kept));
    }
    ours += ours_of(later, p, calls, {0.55, 0.5}, {0.45, 1});
    kept = later.kept();
  }
  EXPECT_LT(ours, processes * calls / 2) << "the program's are a little faster";
}

TEST(SimilarLapackCalls, AreTheProgramsOnceOursWereSlower) {
  WayChooser chooser;
  const LapackProblem p = call(LapackRoutine::potrf, 4000);
  EXPECT_EQ(ours_of(chooser, p, 100, {3, 1}, {0.3, 1}), 2) << "the estimate was wrong";
  EXPECT_EQ(ours_of(chooser, p, 100, {3, 1}, {0.3, 1}), 0);
  EXPECT_GT(ours_of(chooser, call(LapackRoutine::getrf, 4000), 1, {0.2, 1}, {0.3, 1}), 0)
      << "another routine is another matter";
}

TEST(SimilarLapackCalls, AreTheProgramsOnceOursAreSlowerHoweverManyWereFast) {
  WayChooser chooser;
  const LapackProblem p = call(LapackRoutine::getrf, 1000);
  for (int i = 0; i < 3; ++i) chooser.observe(class_of(p), Way::plain, 1);
  for (int i = 0; i < 1'100'000; ++i) chooser.observe(class_of(p), Way::job, 0.5);
  for (int i = 0; i < 3; ++i) chooser.observe(class_of(p), Way::job, 1.2);
  EXPECT_EQ(ours_of(chooser, p, 3, {1.2, 1}, {0.5, 1}), 0);
}

TEST(SimilarLapackCalls, DoNotTryWhatIsExpectedToBeMuchSlower) {
  WayChooser chooser;
  const LapackProblem p = call(LapackRoutine::getrf, 1000);
  EXPECT_EQ(ours_of(chooser, p, 50, {1, 1}, {1.5, 1}), 0);
}

// Ours were disturbed: that is found out, and costs a hundredth of the time at most.
TEST(SimilarLapackCalls, AreLookedAtAgainOnceThatCostsLittle) {
  WayChooser chooser;
  const LapackProblem p = call(LapackRoutine::potrf, 4000);
  ours_of(chooser, p, 2, {0.3, 1}, {0.8, 1});  // the program's
  ours_of(chooser, p, 4, {12, 1}, {0.8, 1});   // the second one is not believed
  EXPECT_EQ(ours_of(chooser, p, 1000, {0.5, 1}, {0.8, 1}), 0) << "11 s are more than 1 % of 1000 s";
  EXPECT_GT(ours_of(chooser, p, 1000, {0.5, 1}, {0.8, 1}), 800);
}

TEST(SimilarLapackCalls, AreTheProgramsAgainWhenThatHasBecomeFaster) {
  WayChooser chooser;
  const LapackProblem p = call(LapackRoutine::potrf, 4000);
  ours_of(chooser, p, 4, {0.9, 1}, {0.8, 1});
  EXPECT_LT(ours_of(chooser, p, 1000, {0.9, 0.1}, {0.8, 1}), 50);
}

// Another program uses the device for a while, and then the cores.
TEST(SimilarLapackCalls, FollowTheFasterSideWhicheverOneChangesItsSpeed) {
  WayChooser chooser;
  const LapackProblem p = call(LapackRoutine::geqrf, 4000);
  const auto excess = [&](int calls, Times now) {
    const int ours = ours_of(chooser, p, calls, now, {0.1, 1});
    return (ours * now.ours + (calls - ours) * now.programs) /
               (calls * std::min(now.ours, now.programs)) -
           1;
  };
  constexpr double most = 0.025;  // as of products on a GPU that throttles
  EXPECT_LT(excess(400, {0.1, 1}), most);
  EXPECT_LT(excess(800, {4, 1}), most) << "the device is slow";
  excess(400, {0.1, 1});
  EXPECT_LT(excess(400, {0.1, 1}), most) << "it is fast again";
  excess(400, {0.1, 0.05});
  EXPECT_LT(excess(400, {0.1, 0.05}), most) << "the program's library became faster";
  EXPECT_LT(excess(4000, {0.1, 2}), most) << "and slow";
}

// Threads of the library that did the last call wait for its next one, spinning.
TEST(SimilarLapackCalls, AreOursAgainThoughEachCallAfterAChangeIsDisturbed) {
  for (const double disturbed : {1.0, 1.3, 2.0, 3.0, 4.0}) {
    WayChooser chooser;
    const LapackProblem p = call(LapackRoutine::geqrf, 4000);
    Way last = Way::job;
    const auto excess = [&](int calls, Times now) {
      double all = 0;
      for (int i = 0; i < calls; ++i) {
        const Way who =
            chooser.choose(class_of(p), {{Way::plain, 1}, {Way::job, 0.3, 1 / least_of_plain}});
        double seconds = who == Way::job ? now.ours : now.programs;
        if (who != last) seconds *= disturbed;
        last = who;
        chooser.observe(class_of(p), who, seconds);
        all += seconds;
      }
      return all / (calls * std::min(now.ours, now.programs)) - 1;
    };
    excess(50, {0.6, 1});
    EXPECT_LT(excess(300, {4, 1}), 0.04) << "the device is slow";
    excess(600, {0.6, 1});
    EXPECT_LT(excess(600, {0.6, 1}), 0.04) << disturbed;
  }
}

// A machine that pauses in one of the first calls, whoever does it.
TEST(SimilarLapackCalls, AreNotDecidedByOneDisturbedCall) {
  const LapackProblem p = call(LapackRoutine::getrf, 4000);
  constexpr int calls = 600, late = 300, first_calls = 12;
  for (const Times true_times : {Times{0.2, 1}, {0.7, 1}, {1, 0.7}, {1, 0.2}})
    for (const double estimate : {0.3, 0.8})
      for (int disturbed = 0; disturbed < first_calls; ++disturbed)
        for (const double times : {10.0, 1000.0}) {
          WayChooser chooser;
          double seconds = 0;
          for (int i = 0; i < calls; ++i) {
            const Way way = chooser.choose(
                class_of(p), {{Way::plain, 1}, {Way::job, estimate, 1 / least_of_plain}});
            const double took = way == Way::job ? true_times.ours : true_times.programs;
            chooser.observe(class_of(p), way, i == disturbed ? times * took : took);
            if (i >= calls - late) seconds += took;
          }
          EXPECT_LE(seconds, 1.03 * late * std::min(true_times.ours, true_times.programs))
              << true_times.ours << " and " << true_times.programs << ", call " << disturbed << ", "
              << times;
        }
}

// An exploration of which nothing comes, since the device is away, is not repeated with each call.
TEST(SimilarLapackCalls, ThatNobodySeesAreSeldomTried) {
  WayChooser chooser;
  const LapackProblem p = call(LapackRoutine::potrf, 4000);
  ours_of(chooser, p, 2, {2, 1}, {0.8, 1});
  ours_of(chooser, p, 2, {2, 1}, {0.8, 1});
  int tried = 0;
  for (int i = 0; i < 1000; ++i) {
    const Way way =
        chooser.choose(class_of(p), {{Way::plain, 1}, {Way::job, 2, 1 / least_of_plain}});
    tried += way == Way::job;
    if (way == Way::plain) chooser.observe(class_of(p), way, 1);
  }
  EXPECT_GT(tried, 2);
  EXPECT_LT(tried, 12);
}

TEST(SimilarLapackCalls, TellWhatTheProgramsLibraryTakesAtLeast) {
  WayChooser chooser;
  const LapackProblem p = call(LapackRoutine::getrf, 4000);
  EXPECT_DOUBLE_EQ(chooser.least_plain_seconds(class_of(p), 3), least_of_plain * 3);
  chooser.observe(class_of(p), Way::plain, 9);
  EXPECT_DOUBLE_EQ(chooser.least_plain_seconds(class_of(p), 3), least_of_plain * 3);
  chooser.observe(class_of(p), Way::plain, 2);
  EXPECT_NEAR(chooser.least_plain_seconds(class_of(p), 3), 2, 1e-9);
}

struct StoredLapackTimes : testing::Test {
  const LapackProblem p = call(LapackRoutine::getrf, 4000);
  WayChooser earlier;
  void SetUp() override { ours_of(earlier, p, 6, {0.9, 1}, {0.95, 1}); }
};

TEST_F(StoredLapackTimes, AreKnownInTheNextProcess) {
  WayChooser later;
  ASSERT_TRUE(later.restore(earlier.kept()));
  EXPECT_EQ(later.kept(), earlier.kept());
  EXPECT_EQ(later.choose(class_of(p), {{Way::plain, 1}, {Way::job, 5, 1 / least_of_plain}}),
            Way::job)
      << "whatever is estimated";
  // The first call of the process waits for kernels.
  later.observe(class_of(p), Way::job, 50);
  EXPECT_EQ(later.choose(class_of(p), {{Way::plain, 1}, {Way::job, 5, 1 / least_of_plain}}),
            Way::job);
}

// A drop-in's first calls are the program's, before the device is open.
TEST_F(StoredLapackTimes, GiveWayToThoseThatThisProcessHasShown) {
  WayChooser later;
  for (int i = 0; i < 3; ++i) later.observe(class_of(p), Way::plain, 0.3);
  ASSERT_TRUE(later.restore(earlier.kept()));
  EXPECT_NEAR(later.least_plain_seconds(class_of(p), 9), 0.3, 1e-9);
  EXPECT_EQ(later.choose(class_of(p), {{Way::plain, 9}, {Way::job, 0.1, 1 / least_of_plain}}),
            Way::plain)
      << "ours took 0.9";
}

TEST_F(StoredLapackTimes, OfTheOtherProviderAreDoubtedOnceTheFasterOneHasBecomeSlower) {
  WayChooser later, same;
  ASSERT_TRUE(later.restore(earlier.kept()) && same.restore(earlier.kept()));
  EXPECT_EQ(ours_of(later, p, 5, {1.2, 0.9}, {0.95, 1}), 3) << "the first one does not count";
  EXPECT_EQ(ours_of(later, p, 15, {1.2, 0.9}, {0.95, 1}), 0);
  EXPECT_EQ(ours_of(same, p, 8, {0.9, 0.7}, {0.95, 1}), 8) << "nothing has changed";
}

TEST_F(StoredLapackTimes, OfTheSlowerProviderAreLookedAtAgainAfterAllCallsOfManyShortProcesses) {
  WayChooser first;
  ours_of(first, p, 20, {2, 1}, {0.4, 1});
  std::vector<unsigned char> kept = first.kept();
  int ours = 0;
  for (int process = 0; process < 40; ++process) {
    WayChooser later;
    ASSERT_TRUE(later.restore(kept));
    const int of_process = ours_of(later, p, 15, {0.5, 1}, {0.4, 1});
    EXPECT_TRUE(process >= 3 || of_process == 0) << "not at once";
    ours += of_process;
    kept = later.kept();
  }
  EXPECT_GT(ours, 300) << "ours are twice as fast by now";
}

TEST_F(StoredLapackTimes, OfAnotherVersionOrDamagedAreNothing) {
  const auto good = earlier.kept();
  WayChooser later;
  for (std::size_t length = 0; length < good.size(); ++length)
    ASSERT_FALSE(later.restore({good.begin(), good.begin() + static_cast<long>(length)}));
  for (const std::size_t at : {0u, 4u, 8u, 12u}) {  // kind, format, size, count
    auto other = good;
    ++other[at];
    EXPECT_FALSE(later.restore(other)) << at;
  }
  auto routine = good;
  routine[16] = 200;
  EXPECT_FALSE(later.restore(routine));
  EXPECT_EQ(later.choose(class_of(p), {{Way::plain, 1}, {Way::job, 5, 1 / least_of_plain}}),
            Way::plain);
}

// A drop-in's calls before the device is open are told of with the first one after it.
TEST_F(StoredLapackTimes, AreToldOfOnceSomebodyListens) {
  WayChooser chooser;
  for (int i = 0; i < 3; ++i) chooser.observe(class_of(p), Way::plain, 0.3);
  int told = 0;
  chooser.tell([&] { ++told; }, [] { return true; });
  chooser.observe(class_of(p), Way::plain, 0.3);
  EXPECT_EQ(told, 1);
}

TEST_F(StoredLapackTimes, AreToldOfAtOnceWhereTheyChangeAChoiceAndSeldomElsewhere) {
  WayChooser chooser;
  int told = 0;
  const auto calls = [&](int number, Times now) {
    const int before = told;
    ours_of(chooser, p, number, now, {0.95, 1});
    return told - before;
  };
  chooser.tell(
      [&] {
        ++told;
        EXPECT_FALSE(chooser.kept().empty());
      },
      [] { return true; });
  EXPECT_EQ(calls(1, {0.9, 1}), 1) << "the process may end soon";
  calls(2047, {0.9, 1});
  EXPECT_LE(told, 14) << "after twice as long each time, and of each way once";
  EXPECT_EQ(calls(1000, {0.9, 0.5}), 1) << "the other one has become the better one";
}

}  // namespace
}  // namespace duoblas::test
