// What a program's own BLAS takes tells of it, but beside threads of ours that still spin.
#include <gtest/gtest.h>

#include <chrono>
#include <limits>
#include <thread>

#include "conformance/forced_context.hpp"
#include "dropin/engine/program_call.hpp"
#include "engine/caller_blas.hpp"

namespace duoblas {
namespace {

class ATimedCall : public testing::Test {
 protected:
  static Settings settings() {
    Settings wanted = test::forced_settings();
    wanted.split.reset();
    wanted.strategy = Strategy::automatic;
    wanted.adapt = wanted.standin = true;
    wanted.cache_dir.clear();
    return wanted;
  }

  ATimedCall() {
    GemmProblem p;
    p.m = p.n = p.k = p.lda = p.ldb = p.ldc = 512;
    decision.who = Who::programs_blas;
    decision.forecast.emplace();
    decision.forecast->kind = kind_of(p, {});
    decision.forecast->modelled[place_of(Timed::cpu_all)] = 1e-3;
    EXPECT_NEAR(learned_log(), 0, 1e-9);  // the device is open from here on
  }

  void take(double seconds) {
    ASSERT_TRUE(begin_timed(engine, product, decision, false));
    end_timed(engine, seconds);
  }
  // If this thread pauses for longer than they spin, it was no call beside them, and says nothing.
  void take_beside_our_threads(double seconds) {
    for (;;) {
      note_return_of_own_blas();
      ASSERT_TRUE(begin_timed(engine, product, decision, false));
      if (own_blas_may_spin()) return end_timed(engine, seconds);
      end_timed(engine, std::numeric_limits<double>::infinity());
    }
  }
  double learned_log() {
    return engine.learning().learned(decision.forecast->kind).of(Timed::cpu_all).mean;
  }

  Engine engine{settings()};
  ProgramCall product = GemmProblem();
  Decision decision;
};

TEST_F(ATimedCall, TellsNothingWhereItIsSlowBesideOurThreads) {
  for (int i = 0; i < 8; ++i) take(1e-3);
  EXPECT_NEAR(learned_log(), 0, 0.05);
  for (int i = 0; i < 4; ++i) take_beside_our_threads(40e-3);
  EXPECT_NEAR(learned_log(), 0, 0.05);
  take_beside_our_threads(0.5e-3);
  EXPECT_LT(learned_log(), -0.3) << "it is no slower than that";
}

TEST_F(ATimedCall, IsBelievedWhereEveryOneIsBesideThem) {
  for (int i = 0; i < 30; ++i) take_beside_our_threads(40e-3);
  EXPECT_GT(learned_log(), 2);
}

TEST_F(ATimedCall, TellsOfAChangeOnceTheySleep) {
  note_return_of_own_blas();
  std::this_thread::sleep_for(std::chrono::milliseconds(60));
  EXPECT_FALSE(own_blas_may_spin());
  for (int i = 0; i < 8; ++i) take(1e-3);
  for (int i = 0; i < 4; ++i) take(40e-3);
  EXPECT_GT(learned_log(), 2);
}

}  // namespace
}  // namespace duoblas
