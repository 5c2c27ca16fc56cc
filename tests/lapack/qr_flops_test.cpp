// How much work a device's job has, by which its results fall into classes.
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace duoblas::test
