// What a program's own BLAS takes is learned from.
#include <gtest/gtest.h>

#include <limits>

#include "conformance/forced_context.hpp"
#include "dropin/engine/program_call.hpp"

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
    decision.plan.forecast.emplace();
    decision.plan.forecast->kind = kind_of(p, {});
    decision.plan.forecast->modelled[place_of(Timed::cpu_all)] = 1e-3;
    EXPECT_NEAR(learned_log(), 0, 1e-9);  // the device is open from here on
  }

  void take(double seconds) {
    ASSERT_TRUE(begin_timed(engine, product, decision));
    end_timed(engine, seconds, false);
  }
  double learned_log() {
    return engine.learning().learned(decision.plan.forecast->kind).of(Timed::cpu_all).mean;
  }

  Engine engine{settings()};
  ProgramCall product = GemmProblem();
  Decision decision;
};

TEST_F(ATimedCall, TellsWhatTheProgramsBlasTakes) {
  for (int i = 0; i < 8; ++i) take(1e-3);
  EXPECT_NEAR(learned_log(), 0, 0.05);
  take(40e-3);
  EXPECT_LT(learned_log(), 0.5) << "one call may have been disturbed";
  for (int i = 0; i < 3; ++i) take(40e-3);
  EXPECT_GT(learned_log(), 2);
}

TEST_F(ATimedCall, ThatNeverEndedTellsNothing) {
  for (int i = 0; i < 8; ++i) take(std::numeric_limits<double>::infinity());
  EXPECT_NEAR(learned_log(), 0, 1e-9);
}

}  // namespace
}  // namespace duoblas
