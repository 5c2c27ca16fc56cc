// Which results are looked at: by the mode, and by what checks have cost so far.
#include "engine/result_checks.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace duoblas {
namespace {

struct ResultChecksOfAProduct : testing::Test {
  ResultChecksOfAProduct() {
    part.m = part.n = part.k = part.lda = part.ldb = part.ldc = extent;
    part.alpha = 1;
    part.a = a.data();
    part.b = a.data();
    part.c = c.data();
  }

  /// A call of a second; a check that was due took `check_seconds`. Says whether one was.
  bool call(ResultChecks& checks, double check_seconds = 0.01, bool as_told = false) {
    const auto wanted = checks.begin(part, kernel, as_told);
    HybridOutcome outcome;
    outcome.times.whole = 1;
    if (wanted) outcome.check = CheckedResult{{}, check_seconds};
    checks.ended(part, kernel, outcome);
    return wanted != nullptr;
  }

  int checked_of(int calls, ResultChecks& checks, double check_seconds = 0.01) {
    int count = 0;
    for (int i = 0; i < calls; ++i) count += call(checks, check_seconds);
    return count;
  }

  static constexpr std::int64_t extent = 4;
  std::vector<float> a = std::vector<float>(extent * extent, 1), c = a;
  GemmProblem part;
  KernelParams kernel;
};

TEST_F(ResultChecksOfAProduct, AreAllOrNoneAsItWasSaid) {
  ResultChecks always(CheckMode::always), off(CheckMode::off);
  EXPECT_EQ(checked_of(20, always), 20);
  EXPECT_EQ(checked_of(20, off), 0);
  EXPECT_EQ(off.counts().results, 0u);
  off.set_mode(CheckMode::always);
  EXPECT_TRUE(call(off));
}

TEST_F(ResultChecksOfAProduct, AreOfSomethingNewUntilFourWereRight) {
  ResultChecks checks(CheckMode::sampled), off(CheckMode::off);
  EXPECT_FALSE(off.is_new(part, kernel));
  for (int i = 0; i < 4; ++i) {
    EXPECT_TRUE(checks.is_new(part, kernel));
    call(checks);
  }
  EXPECT_FALSE(checks.is_new(part, kernel));
}

// The host scales C, so that says nothing of the kernel.
TEST_F(ResultChecksOfAProduct, DoNotCountWhatOnlyScalesC) {
  ResultChecks checks(CheckMode::sampled);
  part.k = 0;
  call(checks);
  EXPECT_EQ(checks.counts().results, 0u);
  EXPECT_EQ(checks.unchecked(kernel, part.precision), 0u);
}

TEST_F(ResultChecksOfAProduct, AreTheFirstOnesAndThenAsManyAsTakeHalfAPercent) {
  ResultChecks checks(CheckMode::sampled);
  constexpr double seconds = 0.0099;  // of calls of a second: 5 seconds in a thousand
  EXPECT_EQ(checked_of(4, checks, seconds), 4);
  EXPECT_EQ(checked_of(1000, checks, seconds), 504);
  const CheckCounts counts = checks.counts();
  EXPECT_EQ(counts.results, 1004u);
  EXPECT_EQ(counts.checked, 508u);
  EXPECT_NEAR(counts.seconds, 508 * seconds, 1e-9);
  EXPECT_EQ(checks.unchecked(kernel, Precision::s), 496u);
  EXPECT_EQ(checks.unchecked(kernel, Precision::d), 0u);
}

TEST_F(ResultChecksOfAProduct, AreRareWhereTheyAreDear) {
  ResultChecks checks(CheckMode::sampled);
  EXPECT_EQ(checked_of(4, checks, 1.9), 4);
  EXPECT_EQ(checked_of(4000, checks, 1.9), 20) << "one in 191 at least";
}

TEST_F(ResultChecksOfAProduct, BeginAnewForEachClass) {
  ResultChecks checks(CheckMode::sampled);
  checked_of(200, checks, 1);
  part.op_a = Op::transpose;
  EXPECT_EQ(checked_of(4, checks, 1), 4);
  part.precision = Precision::c;
  part.m = part.n = part.k = 2;
  EXPECT_EQ(checked_of(4, checks, 1), 4);
  kernel.tile_rows = 3;
  EXPECT_EQ(checked_of(4, checks, 1), 4);
}

TEST_F(ResultChecksOfAProduct, GoOnWhereAnEarlierProcessEnded) {
  ResultChecks first(CheckMode::sampled);
  checked_of(1000, first, 0.1);
  ResultChecks second(CheckMode::sampled), fresh(CheckMode::sampled);
  ASSERT_TRUE(second.restore(first.kept("sources"), "sources"));
  EXPECT_FALSE(second.is_new(part, kernel));
  EXPECT_LE(checked_of(20, second, 0.1), 2);
  EXPECT_EQ(checked_of(4, fresh, 0.1), 4);
  part.op_a = Op::transpose;
  EXPECT_EQ(checked_of(4, second, 0.1), 4) << "of another class nothing is known";
  part.op_a = Op::none;
  ResultChecks third(CheckMode::sampled);
  EXPECT_TRUE(third.restore(second.kept("sources"), "others"));
  EXPECT_TRUE(third.is_new(part, kernel)) << "of other sources nothing is known";
}

TEST_F(ResultChecksOfAProduct, AreNotLeftOutByManyProcessesOfFewCalls) {
  std::vector<unsigned char> kept;
  int checked = 0;
  for (int process = 0; process < 100; ++process) {
    ResultChecks checks(CheckMode::sampled);
    if (!kept.empty()) checks.restore(kept, "");
    checked += checked_of(10, checks, 10);
    kept = checks.kept("");
  }
  EXPECT_GE(checked, 8) << "of 1000 results that take long to check";
}

TEST_F(ResultChecksOfAProduct, FindAKernelThatGoesBadAfterManyRightResults) {
  ResultChecks first(CheckMode::sampled);
  checked_of(10'000, first, 1);
  ResultChecks checks(CheckMode::sampled);
  ASSERT_TRUE(checks.restore(first.kept(""), ""));
  HybridOutcome wrong;
  wrong.times.whole = 1;
  wrong.check.emplace();
  wrong.check->verdict.wrong.emplace();
  int calls = 1;
  while (!checks.begin(part, kernel, false)) {
    checks.ended(part, kernel, HybridOutcome());
    ASSERT_LE(++calls, 200);
  }
  checks.ended(part, kernel, wrong);
  EXPECT_TRUE(checks.is_new(part, kernel)) << "all of it is forgotten";
  ResultChecks later(CheckMode::sampled);
  EXPECT_TRUE(later.restore(checks.kept(""), ""));
  EXPECT_TRUE(later.is_new(part, kernel));
}

TEST_F(ResultChecksOfAProduct, BelieveNoDamagedBytes) {
  ResultChecks checks(CheckMode::sampled);
  checked_of(10, checks);
  std::vector<unsigned char> kept = checks.kept("");
  kept.pop_back();
  EXPECT_FALSE(checks.restore(kept, ""));
  EXPECT_FALSE(checks.restore({}, ""));
}

TEST_F(ResultChecksOfAProduct, LeaveCallsThatMeasureAlone) {
  ResultChecks sampled(CheckMode::sampled), always(CheckMode::always);
  EXPECT_FALSE(call(sampled, 0.01, true));
  EXPECT_TRUE(call(always, 0.01, true));
}

TEST_F(ResultChecksOfAProduct, CountWhatTheyShow) {
  ResultChecks checks(CheckMode::always);
  HybridOutcome outcome;
  outcome.check.emplace();
  outcome.check->verdict.suspected_rows = 3;
  checks.ended(part, kernel, outcome);
  outcome.check->verdict.wrong.emplace();
  checks.ended(part, kernel, outcome);
  EXPECT_EQ(checks.counts().suspected, 2u);
  EXPECT_EQ(checks.counts().wrong, 1u);
}

TEST_F(ResultChecksOfAProduct, SayNothingOfWhatHasNoFiniteFactors) {
  ResultChecks checks(CheckMode::always);
  part.alpha = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(call(checks));
}

}  // namespace
}  // namespace duoblas
