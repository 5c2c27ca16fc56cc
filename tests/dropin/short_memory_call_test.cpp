// Each allocation of a program's call of LAPACK fails in turn.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>

#include "dropin/engine/lapack_program.hpp"
#include "engine/failing_allocations.hpp"
#include "engine/short_memory_of_lapack.hpp"
#include "support/lapack_case.hpp"

extern "C" const struct duoblas_dropin_engine* duoblas_dropin_engine(void);

namespace duoblas::test {
namespace {

using T = float;

TEST(ShortMemoryInAProgramsCall, LeavesASolveRight) {
  constexpr std::int64_t n = 60, sides = 70;
  Settings settings = forced_lapack();
  settings.check = CheckMode::off;
  Engine engine(settings);
  General<T> matrix(n, n, 2, 7);
  engine.run_on_cpu(matrix.problem());
  Columns<T> turned(n, n), b(sides, n);
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < n; ++i) turned.at(j, i) = matrix.a.at(i, j);
  b.randomise(8);
  std::int32_t info = 0;
  duoblas_blas_call call = {};
  call.routine = DUOBLAS_GETRS;
  call.precision = letter(precision_of<T>);
  call.op_a = 112;
  call.n = n;
  call.k = sides;
  call.a = matrix.factors.data();
  call.lda = matrix.factors.ld();
  call.pivots = matrix.problem().pivots;
  call.info = &info;
  bool felt = true;
  for (long number = 1; felt && number < 10000; ++number) {
    SCOPED_TRACE(number);
    Columns<T> x = b;
    call.c = x.data();
    call.ldc = x.ld();
    info = -7;
    const ProgramLapack lapack(call);
    const Decision decision = decide(engine, lapack);
    {
      const ShortMemory memory(number, false);
      EXPECT_NO_THROW(carry_out(engine, lapack, decision));
      felt = memory.felt();
    }
    EXPECT_EQ(info, 0);
    EXPECT_LT(residual(turned, x, b), most_error);
  }
  EXPECT_FALSE(felt) << "no end of allocations";
}

// The program's own BLAS can do what has not begun. (Before, such a program ended.)
TEST(ShortMemoryInAProgramsCall, LeavesAFactorisationRightOrPassesItOn) {
  ::setenv("DUOBLAS_STRATEGY", "hybrid", 1);
  ::setenv("DUOBLAS_SPLIT", "8/16", 1);
  ::setenv("DUOBLAS_CHECK", "off", 1);
  const struct duoblas_dropin_engine* const dropin = ::duoblas_dropin_engine();
  Definite<T> matrix(60, Uplo::lower, 2, 7);
  const Columns<T> before = matrix.stored;
  std::int32_t info = 0;
  duoblas_blas_call call = {};
  call.routine = DUOBLAS_POTRF;
  call.precision = letter(precision_of<T>);
  call.uplo = 122;
  call.n = 60;
  call.a = matrix.stored.data();
  call.lda = matrix.stored.ld();
  call.info = &info;
  int reason = 0, done = 0, passed_on = 0;
  ASSERT_EQ(dropin->run(&call, &reason), DUOBLAS_DONE);
  bool felt = true;
  for (long number = 1; felt && number < 10000; ++number) {
    SCOPED_TRACE(number);
    matrix.store();
    int answer = 0;
    {
      const ShortMemory memory(number, false);
      answer = dropin->run(&call, &reason);
      felt = memory.felt();
    }
    if (answer == DUOBLAS_DONE) {
      ++done;
      EXPECT_EQ(info, 0);
      EXPECT_LT(matrix.error(), most_error);
    } else {
      ++passed_on;
      EXPECT_EQ(answer, DUOBLAS_PASSED_ON);
      EXPECT_TRUE(are_the_same(matrix.stored, before));
    }
  }
  EXPECT_FALSE(felt) << "no end of allocations";
  EXPECT_GT(done, 1);
  EXPECT_GT(passed_on, 1);
}

}  // namespace
}  // namespace duoblas::test
