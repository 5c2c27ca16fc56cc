// Which tuned point speaks for a problem, and what it says of the time.
#include <cmath>

#include <gtest/gtest.h>

#include "plan/plan_cost.hpp"
#include "plan/tuned_machine.hpp"

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

TEST(EstimatedTimes, AreTheMeasuredOnesAtTheTunedShape) {
  const TunedPoint point = paper_point(Precision::s, 2048, 64, 120, 50);
  const GemmProblem problem = paper_problem(Precision::s, 2048, 2048, 2048);
  const CallTimes times = estimate_times(point, problem, 2.0 * 192 * 192 * 192);
  EXPECT_DOUBLE_EQ(times.cpu_all, 64e-3);
  EXPECT_NEAR(times.gpu, 120e-3, 1e-9);
  EXPECT_NEAR(times.hybrid, 50e-3, 1e-9);
}

TEST(EstimatedTimes, MeetAtTheCrossover) {
  const TunedPoint point = paper_point(Precision::s, 2048, 64, 120, 50);
  const std::int64_t n = 256;
  const GemmProblem problem = paper_problem(Precision::s, n, n, n);
  const CallTimes times = estimate_times(point, problem, flops(problem));
  EXPECT_NEAR(times.hybrid / times.cpu_all, 1.0, 0.01);
}

TEST(EstimatedTimes, ChargeTheSaveOfASharedCThatIsRead) {
  const TunedPoint point = paper_point(Precision::s, 2048, 64, 120, 50);
  GemmProblem problem = paper_problem(Precision::s, 2048, 2048, 2048);
  const CallTimes overwritten = estimate_times(point, problem, 0);
  problem.beta = 1.0;
  const CallTimes updated = estimate_times(point, problem, 0);
  EXPECT_GT(updated.hybrid, overwritten.hybrid);
  EXPECT_GT(updated.gpu - overwritten.gpu, updated.hybrid - overwritten.hybrid);
  EXPECT_DOUBLE_EQ(updated.cpu_all, overwritten.cpu_all);
}

TEST(EstimatedTimes, ChargeCopiesThatDoNotShrinkWithTheWork) {
  TunedPoint point = paper_point(Precision::s, 2048, 64, 4, 3.5);
  const GemmProblem thin = paper_problem(Precision::s, 2048, 2048, 16);
  const double shared = estimate_times(point, thin, 0).gpu;
  point.gpu.sharing = SharingMode::staged;
  EXPECT_GT(estimate_times(point, thin, 0).gpu, shared);
}

TEST(EstimatedTimes, AreInfiniteForWhatWasNotMeasured) {
  TunedPoint point = paper_point(Precision::s, 2048, 64, 120, 50);
  point.gpu.seconds = 0;
  const CallTimes times = estimate_times(point, paper_problem(Precision::s, 2048, 2048, 2048), 0);
  EXPECT_TRUE(std::isinf(times.gpu));
  EXPECT_FALSE(std::isinf(times.hybrid));
}

}  // namespace
}  // namespace duoblas
