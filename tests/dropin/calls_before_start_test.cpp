// What a program's BLAS took before the device was started is known once it is.
#include "dropin/engine/calls_before_start.hpp"

#include <cmath>
#include <memory>

#include <gtest/gtest.h>

#include "conformance/forced_context.hpp"

namespace duoblas {
namespace {

class CallsBeforeAStart : public testing::Test {
 protected:
  static Settings settings() {
    Settings wanted = test::forced_settings();
    wanted.split.reset();
    wanted.strategy = Strategy::automatic;
    wanted.adapt = wanted.standin = true;
    wanted.cache_dir.clear();
    return wanted;
  }

  // The profile says 1 ms for the CPU alone.
  void SetUp() override {
    ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
    TunedPoint point;
    point.precision = Precision::s;
    point.m = point.n = point.k = 512;
    point.hybrid = untuned_choice(Precision::s, engine.machine());
    point.hybrid.share = {8, 16};
    point.gpu = point.hybrid;
    point.gpu.share = {16, 16};
    point.hybrid.seconds = point.gpu_side_seconds = point.cpu_side_seconds = 0.6e-3;
    point.gpu.seconds = point.cpu_seconds = point.cpu_all_seconds = 1e-3;
    Profile profile;
    profile.points.push_back(point);
    engine.facts().adopt(profile);
  }

  static GemmProblem product(std::int64_t n) {
    GemmProblem p;
    p.m = p.n = p.k = p.lda = p.ldb = p.ldc = n;
    return p;
  }
  LearnedTimes known(std::int64_t n) { return engine.learning().learned(kind_of(product(n), {})); }

  Engine engine{settings()};
  std::unique_ptr<CallsBeforeStart> calls = std::make_unique<CallsBeforeStart>();
};

TEST_F(CallsBeforeAStart, TellWhatTheCpuTakes) {
  for (const double seconds : {20e-3, 1.6e-3, 1.5e-3}) calls->add(product(512), seconds);
  ASSERT_FALSE(known(512).has_seen(Timed::cpu_all));
  calls->tell(engine);
  EXPECT_TRUE(known(512).has_seen(Timed::cpu_all));
  EXPECT_NEAR(std::exp(known(512).of(Timed::cpu_all).mean), 1.5, 0.15);
}

TEST_F(CallsBeforeAStart, TellNothingWhereOneMayHaveWaited) {
  calls->add(product(512), 20e-3);
  calls->tell(engine);
  EXPECT_FALSE(known(512).has_seen(Timed::cpu_all));
}

TEST_F(CallsBeforeAStart, TellOfOneThatWasFasterThanIsExpected) {
  calls->add(product(512), 0.1e-3, true);
  calls->add(product(512), 0.3e-3, true);
  calls->tell(engine);
  EXPECT_NEAR(std::exp(known(512).of(Timed::cpu_all).mean), 0.1, 0.05);
}

TEST_F(CallsBeforeAStart, AreToldToTheLearnerOnce) {
  for (int i = 0; i < 2; ++i) calls->add(product(512), 2e-3);
  calls->tell(engine);
  const double mean = known(512).of(Timed::cpu_all).mean;
  calls->tell(engine);
  EXPECT_EQ(known(512).of(Timed::cpu_all).mean, mean);
}

TEST_F(CallsBeforeAStart, AreAsManyKindsAsThereIsRoomFor) {
  for (std::int64_t n = 1; n < 200000; n = n * 3 / 2 + 1)
    for (int i = 0; i < 2; ++i)
      for (const std::int64_t k : {1, 100, 10000}) {
        GemmProblem other = product(n);
        other.k = k;
        calls->add(other, 1e-3);
      }
  for (int i = 0; i < 2; ++i) calls->add(product(512), 1e-3);
  calls->tell(engine);
  EXPECT_FALSE(known(512).has_seen(Timed::cpu_all));
}

TEST_F(CallsBeforeAStart, HaveALargestProduct) {
  EXPECT_FALSE(calls->largest_product());
  double element = 1;
  for (const std::int64_t n : {300, 900, 500}) {
    duoblas_blas_call call = {};
    call.routine = DUOBLAS_GEMM;
    call.precision = 'd';
    call.layout = 101;
    call.op_a = call.op_b = 111;
    call.m = call.n = call.k = call.lda = call.ldb = call.ldc = n;
    call.alpha = call.beta = &element;
    call.a = call.b = call.c = &element;
    calls->note(call);
  }
  EXPECT_EQ(calls->largest_product()->m, 900);
  EXPECT_EQ(calls->largest_product()->a, nullptr) << "it may be gone";
}

}  // namespace
}  // namespace duoblas
