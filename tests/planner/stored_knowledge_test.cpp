// What a learner leaves to later processes.
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "planner/learner.hpp"
#include "support/tuned_machine.hpp"

namespace duoblas {
namespace {

using test::paper_problem;

constexpr std::size_t cpu_place = place_of(Timed::cpu_all);

CallKind kind(std::int64_t n, const Circumstances& now = {}) {
  return kind_of(paper_problem(Precision::d, n, n, n), now);
}

class StoredKnowledge : public testing::Test {
 protected:
  // Tells the earlier learner the time of a CPU-only call that was expected to take 10 ms.
  void tell(const CallKind& of, double seconds, int times = 8) {
    Forecast forecast;
    forecast.modelled[cpu_place] = 10e-3;
    CallTimes took;
    took.whole = took.seconds[cpu_place] = seconds;
    for (int i = 0; i < times; ++i) earlier->note(of, forecast, took);
  }
  double factor(const CallKind& of) const {
    return std::exp(later->learned(of).of(Timed::cpu_all).mean);
  }

  const std::unique_ptr<Learner> earlier = std::make_unique<Learner>();
  const std::unique_ptr<Learner> later = std::make_unique<Learner>();
};

TEST_F(StoredKnowledge, IsWhereALaterLearnerBegins) {
  tell(kind(500), 14e-3);
  tell(kind(3000), 12e-3);
  ASSERT_TRUE(later->restore(earlier->kept()));
  EXPECT_NEAR(factor(kind(500)), 1.4, 0.03);
  EXPECT_NEAR(factor(kind(3000)), 1.2, 0.03);
  const LearnedTimes known = later->learned(kind(500));
  EXPECT_TRUE(known.has_seen(Timed::cpu_all));
  EXPECT_LT(known.of(Timed::cpu_all).spread, 0.1) << "known well enough to be used at once";
  EXPECT_EQ(known.of(Timed::cpu_all).spread, earlier->learned(kind(500)).of(Timed::cpu_all).spread);
  EXPECT_NEAR(known.allowance, 20e-3, 1e-9) << "the budget is each process's own";
}

TEST_F(StoredKnowledge, OfNeighboursIsExpectedOfOthers) {
  tell(kind(500), 14e-3);
  ASSERT_TRUE(later->restore(earlier->kept()));
  EXPECT_GT(factor(kind(700)), 1.1);
  EXPECT_NEAR(factor(kind(700)), std::exp(earlier->learned(kind(700)).of(Timed::cpu_all).mean),
              1e-9);
}

TEST_F(StoredKnowledge, IsNotThatOfDisturbedOrUnusualCalls) {
  tell(kind(500, {.contended = true}), 40e-3);
  tell(kind(700, {.unusual = 3}), 40e-3);
  ASSERT_TRUE(later->restore(earlier->kept()));
  for (const std::int64_t n : {500, 700, 3000}) EXPECT_EQ(factor(kind(n)), 1);
  EXPECT_EQ(factor(kind(500, {.contended = true})), 1);
  EXPECT_EQ(factor(kind(700, {.unusual = 3})), 1);
}

TEST_F(StoredKnowledge, OfAnUnusualBlasIsNotMixedWithThatOfTheUsual) {
  tell(kind(500, {.unusual = 3}), 40e-3);
  EXPECT_EQ(std::exp(earlier->learned(kind(500)).of(Timed::cpu_all).mean), 1);
  EXPECT_NEAR(std::exp(earlier->learned(kind(500, {.unusual = 3})).of(Timed::cpu_all).mean), 4,
              0.2);
}

TEST_F(StoredKnowledge, ThatIsDamagedChangesNothing) {
  tell(kind(500), 14e-3);
  const auto good = earlier->kept();
  for (std::size_t length = 0; length < good.size(); ++length)
    ASSERT_FALSE(later->restore({good.begin(), good.begin() + static_cast<long>(length)}));
  auto longer = good;
  longer.push_back(0);
  EXPECT_FALSE(later->restore(longer));
  auto of_another_build = good;
  ++of_another_build[0];
  EXPECT_FALSE(later->restore(of_another_build));
  // The learner rejects a NaN at every place in the bytes.
  const double nothing = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t at = 0; at + sizeof nothing <= good.size(); ++at) {
    auto damaged = good;
    std::memcpy(damaged.data() + at, &nothing, sizeof nothing);
    later->restore(damaged);
    ASSERT_TRUE(std::isfinite(factor(kind(500)))) << at;
    later->start_again({});
  }
  EXPECT_EQ(factor(kind(500)), 1);
}

// A class's last bytes are two of these.
TEST_F(StoredKnowledge, WithWhatIsNeitherTrueNorFalseIsDamaged) {
  tell(kind(500), 14e-3);
  const auto good = earlier->kept();
  ASSERT_TRUE(later->restore(good));
  later->start_again({});
  for (const std::size_t from_end : {1, 2}) {
    auto damaged = good;
    damaged[good.size() - from_end] = 2;
    EXPECT_FALSE(later->restore(damaged));
    EXPECT_EQ(factor(kind(500)), 1);
  }
}

// Else programs of a few calls would never do that: each of them begins anew.
TEST_F(StoredKnowledge, IsLookedAtAgainAfterAllTheCallsOfManyShortProcesses) {
  const CallKind call = kind(2000);
  tell(call, 60e-3);  // beside a neighbour's work
  const auto tell_gpu = [&](int calls) {
    Forecast forecast;
    forecast.modelled[place_of(Timed::gpu_alone)] = 20e-3;
    CallTimes took;
    took.whole = took.seconds[place_of(Timed::gpu_alone)] = 20e-3;
    for (int i = 0; i < calls; ++i) later->note(call, forecast, took);
  };
  std::vector<unsigned char> kept = earlier->kept();
  for (int process = 0; process < 20; ++process) {
    later->start_again({});
    ASSERT_TRUE(later->restore(kept));
    EXPECT_EQ(later->learned(call).unseen_of(Timed::cpu_all).for_look(), 0) << "not at once";
    tell_gpu(20);
    kept = later->kept();
  }
  const double due = later->learned(call).unseen_of(Timed::cpu_all).for_look();
  EXPECT_GT(due, 15e-3) << "after 8 s of calls";
  EXPECT_LE(due, 0.1001 * 20 * 20e-3) << "and a tenth of this process's";
}

TEST_F(StoredKnowledge, OfManyClassesStays) {
  std::vector<CallKind> kinds;
  for (std::int64_t m = 64; m <= 4096; m *= 2)
    for (std::int64_t k = 64; k <= 4096; k *= 2)
      kinds.push_back(kind_of(paper_problem(Precision::d, m, 512, k), {}));
  for (const CallKind& of : kinds) tell(of, 14e-3, 2);
  ASSERT_TRUE(later->restore(earlier->kept()));
  // One more class. It must take a free place, and remove no other class.
  Forecast forecast;
  forecast.modelled[cpu_place] = 10e-3;
  CallTimes took;
  took.whole = took.seconds[cpu_place] = 10e-3;
  later->note(kind(5000), forecast, took);
  for (const CallKind& of : kinds) {
    if (!earlier->learned(of).has_seen(Timed::cpu_all)) continue;  // a full set had forgotten it
    EXPECT_TRUE(later->learned(of).has_seen(Timed::cpu_all));
    EXPECT_NEAR(factor(of), 1.4, 0.1);
  }
}

}  // namespace
}  // namespace duoblas
