// The soak's own comparison: it tells right results from wrong ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "soak/made_call.hpp"

namespace duoblas::soak {
namespace {

class SoakVerdict : public testing::Test {
 protected:
  // Runs the call on the CPU, lets `tamper` change memory, and asks.
  template <typename Tamper>
  Verdict after(const SoakCall& call, Tamper&& tamper) {
    Settings settings = Settings::from_environment();
    settings.strategy = Strategy::cpu;
    settings.split.reset();
    Context context(settings);
    const auto made = make(call, memory_);
    made->run(context);
    tamper(made->level3().args);
    return made->verdict();
  }
  static SoakCall product(Arrangement arrangement) {
    SoakCall call;
    call.m = 7;
    call.n = 9;
    call.k = 5;
    call.pad = {2, 3, 4};
    call.offset = {1, 2, 3};
    call.alpha = 0.75;
    call.beta = 0.5;
    call.arrangement = arrangement;
    return call;
  }
  static SoakCall update() {
    SoakCall call = product(Arrangement::separate);
    call.routine = Routine::herk;
    call.precision = Precision::c;
    call.m = call.n;
    return call;
  }

  CallMemory memory_;
};

template <typename T>
T& element(const Level3Problem& p, std::int64_t line, std::int64_t i) {
  return static_cast<T*>(p.c)[line * p.ldc + i];
}

TEST_F(SoakVerdict, IsRightForEveryArrangementThatNobodyTamperedWith) {
  for (const auto arrangement :
       {Arrangement::separate, Arrangement::adjacent, Arrangement::interleaved}) {
    const Verdict verdict = after(product(arrangement), [](const Level3Problem&) {});
    EXPECT_EQ(verdict.wrong, "");
    EXPECT_LT(verdict.error, 1);
  }
}

TEST_F(SoakVerdict, SeesOneElementThatIsWrongByAFewRoundoffsMoreThanAllowed) {
  const Verdict verdict = after(product(Arrangement::separate), [](const Level3Problem& p) {
    element<float>(p, 6, 8) += 64 * std::numeric_limits<float>::epsilon();
  });
  EXPECT_NE(verdict.wrong.find("at 6, 8"), std::string::npos) << verdict.wrong;
}

TEST_F(SoakVerdict, LetsALargeOldValueBeRoundedOncePerPartialSum) {
  SoakCall call = product(Arrangement::separate);
  call.k = 28;
  call.alpha = std::ldexp(1.0, -12);
  call.beta = 1;
  const auto moved_by = [&](int epsilons) {
    return after(call, [&](const Level3Problem& p) {
      float& x = element<float>(p, 3, 3);
      x *= 1 + static_cast<float>(epsilons) * std::numeric_limits<float>::epsilon();
    });
  };
  EXPECT_EQ(moved_by(3).wrong, "");
  EXPECT_NE(moved_by(30).wrong, "");
}

TEST_F(SoakVerdict, SeesAnElementThatIsNotANumberThoughNothingWasPlanted) {
  const Verdict verdict = after(product(Arrangement::interleaved), [](const Level3Problem& p) {
    element<float>(p, 0, 0) = std::numeric_limits<float>::quiet_NaN();
  });
  EXPECT_NE(verdict.wrong, "");
}

TEST_F(SoakVerdict, SeesANumberWhereANotANumberWasPlanted) {
  SoakCall call = product(Arrangement::separate);
  call.plant = Plant::in_a;
  EXPECT_EQ(after(call, [](const Level3Problem&) {}).wrong, "");
  const Verdict verdict = after(call, [](const Level3Problem& p) {
    for (std::int64_t i = 0; i < 7; ++i) element<float>(p, i, 4) = 0.25f;
  });
  EXPECT_NE(verdict.wrong, "");
}

TEST_F(SoakVerdict, SeesAWrittenGapBetweenTheLinesOfC) {
  for (const auto arrangement : {Arrangement::separate, Arrangement::interleaved}) {
    const Verdict verdict =
        after(product(arrangement), [](const Level3Problem& p) { element<float>(p, 2, 9) = 1; });
    EXPECT_NE(verdict.wrong.find("beside the result"), std::string::npos) << verdict.wrong;
  }
}

TEST_F(SoakVerdict, SeesAChangedOperand) {
  const Verdict verdict = after(product(Arrangement::adjacent), [](const Level3Problem& p) {
    const_cast<float*>(static_cast<const float*>(p.a))[3] += 1;
  });
  EXPECT_NE(verdict.wrong, "");
}

TEST_F(SoakVerdict, SeesTheOtherTriangleWrittenAndADiagonalThatIsNotReal) {
  EXPECT_EQ(after(update(), [](const Level3Problem&) {}).wrong, "");
  const Verdict other = after(update(), [](const Level3Problem& p) {
    element<std::complex<float>>(p, 5, 1) = 0;  // upper is stored
  });
  EXPECT_NE(other.wrong.find("beside the result"), std::string::npos) << other.wrong;
  const Verdict diagonal = after(
      update(), [](const Level3Problem& p) { element<std::complex<float>>(p, 3, 3).imag(1e-30f); });
  EXPECT_NE(diagonal.wrong.find("not real"), std::string::npos) << diagonal.wrong;
}

TEST_F(SoakVerdict, SeesAWrongSolution) {
  SoakCall call = product(Arrangement::separate);
  call.routine = Routine::trsm;
  call.precision = Precision::d;
  call.beta = 0;
  EXPECT_EQ(after(call, [](const Level3Problem&) {}).wrong, "");
  const Verdict verdict =
      after(call, [](const Level3Problem& p) { element<double>(p, 3, 3) *= 1 + 1e-12; });
  EXPECT_NE(verdict.wrong, "");
}

TEST_F(SoakVerdict, SeesAResultThatShouldHaveStayed) {
  SoakCall call = product(Arrangement::separate);
  call.alpha = 0;
  call.beta = 1;
  EXPECT_EQ(after(call, [](const Level3Problem&) {}).wrong, "");
  const Verdict verdict = after(call, [](const Level3Problem& p) {
    element<float>(p, 1, 1) = std::nextafter(element<float>(p, 1, 1), 2.0f);
  });
  EXPECT_EQ(verdict.wrong.substr(0, 13), "C was changed");
}

TEST(SoakCall, IsTheSameForTheSameSeedAndNumber) {
  const CallLimits limits;
  EXPECT_EQ(text(draw_call(5, 77, limits)), text(draw_call(5, 77, limits)));
  EXPECT_NE(text(draw_call(5, 77, limits)), text(draw_call(6, 77, limits)));
}

TEST(SoakCall, ComesInEveryKind) {
  int routines[9] = {}, entry_points[5] = {}, homes[4] = {}, arrangements[3] = {}, plants[4] = {};
  int empty = 0, large = 0;
  for (std::uint64_t i = 0; i < 20000; ++i) {
    const SoakCall call = draw_call(1, i, {});
    ++routines[call.routine ? 1 + static_cast<int>(*call.routine) : 0];
    ++entry_points[static_cast<int>(call.entry_point)];
    ++homes[static_cast<int>(call.home)];
    ++arrangements[static_cast<int>(call.arrangement)];
    ++plants[static_cast<int>(call.plant)];
    if (call.m == 0 || call.n == 0 || call.k == 0) ++empty;
    if (std::max({call.m, call.n, call.k}) > 300) ++large;
    EXPECT_LE(std::max({call.m, call.n, call.k}), 1100);
  }
  for (const int count : routines) EXPECT_GT(count, 100);
  for (const int count : entry_points) EXPECT_GT(count, 100);
  for (const int count : homes) EXPECT_GT(count, 100);
  for (const int count : arrangements) EXPECT_GT(count, 100);
  for (const int count : plants) EXPECT_GT(count, 100);
  EXPECT_GT(empty, 100);
  EXPECT_GT(large, 2);
}

}  // namespace
}  // namespace duoblas::soak
