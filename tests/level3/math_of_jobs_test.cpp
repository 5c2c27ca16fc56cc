// The arithmetic of calls that the device does as one job, where MathMode::tf32x3 was asked for.
#include "level3/blocked_level3.hpp"
#include "support/asked_math.hpp"
#include "support/element_types.hpp"
#include "support/level3_case.hpp"

namespace duoblas::test {
namespace {

// Operands that nobody reads: deciding does not.
Level3Problem square(Routine routine, Precision precision, std::int64_t n) {
  Level3Problem p;
  p.routine = routine;
  p.precision = precision;
  p.m = p.n = p.k = p.lda = p.ldb = p.ldc = n;
  p.beta = 1.0;
  return p;
}

bool job_asks(Routine routine, Precision precision, std::int64_t n) {
  SCOPED_TRACE(std::string(name(routine)) + " " + letter(precision) + " " + std::to_string(n));
  return asks_for_tf32x3([&](Engine& engine) {
    Decision decision = decide(engine, square(routine, precision, n));
    EXPECT_FALSE(decision.steps.empty());
    if (!decision.steps.empty()) {
      EXPECT_TRUE(std::holds_alternative<DeviceCall>(decision.steps.front()));
    }
    return decision;
  });
}

TEST(JobsWithTf32x3, AreExactBelow4096) {
  for (const Precision precision : {Precision::s, Precision::c})
    for (const Routine routine : all_routines)
      if (precision == Precision::c || !is_hermitian(routine)) {
        EXPECT_FALSE(job_asks(routine, precision, 2048)) << name(routine) << letter(precision);
      }
}

bool gains(Routine routine, Precision precision) {
  return updates_triangle(routine) ||
         (precision == Precision::c && (routine == Routine::symm || routine == Routine::hemm));
}

TEST(JobsWithTf32x3, AreFastFrom4096OnWhereTheyGain) {
  for (const Precision precision : {Precision::s, Precision::c})
    for (const Routine routine : all_routines)
      if (precision == Precision::c || !is_hermitian(routine)) {
        EXPECT_EQ(job_asks(routine, precision, 4096), gains(routine, precision))
            << name(routine) << letter(precision);
      }
}

}  // namespace
}  // namespace duoblas::test
