// How estimates move with what calls show.
#include "planner/posterior.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace duoblas {
namespace {

class APosterior : public testing::Test {
 protected:
  void tell(double ratio, bool at_most = false) {
    LogRatio told{std::log(ratio)};
    told.at_most = at_most;
    take_in(told, {all, family, own}, prior);
  }
  double believed() const { return std::exp(posterior(all, family, own, prior).mean); }
  double spread() const { return posterior(all, family, own, prior).spread; }

  const PriorSpread prior{};
  SharedFactor all, family;
  ClassFactor own;
};

TEST_F(APosterior, IsThePredictionBeforeAnythingWasTold) {
  EXPECT_EQ(believed(), 1);
  EXPECT_NEAR(spread(), std::sqrt(0.15 * 0.15 + 0.15 * 0.15 + 0.1 * 0.1), 1e-12);
}

TEST_F(APosterior, IsWhatOneCallToldAndAlmostCertain) {
  tell(1.3);
  EXPECT_NEAR(believed(), 1.3, 0.03);
  EXPECT_LT(spread(), 0.06);
}

TEST_F(APosterior, HardlyMovesForOneDisturbedCall) {
  for (int i = 0; i < 20; ++i) tell(1);
  tell(5);
  EXPECT_NEAR(believed(), 1, 0.15);
  for (int i = 0; i < 20; ++i) tell(1);
  EXPECT_NEAR(believed(), 1, 0.03);
}

TEST_F(APosterior, FollowsAChangeAfterOneFasterOrThreeSlowerCalls) {
  for (int i = 0; i < 20; ++i) tell(1);
  tell(0.4);
  EXPECT_NEAR(believed(), 0.4, 0.05);
  for (int i = 0; i < 20; ++i) tell(0.4);
  for (int i = 0; i < 3; ++i) tell(1);
  EXPECT_NEAR(believed(), 1, 0.1);
}

// Rows that start at odd addresses, or operands that are not in a cache.
TEST_F(APosterior, StaysInTheMiddleOfTwoKindsOfCalls) {
  for (int i = 0; i < 20; ++i) tell(1);
  for (int i = 0; i < 40; ++i) {
    tell(i / 4 % 2 == 0 ? 4 : 1);
    if (i < 8) continue;
    EXPECT_GT(believed(), 1.25) << i;
    EXPECT_LT(believed(), 3.2) << i;
  }
  for (int i = 0; i < 100; ++i) tell(4);
  EXPECT_NEAR(believed(), 4, 0.4) << "it has become slower for good";
}

TEST_F(APosterior, FollowsADrift) {
  double ratio = 1;
  for (int i = 0; i < 200; ++i) tell(ratio *= 1.005);
  EXPECT_NEAR(believed() / ratio, 1, 0.05);
}

TEST_F(APosterior, DoesNotBelieveAFirstCallThatWarmedSomethingUp) {
  tell(8);
  EXPECT_EQ(believed(), 1);
  tell(1);
  EXPECT_NEAR(believed(), 1, 0.02);
}

TEST_F(APosterior, BelievesASecondSlowCall) {
  tell(8);
  tell(8);
  EXPECT_NEAR(believed(), 8, 0.8);
}

TEST_F(APosterior, IsToldLittleByAnUpperBoundAboveIt) {
  tell(1);
  tell(3, true);
  tell(3, true);
  EXPECT_NEAR(believed(), 1, 0.02);
}

TEST_F(APosterior, IsLoweredByUpperBoundsOnlySoThatSomebodyFindsOut) {
  tell(1);
  for (int i = 0; i < 30; ++i) tell(1.2, true);
  EXPECT_LT(believed(), 0.9);
}

TEST_F(APosterior, IsLoweredByAnUpperBoundBelowIt) {
  for (int i = 0; i < 5; ++i) tell(1);
  for (int i = 0; i < 3; ++i) tell(0.5, true);
  EXPECT_NEAR(believed(), 0.5, 0.05);
}

TEST_F(APosterior, TellsNewClassesOfAllThatIsKnownOfOthers) {
  for (int i = 0; i < 6; ++i) {
    own = {};
    tell(2), tell(2);
  }
  own = {};
  EXPECT_NEAR(believed(), 2, 0.2);
  EXPECT_LT(spread(), 0.2);
}

TEST_F(APosterior, StaysTheSameForSmallChanges) {
  for (int i = 0; i < 40; ++i) tell(1);
  const double before = believed();
  tell(1.01);
  EXPECT_EQ(believed(), before);
}

TEST_F(APosterior, GrowsUncertainWhileNobodyLooks) {
  for (int i = 0; i < 10; ++i) tell(1);
  const double before = spread();
  for (int i = 0; i < 500; ++i) fade(own, prior, 1e-3);
  EXPECT_GT(spread(), 4 * before);
  for (int i = 0; i < 100000; ++i) fade(own, prior, 1e-3);
  EXPECT_LT(spread(), 0.24);
}

TEST_F(APosterior, IsLookedAtAgainEverMoreSeldomWhileNothingIsNew) {
  for (int i = 0; i < 10; ++i) tell(1);
  const auto explorations = [&] {
    int count = 0;
    for (int i = 0; i < 10'000; ++i) {
      fade(own, prior, 1e-3);
      if (own.unseen.for_look() < 1e-3) continue;
      ++count;
      tell(1);
    }
    return count;
  };
  const int first = explorations(), then = explorations();
  EXPECT_GE(first, 3);
  EXPECT_LE(first, 6);
  EXPECT_LE(then, 1);
  // An exploration that tells of a change is soon followed by others.
  tell(3), tell(3), tell(3);
  EXPECT_GE(explorations(), 3);
}

// A fifth of C takes 0.75 times what its time model says, four fifths 1.5 times.
// A float of 2,048 does not grow by a tenth of a thousandth.
TEST_F(APosterior, IsLookedAtAgainAlsoAfterAnHourOfShortCalls) {
  for (int i = 0; i < 3; ++i) tell(1);
  fade(own, prior, 3000);
  ASSERT_GT(own.unseen.for_look(), 0);
  tell(1);
  for (int i = 0; i < 100; ++i) fade(own, prior, 59.999);
  EXPECT_EQ(own.unseen.for_look(), 0) << "not yet twice as long";
  for (int i = 0; i < 20'000; ++i) fade(own, prior, 1e-4);
  EXPECT_GT(own.unseen.for_look(), 0);
}

TEST_F(APosterior, LearnsHowATimeDiffersFromItsModelAtOtherPartsOfC) {
  const auto tell_of = [this](double ratio, double part) {
    LogRatio told{std::log(ratio)};
    told.log_part = std::log(part);
    told.steepness = 0.4;
    take_in(told, {all, family, own}, prior);
  };
  tell_of(0.75, 0.2);
  const Posterior once = posterior(all, family, own, prior);
  EXPECT_LT(once.at(std::log(0.2)).spread, 0.06);
  EXPECT_GT(once.at(std::log(0.8)).spread, 0.4) << "nobody saw that part";
  tell_of(1.5, 0.8);
  const Posterior twice = posterior(all, family, own, prior);
  EXPECT_NEAR(std::exp(twice.at(std::log(0.8)).mean), 1.5, 0.06);
  EXPECT_NEAR(std::exp(twice.at(std::log(0.4)).mean), std::sqrt(0.75 * 1.5), 0.08);
  EXPECT_LT(twice.at(std::log(0.4)).spread, 0.1);
}

TEST_F(APosterior, DoubtsASecondSlowCallThatMayStillHaveBeenCold) {
  tell(8);
  tell(8);
  EXPECT_TRUE(own.may_be_cold);
  EXPECT_GT(spread(), 0.5);
  tell(1.1);
  EXPECT_FALSE(own.may_be_cold);
  EXPECT_NEAR(believed(), 1.1, 0.1);
}

// A class without a family, of calls whose first one in a process waits for something.
TEST(APosteriorOfOneClass, IsNotMovedByASlowerStartButTheThirdInARow) {
  ClassFactor own;
  const auto tell = [&](double ratio, bool starts) {
    LogRatio told{std::log(ratio)};
    told.starts = starts;
    take_in(told, own, {0, 0, 0.7});
  };
  for (int i = 0; i < 5; ++i) tell(1, false);
  tell(3, true);
  EXPECT_NEAR(own.mean, 0, 1e-9);
  tell(1, false);
  for (int i = 0; i < 2; ++i) tell(1.02, true);
  EXPECT_NEAR(own.mean, 0, 1e-9);
  tell(1.02, true);
  EXPECT_GT(own.mean, 1e-3) << "programs of one call have no others";
  tell(0.5, true);
  EXPECT_NEAR(std::exp(own.mean), 0.5, 1e-9) << "a start is no faster than other calls";
}

TEST(APosteriorOfOneClass, BelievesAsManySlowerCallsInARowAsItIsTold) {
  for (const int believed : {2, 3}) {
    ClassFactor own;
    LogRatio told;
    told.slow_calls = believed;
    for (int i = 0; i < 20; ++i) take_in(told, own, {0, 0, 0.7});
    told.value = std::log(4);
    for (int i = 1; i < believed; ++i) EXPECT_FALSE(take_in(told, own, {0, 0, 0.7}));
    EXPECT_TRUE(take_in(told, own, {0, 0, 0.7}));
    EXPECT_NEAR(std::exp(own.mean), 4, 1e-9);
  }
}

TEST_F(APosterior, PassesOverWhatIsNoNumber) {
  take_in({std::nan("")}, {all, family, own}, prior);
  EXPECT_EQ(believed(), 1);
  tell(1e300);
  EXPECT_LT(believed(), 2000);
}

}  // namespace
}  // namespace duoblas
