// Which samples count beside other programs, on a machine that the test plays.
#include "tuner/quiet.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace duoblas {
namespace {

class QuietOf : public ::testing::Test {
 protected:
  // Time passes in which we have `own` processors. Others work from `begins_` to `ends_`.
  void pass(double seconds, double own) {
    const double from = std::max(now_.at, begins_), to = std::min(now_.at + seconds, ends_);
    const double others = std::max(0.0, to - from) * others_;
    now_.at += seconds;
    now_.own += seconds * own;
    now_.busy += seconds * own + others;
  }
  // The system counts whole ticks.
  ProcessorUse use() const {
    ProcessorUse seen = now_;
    seen.busy = std::floor(100 * seen.busy) / 100;
    return seen;
  }

  ProcessorUse now_{0, 0, 0, 2};
  double others_ = 1, begins_ = 1e9, ends_ = 1e9;
  Quiet quiet_{10, 30, [this] { return use(); }, [this](double seconds) { pass(seconds, 0); }};
};

TEST_F(QuietOf, AMachineOfOurOwnIsQuiet) {
  quiet_.begin();
  pass(0.5, 2);
  EXPECT_EQ(quiet_.judge(), Quiet::Verdict::quiet);
  EXPECT_EQ(quiet_.beside(), 0);
}

TEST_F(QuietOf, ShortWorkIsJudgedTogether) {
  begins_ = 0;
  others_ = 0.6;
  for (int i = 0; i < 3; ++i) {
    quiet_.begin();
    pass(0.08, 2);
    EXPECT_EQ(quiet_.judge(), Quiet::Verdict::too_short);
    pass(10, 0);  // kernels are built meanwhile: nobody's samples
  }
  quiet_.begin();
  pass(0.08, 2);
  EXPECT_EQ(quiet_.judge(), Quiet::Verdict::disturbed);
}

TEST_F(QuietOf, ABurstIsWaitedFor) {
  begins_ = 1;
  ends_ = 6;
  quiet_.begin();
  pass(1.4, 1.5);
  EXPECT_EQ(quiet_.judge(), Quiet::Verdict::disturbed);
  EXPECT_TRUE(quiet_.wait());
  EXPECT_GE(now_.at, 6);
  EXPECT_LT(now_.at, 6.3);
  EXPECT_FALSE(quiet_.is_steady());
  pass(0.5, 2);
  EXPECT_EQ(quiet_.judge(), Quiet::Verdict::quiet);
}

TEST_F(QuietOf, WorkThatDoesNotEndIsHowTheMachineIsUntilItEnds) {
  begins_ = 0;
  ends_ = 60;
  quiet_.begin();
  pass(0.5, 1.5);
  EXPECT_EQ(quiet_.judge(), Quiet::Verdict::disturbed);
  EXPECT_FALSE(quiet_.wait());
  EXPECT_LT(now_.at, 12);
  EXPECT_TRUE(quiet_.is_steady());
  EXPECT_NEAR(quiet_.beside(), 1, 0.1);
  others_ = 0.5;
  quiet_.begin();
  pass(2, 1.5);
  EXPECT_EQ(quiet_.judge(), Quiet::Verdict::disturbed);
  EXPECT_NEAR(quiet_.beside(), 0.5, 0.05);
  now_.at = 60;
  quiet_.begin();
  pass(0.5, 2);
  EXPECT_EQ(quiet_.judge(), Quiet::Verdict::quiet);
  EXPECT_EQ(quiet_.beside(), 0);
  EXPECT_FALSE(quiet_.is_steady());
}

TEST_F(QuietOf, WhatADesktopDoesWhenNobodyUsesItCountsNot) {
  begins_ = 0;
  others_ = 0.1;
  for (int i = 0; i < 20; ++i) {
    quiet_.begin();
    pass(0.35, 2);
    EXPECT_EQ(quiet_.judge(), Quiet::Verdict::quiet);
  }
}

TEST_F(QuietOf, OneBusyProgramIsSeenOnManyProcessors) {
  now_.processors = 64;
  begins_ = 0;
  quiet_.begin();
  pass(1, 60);
  EXPECT_EQ(quiet_.judge(), Quiet::Verdict::disturbed);
  EXPECT_FALSE(quiet_.wait());
}

TEST_F(QuietOf, WhatIsDisturbedAgainAndAgainIsHowTheMachineIs) {
  begins_ = 0;
  others_ = 0.7;
  quiet_.begin();
  pass(0.5, 1.3);
  EXPECT_EQ(quiet_.judge(), Quiet::Verdict::disturbed);
  EXPECT_EQ(quiet_.beside(), 0);
  quiet_.give_up();
  EXPECT_NEAR(quiet_.beside(), 0.7, 0.1);
}

TEST_F(QuietOf, AllWaitingTogetherEnds) {
  for (int burst = 0; burst < 5; ++burst) {
    begins_ = now_.at;
    ends_ = now_.at + 8;
    quiet_.begin();
    pass(0.5, 1.5);
    EXPECT_EQ(quiet_.judge(), Quiet::Verdict::disturbed);
    EXPECT_EQ(quiet_.wait(), burst < 3) << burst;  // 7.5 s each, of 30
    pass(8, 0);
    quiet_.begin();
    pass(0.5, 2);
    EXPECT_EQ(quiet_.judge(), Quiet::Verdict::quiet);
  }
}

TEST_F(QuietOf, WithoutReportsEverythingCounts) {
  Quiet blind(10, 30, [] { return ProcessorUse(); });
  blind.begin();
  EXPECT_EQ(blind.judge(), Quiet::Verdict::too_short);
  EXPECT_EQ(blind.beside(), 0);
}

}  // namespace
}  // namespace duoblas
