// Each allocation of a program's solve fails in turn. The drop-in ends a program whose call throws.
#include <gtest/gtest.h>

#include <cstdint>

#include "dropin/engine/lapack_program.hpp"
#include "engine/failing_allocations.hpp"
#include "support/lapack_case.hpp"

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

}  // namespace
}  // namespace duoblas::test
