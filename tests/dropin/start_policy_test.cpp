#include "dropin/engine/start_policy.hpp"

#include <gtest/gtest.h>

#include "support/temporary_directory.hpp"

namespace duoblas {
namespace {

class AStartPolicy : public testing::Test {
 protected:
  AStartPolicy() { settings.cache_dir = folder.path(); }

  // Eighths of seconds of calls until it pays.
  int eighths() const {
    StartPolicy policy(settings);
    int calls = 0;
    for (; !policy.pays(promise) && calls < 10000; ++calls) policy.add(product, 0.125);
    return calls;
  }

  const test::TemporaryDirectory folder;
  Settings settings;
  GemmProblem product;
  StartPolicy::Promise promise = [](const GemmProblem&) { return std::nullopt; };
};

// 4 s of the CPU alone that both sides do in 1 s.
constexpr Gains much{1, 1, 3};

TEST_F(AStartPolicy, WaitsForASecondWhereNothingIsKnown) {
  EXPECT_EQ(eighths(), 8);
}

TEST_F(AStartPolicy, CountsCallsByWhatTheDevicePromisesOfThem) {
  double gain = 0.45;
  promise = [&gain](const GemmProblem&) { return gain; };
  EXPECT_EQ(eighths(), 8) << "a second of such calls has missed what a start takes";
  gain = 0.9;
  EXPECT_EQ(eighths(), 8);
  gain = 0.225;
  EXPECT_EQ(eighths(), 16);
  gain = 0;
  EXPECT_EQ(eighths(), 10000) << "the device is of no use to them";
}

TEST_F(AStartPolicy, CountsCallsOfKnownGainByIt) {
  const auto eighths_of = [&](double gain) {
    StartPolicy policy(settings);
    int calls = 0;
    for (; !policy.pays(promise) && calls < 10000; ++calls) policy.add(gain, 0.125);
    return calls;
  };
  EXPECT_EQ(eighths_of(0.9), 8);
  EXPECT_EQ(eighths_of(0.225), 16);
  EXPECT_EQ(eighths_of(0), 10000);
}

TEST_F(AStartPolicy, AsksOnlyOnceCallsTookLongEnough) {
  int asked = 0;
  promise = [&asked](const GemmProblem&) { return ++asked, 0.9; };
  StartPolicy policy(settings);
  for (int calls = 0; calls < 7; ++calls) policy.add(product, 0.125);
  EXPECT_FALSE(policy.pays(promise));
  EXPECT_EQ(asked, 0);
  policy.add(product, 0.125);
  EXPECT_TRUE(policy.pays(promise));
  EXPECT_EQ(asked, 1) << "of equal products one answer will do";
  EXPECT_TRUE(policy.pays(promise));
}

TEST_F(AStartPolicy, WeighsEachProductByItself) {
  promise = [](const GemmProblem& of) { return of.k > 100 ? 0.9 : 0.0; };
  StartPolicy policy(settings);
  GemmProblem update, large;
  update.k = 64;
  large.k = 1000;
  policy.add(update, 5);
  EXPECT_FALSE(policy.pays(promise));
  policy.add(large, 0.75);
  EXPECT_FALSE(policy.pays(promise));
  policy.add(large, 0.25);
  EXPECT_TRUE(policy.pays(promise));
}

TEST_F(AStartPolicy, CountsManyDifferentProductsInFull) {
  promise = [](const GemmProblem&) { return 0.0; };
  StartPolicy policy(settings);
  GemmProblem one;
  for (one.m = 1; one.m < 10000; one.m *= 2)
    for (one.n = 1; one.n < 10000; one.n *= 2) policy.add(one, 0.125);
  EXPECT_TRUE(policy.pays(promise));
}

TEST_F(AStartPolicy, AsksOnceForAClassOfProducts) {
  int asked = 0;
  promise = [&asked](const GemmProblem&) { return ++asked, 0.0; };
  StartPolicy policy(settings);
  GemmProblem update;
  update.k = 128;
  for (update.m = update.n = 7872; update.m > 2000; update.m = update.n -= 128)
    policy.add(update, 0.125);
  EXPECT_FALSE(policy.pays(promise));
  EXPECT_LT(asked, 10) << "of 46 products";
  policy.add(update, 1e-3);
  EXPECT_FALSE(policy.pays(promise));
  EXPECT_LT(asked, 10) << "of a short call nobody asks";
}

TEST_F(AStartPolicy, WaitsForWhatTheUserSays) {
  StartPolicy(settings).note_won();
  promise = [](const GemmProblem&) { return 0.0; };
  settings.start_ms = 250;
  EXPECT_EQ(eighths(), 2);
  settings.start_ms = 0;
  EXPECT_EQ(eighths(), 0);
}

TEST_F(AStartPolicy, WaitsTwiceAsLongAfterEachStartInVain) {
  for (const int expected : {8, 16, 32, 64, 128, 256, 480, 480}) {
    EXPECT_EQ(eighths(), expected);
    StartPolicy(settings).note_start(0);
  }
}

// Its first start may have been disturbed; its other runs end before they start anything.
TEST_F(AStartPolicy, TriesAgainAfterManyRunsThatEndedTooEarly) {
  StartPolicy(settings).note_start(0);
  const auto starts = [&] {
    StartPolicy policy(settings);
    for (int calls = 0; calls < 15; ++calls) {
      if (policy.pays(promise)) return true;
      policy.add(product, 0.125);
    }
    return false;
  };
  int runs = 1;
  while (!starts() && runs < 1000) ++runs;
  EXPECT_GT(runs, 20) << "a start costs 0.45 s, of runs of 1.875 s";
  EXPECT_LE(runs, 50) << "of each of which 1 s is counted at least";
  StartPolicy(settings).note_start(0);
  EXPECT_EQ(eighths(), 32) << "which was in vain again";
  StartPolicy(settings).note_won();
  EXPECT_EQ(eighths(), 0);
}

TEST_F(AStartPolicy, DoesNotWaitWhereAnEarlierRunWouldHaveGained) {
  StartPolicy first(settings);
  first.note_start(0);
  EXPECT_FALSE(first.is_won({0.1, 0, 0}));
  EXPECT_TRUE(first.is_won(much));
  EXPECT_FALSE(first.is_won(much)) << "is said once";
  first.note_won();
  EXPECT_EQ(eighths(), 0);
  StartPolicy(settings).note_start(0);
  EXPECT_EQ(eighths(), 8) << "a run that was started at once, and ended before it gained";
}

TEST_F(AStartPolicy, DoesNotWaitASecondTimeWhereAStartPromisesAGain) {
  StartPolicy first(settings);
  first.add(product, 1);
  first.note_start(0.7);
  EXPECT_EQ(eighths(), 0);
  StartPolicy second(settings);
  second.note_start(0.7);
  EXPECT_EQ(eighths(), 8) << "a promise counts once";
  StartPolicy third(settings);
  third.add(product, 1);
  third.note_start(0.7);
  EXPECT_EQ(eighths(), 16);
}

TEST_F(AStartPolicy, DoesNotBelieveInASmallGain) {
  StartPolicy first(settings);
  first.add(product, 1);
  first.note_start(0.2);
  EXPECT_EQ(eighths(), 16);
}

TEST_F(AStartPolicy, KnowsTheLargestProduct) {
  StartPolicy policy(settings);
  EXPECT_FALSE(policy.largest_product());
  double element = 1;
  for (const std::int64_t n : {300, 900, 500}) {
    GemmProblem problem;
    problem.m = problem.n = problem.k = n;
    problem.a = problem.b = problem.c = &element;
    policy.note_product(problem);
  }
  EXPECT_EQ(policy.largest_product()->m, 900);
  EXPECT_EQ(policy.largest_product()->a, nullptr) << "it may be gone";
}

TEST_F(AStartPolicy, IsOpenUntilItIsWon) {
  StartPolicy policy(settings);
  EXPECT_TRUE(policy.is_open());
  EXPECT_TRUE(policy.is_won(much));
  EXPECT_FALSE(policy.is_open());
}

TEST_F(AStartPolicy, RemembersNothingWhereItIsNotToAdapt) {
  settings.adapt = false;
  StartPolicy policy(settings);
  policy.note_start(0);
  EXPECT_FALSE(policy.is_won(much));
  policy.note_won();
  settings.adapt = true;
  EXPECT_EQ(eighths(), 8);
}

TEST_F(AStartPolicy, RemembersNothingWhereThereIsNoPlace) {
  settings.cache_dir = "/dev/null/nowhere";
  StartPolicy(settings).note_won();
  EXPECT_EQ(eighths(), 8);
  settings.cache_dir.clear();
  StartPolicy(settings).note_won();
  EXPECT_EQ(eighths(), 8);
}

TEST(AStartAtOnce, WouldHaveGainedWhereCallsGainMoreThanItTakes) {
  EXPECT_TRUE(would_have_gained(1, {0.1, 0.1, 0.3})) << "1.05 s at three quarters";
  EXPECT_FALSE(would_have_gained(0.3, {0.1, 0.1, 0.3})) << "0.35 s at three quarters";
  EXPECT_FALSE(would_have_gained(10, {1, 1, 0.02})) << "a fiftieth of 11 s";
  EXPECT_FALSE(would_have_gained(10, {1, 1, -1}));
  EXPECT_FALSE(would_have_gained(10, {1, 0, 0})) << "no call has had the device";
}

}  // namespace
}  // namespace duoblas
