// Which tuned point speaks for a problem.
#include <gtest/gtest.h>

#include "support/tuned_machine.hpp"

namespace duoblas {
namespace {

using test::paper_point;
using test::paper_problem;

TunedPoint shaped(std::int64_t m, std::int64_t n, std::int64_t k, Op op_a = Op::none) {
  TunedPoint point = paper_point(Precision::s, 512, 1, 2, 0.8);
  point.m = m;
  point.n = n;
  point.k = k;
  point.op_a = op_a;
  return point;
}

TEST(NearestPoint, IsTheNearestInLogarithms) {
  Profile profile;
  profile.points = {shaped(512, 512, 512), shaped(2048, 2048, 2048)};
  // 1000 is nearer to 512 on a line, and nearer to 2048 in logarithms only above 1024.
  EXPECT_EQ(nearest_point(profile, paper_problem(Precision::s, 1000, 1000, 1000))->m, 512);
  EXPECT_EQ(nearest_point(profile, paper_problem(Precision::s, 1050, 1050, 1050))->m, 2048);
}

TEST(NearestPoint, DoesNotTakeAThinShapeForACubeOfTheSameVolume) {
  Profile profile;
  profile.points = {shaped(512, 512, 512), shaped(8192, 8192, 8)};
  EXPECT_EQ(nearest_point(profile, paper_problem(Precision::s, 16384, 8192, 1))->m, 8192);
}

TEST(NearestPoint, PrefersTheSameOpsToTheSameShape) {
  Profile profile;
  profile.points = {shaped(512, 512, 512), shaped(2048, 2048, 2048, Op::transpose)};
  GemmProblem problem = paper_problem(Precision::s, 512, 512, 512);
  problem.op_a = Op::transpose;
  EXPECT_EQ(nearest_point(profile, problem)->m, 2048);
  // Of real numbers the conjugate is the number.
  problem.op_a = Op::conj_transpose;
  EXPECT_EQ(nearest_point(profile, problem)->m, 2048);
}

TEST(NearestPoint, IsOfTheSamePrecisionOrNone) {
  Profile profile;
  profile.points = {shaped(512, 512, 512)};
  EXPECT_EQ(nearest_point(profile, paper_problem(Precision::d, 512, 512, 512)), nullptr);
  EXPECT_EQ(nearest_point(Profile{}, paper_problem(Precision::s, 512, 512, 512)), nullptr);
}

}  // namespace
}  // namespace duoblas
