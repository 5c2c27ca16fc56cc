// The arithmetic of LAPACK on copies, where MathMode::tf32x3 was asked for.
#include "lapack/lapack_call.hpp"
#include "support/asked_math.hpp"

namespace duoblas::test {
namespace {

// Operands that nobody reads: deciding does not.
LapackProblem square(LapackRoutine routine, Precision precision, std::int64_t n) {
  LapackProblem p;
  p.routine = routine;
  p.precision = precision;
  p.m = p.n = p.lda = p.ldb = p.right_sides = p.reflectors = n;
  return p;
}

TEST(LapackWithTf32x3, IsExact) {
  for (const Precision precision : {Precision::s, Precision::c})
    for (const LapackRoutine routine :
         {LapackRoutine::getrf, LapackRoutine::potrf, LapackRoutine::gesv, LapackRoutine::getrs,
          LapackRoutine::getri, LapackRoutine::geqrf})
      EXPECT_FALSE(asks_for_tf32x3([&](Engine& engine) {
        return decide(engine, square(routine, precision, 4096), MatrixHome::copied);
      })) << name(routine, precision);
}

}  // namespace
}  // namespace duoblas::test
