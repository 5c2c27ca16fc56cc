// A program's level-3 call that the device's job leaves to the CPU counts with the time that it
// took.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "dropin/engine/program_call.hpp"
#include "level3/blocked_level3.hpp"
#include "support/learning_settings.hpp"
#include "support/staged_profile.hpp"

namespace duoblas::test {
namespace {

// Triangles of 1 and -1, whose inverses' elements grow by a power of two with each line.
TEST(DeclinedCalls, AreLearnedFromAsTheWayThatWasTried) {
  Engine engine(learning_settings());
  ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
  engine.facts().adopt(flattering_profile(engine));
  constexpr std::int64_t n = 520, sides = 70;
  std::vector<float> a(n * n, -1), c(n * sides, 1);
  Level3Problem p;
  p.routine = Routine::trsm;
  p.diag = Diag::unit;
  p.m = p.lda = n;
  p.n = p.ldc = sides;
  p.a = a.data();
  p.c = c.data();
  engine.plans().set_split(Share{8, 16});  // which waits for kernels, and learns nothing
  run_level3(engine, p);
  engine.plans().set_split({});

  const CallKind kind = kind_of_level3(1, n, sides, 0, engine.learning().learner().circumstances());
  EXPECT_FALSE(engine.learning().learned(kind).has_seen(Timed::gpu_alone));
  for (int call = 0; call < 4; ++call) {
    std::fill(c.begin(), c.end(), 1.0f);
    Decision decision = decide(engine, p, cpu_blas_limits, Level3Mode::job);
    ASSERT_TRUE(decision.uses_gpu());
    decision.forecast.emplace();
    decision.forecast->kind = kind;
    decision.forecast->modelled[place_of(Timed::cpu_all)] = 2e-3;
    decision.forecast->modelled[place_of(Timed::gpu_alone)] = 1e-3;
    const Outcome did = carry_out(engine, ProgramCall(p), std::move(decision));
    EXPECT_TRUE(did.was_declined);
  }
  EXPECT_TRUE(engine.learning().learned(kind).has_seen(Timed::gpu_alone));
  EXPECT_FALSE(engine.learning().learned(kind).has_seen(Timed::cpu_all));
}

}  // namespace
}  // namespace duoblas::test
