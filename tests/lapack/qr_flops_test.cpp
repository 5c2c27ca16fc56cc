// How much work a device's job has, by which its results fall into classes.
#include <gtest/gtest.h>

#include <utility>

#include "lapack/qr.hpp"
#include "problem/lapack_problem.hpp"

namespace duoblas::test {
namespace {

TEST(QrJobs, HaveTheFlopsOfTheirCalls) {
  LapackProblem p;
  p.m = 100;
  p.n = 30;
  for (const LapackRoutine routine : {LapackRoutine::geqrf, LapackRoutine::orgqr}) {
    p.routine = routine;
    p.reflectors = routine == LapackRoutine::orgqr ? 20 : 0;
    EXPECT_EQ(flops(reflected_matrix(p)), flops(p));
  }
  p.routine = LapackRoutine::ormqr;
  p.reflectors = 0;
  for (const int right_sides : {7, 200, 300}) {
    p.right_sides = right_sides;
    EXPECT_EQ(flops(p), 2.0 * 30 * right_sides * (200 - 30));
    EXPECT_EQ(flops(reflected_matrix(p)), flops(p));
  }
}

// (Before, those of a wide matrix were fewer than none where there were many right-hand sides.)
TEST(LeastSquares, HaveTheFlopsOfAFactorisationAProductWithQAndASolve) {
  LapackProblem gels, factorised, product;
  gels.routine = LapackRoutine::gels;
  factorised.routine = LapackRoutine::geqrf;
  product.routine = LapackRoutine::ormqr;
  gels.m = factorised.m = product.m = 100;
  gels.n = factorised.n = product.n = 30;
  for (const int right_sides : {0, 1, 400}) {
    gels.right_sides = product.right_sides = right_sides;
    const double expected = flops(factorised) + flops(product) + 30.0 * 30 * right_sides;
    EXPECT_EQ(flops(gels), expected);
    LapackProblem wide = gels;
    std::swap(wide.m, wide.n);
    EXPECT_EQ(flops(wide), expected);
  }
}

}  // namespace
}  // namespace duoblas::test
