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

  const auto seen = [&](Way way) {
    return engine.learning().ways().seen_seconds(class_of(p), way).has_value();
  };
  EXPECT_FALSE(seen(Way::job));
  for (int call = 0; call < 4; ++call) {
    std::fill(c.begin(), c.end(), 1.0f);
    Decision decision = decide(engine, p, cpu_blas_limits, Level3Mode::job);
    ASSERT_TRUE(decision.uses_gpu());
    const Outcome did = carry_out(engine, ProgramCall(p), std::move(decision));
    EXPECT_TRUE(did.was_declined);
  }
  EXPECT_TRUE(seen(Way::job));
  EXPECT_FALSE(seen(Way::plain));
}

}  // namespace
}  // namespace duoblas::test
