// Products, triangles and strips on a team's threads, each with a CPU BLAS of one thread.
#include "cpu/team_blas.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <vector>

#include "row_major_front.hpp"
#include "support/level3_case.hpp"

namespace duoblas::test {
namespace {

// More threads than a small machine has cores.
CpuSide& side() {
  static auto* const cpu = [] {
    CpuLimits limits = cpu_limits("", 0);
    limits.threads = 5;
    return new CpuSide(limits, "");
  }();
  return *cpu;
}

std::unique_ptr<TeamBlas> team(Precision precision = Precision::d) {
  return team_blas_for(side(), precision, side().all_cores(""));
}

TEST(TeamBlas, HasTheConfigurationsThreads) {
  ASSERT_NE(team(), nullptr);
  EXPECT_EQ(team()->team().size(), 5);
  CpuConfig one = side().all_cores("");
  one.threads = 1;
  EXPECT_EQ(team_blas_for(side(), Precision::d, one), nullptr);
}

TEST(TeamBlas, MultipliesAllTypesAndShapes) {
  for_each_type([]<typename T>() {
    const auto blas = team(precision_of<T>);
    const auto multiply = row_major_front<T>([&](const GemmProblem& p) { blas->multiply(p); });
    for (const std::int64_t m : {1, 70, 515})
      for (const std::int64_t n : {1, 33, 389})
        for (const std::int64_t k : {1, 64})
          expect_right<T>(
              CaseFactors{Layout::row_major, Op::transpose, Op::none, m, n, k, m % 5, n % 3, -1, 1},
              multiply);
  });
}

TEST(TeamBlas, UpdatesATriangleAndNothingBesideIt) {
  std::uint64_t seed = 1;
  for_each_type([&]<typename T>() {
    const auto blas = team(precision_of<T>);
    for (const Uplo uplo : {Uplo::upper, Uplo::lower})
      for (const bool turned : {false, true})
        for (const std::int64_t order : {1, 65, 190}) {
          Level3Factors f{is_complex_type<T> ? Routine::herk : Routine::syrk};
          f.uplo = uplo;
          if (turned) f.op = is_complex_type<T> ? Op::conj_transpose : Op::transpose;
          f.order = order;
          f.free = 40;
          f.pad = 3;
          f.alpha = -1;
          f.beta = 1;
          f.seed = ++seed;
          expect_right<T>(
              f, [&](const CallerLevel3& call) { blas->update_triangle(to_row_major(call)); });
        }
  });
}

TEST(TeamBlas, GivesEachLineOfAStripToOneThread) {
  const auto blas = team();
  for (const std::int64_t extent : {0, 1, 16, 79, 80, 81, 1000}) {
    std::vector<std::atomic<int>> calls(static_cast<std::size_t>(extent));
    const auto strip = [&](const Interval& of) {
      for (std::int64_t i = of.first; i < of.first + of.count; ++i)
        ++calls[static_cast<std::size_t>(i)];
    };
    blas->in_strips(extent, std::cref(strip));
    for (const std::atomic<int>& count : calls) EXPECT_EQ(count.load(), 1) << extent;
  }
}

TEST(TeamBlas, HasTheSameBitsEachTime) {
  TestMatrix<double> a(300, 200), b(200, 400);
  a.randomise(1);
  b.randomise(2);
  const auto product = [&] {
    std::vector<double> c(300 * 400);
    GemmProblem p;
    p.precision = Precision::d;
    p.m = 300;
    p.n = 400;
    p.k = 200;
    p.a = a.data();
    p.lda = a.ld();
    p.b = b.data();
    p.ldb = b.ld();
    p.c = c.data();
    p.ldc = 400;
    team()->multiply(p);
    return c;
  };
  const std::vector<double> first = product();
  for (int i = 0; i < 5; ++i) EXPECT_EQ(product(), first);
}

}  // namespace
}  // namespace duoblas::test
