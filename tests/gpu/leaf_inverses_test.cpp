// Leaves of a solve that the device inverts: the kernel, and what becomes of leaves whose inverses
// are of no use.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <duoblas/error.hpp>

#include "gpu/level3/leaf_inverses.hpp"
#include "gpu/level3/level3_job.hpp"
#include "gpu/level3/triangle_leaves.hpp"
#include "gpu/one_side.hpp"
#include "kernel_space/kernel_defaults.hpp"
#include "support/driver_ability.hpp"
#include "support/first_device.hpp"
#include "support/level3_case.hpp"

namespace duoblas::test {
namespace {

bool has_doubles(const cl::DeviceInfo& info) {
  return can_or_tells(info, info.has_fp64, "it has no double precision");
}

BlockSizes whole_leaves(std::int64_t leaf) {
  return {2 * leaf, leaf};
}

TEST(LeafInverses, AreAsTheHostHasThem) {
  OpenedDevice device(first_device(), {});
  if (!has_doubles(device.context.device().info)) return;
  for (const Precision precision : {Precision::s, Precision::d})
    for (const Uplo uplo : {Uplo::lower, Uplo::upper})
      for (const Op op : {Op::none, Op::transpose})
        for (const std::int64_t leaf : {8, 48, 128}) {
          Level3Problem p;
          p.routine = Routine::trsm;
          p.precision = precision;
          p.uplo = uplo;
          p.op = op;
          const auto programs = leaf_programs(device, p, whole_leaves(leaf), {});
          ASSERT_EQ(programs.size(), 1U);
          BuiltProgram& built =
              device.kernels.get(programs[0].number, programs[0].program,
                                 [](BuiltProgram&, std::uint64_t) { return std::string(); });
          EXPECT_EQ(programs[0].trial(device, built, 7), "")
              << letter(precision) << (uplo == Uplo::lower ? " lower" : " upper") << " by "
              << (op == Op::none ? "rows " : "columns ") << leaf;
        }
}

TEST(LeafInverses, AreTheHostsWhereTheDeviceCouldNotDoThemOrGainsNothing) {
  OpenedDevice device(first_device(), {});
  Level3Problem p;
  p.routine = Routine::trsm;
  p.precision = Precision::z;
  EXPECT_TRUE(leaf_programs(device, p, whole_leaves(16), {}).empty()) << "complex";
  p.precision = Precision::d;
  EXPECT_TRUE(leaf_programs(device, p, whole_leaves(9), {}).empty()) << "an odd leaf";
  EXPECT_TRUE(leaf_programs(device, p, {24, 16}, {}).empty()) << "a leaf in two blocks";
  EXPECT_TRUE(leaf_programs(device, p, whole_leaves(16), {true, true, true}).empty()) << "no copy";
  p.routine = Routine::trmm;
  EXPECT_TRUE(leaf_programs(device, p, whole_leaves(16), {}).empty()) << "no solve";
}

TEST(LeafInverses, HaveAConditionThatCountsWhatIsNoNumber) {
  constexpr std::int64_t leaf = 8;
  std::vector<double> sums(2 * leaf, 0.5);
  EXPECT_EQ(condition_of_leaves(2 * leaf, leaf, {3, 2}, sums.data()), 1.5);
  sums[leaf + 3] = 4;
  EXPECT_EQ(condition_of_leaves(2 * leaf, leaf, {3, 2}, sums.data()), 8);
  EXPECT_EQ(condition_of_leaves(leaf + 3, leaf, {3, 2}, sums.data()), 1.5) << "of its lines alone";
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isinf(condition_of_leaves(2 * leaf, leaf, {nan, 2}, sums.data())));
  sums[2] = nan;
  EXPECT_TRUE(std::isinf(condition_of_leaves(2 * leaf, leaf, {3, 2}, sums.data())));
}

/// What a solve's job makes of a triangle in which one number is another.
struct OddTriangle : testing::Test {
  static constexpr std::int64_t leaf = 16, order = 5 * leaf + 5, line = 3 * leaf + 7;

  /// Nothing: it is done, and right. Otherwise nothing of C has changed.
  template <typename T>
  void solve(const Level3Factors& f, std::int64_t column, T number, bool is_solvable) {
    SCOPED_TRACE(text(f));
    Level3Matrices<T> matrices(f);
    matrices.a.at(line, column) = number;
    const CallerLevel3 call = matrices.call(f);
    const Level3Reference<T> reference(call);
    const TestMatrix<T> before = matrices.c;
    const Level3Problem p = to_row_major(call);
    ASSERT_EQ(leaf_programs(*gpu_.device(), p, whole_leaves(leaf), {}).size(), 1U);
    std::string why;
    try {
      start_level3(gpu_.device(), p, default_kernel(p.precision, gpu_.limits()), whole_leaves(leaf))
          .wait();
    } catch (const UnsuitedNumbers& error) {
      why = error.what();
    }
    EXPECT_EQ(why.empty(), is_solvable) << why;
    if (why.empty()) {
      EXPECT_LT(reference.scaled_error(), 1e3);
      return;
    }
    for (std::int64_t i = 0; i < before.lines(); ++i)
      for (std::int64_t j = 0; j < before.length(); ++j)
        ASSERT_EQ(matrices.c.at(i, j), before.at(i, j)) << i << ", " << j;
  }

  template <typename Body>
  void for_all(Body&& body) {
    for (const Side side : {Side::left, Side::right})
      for (const Uplo uplo : {Uplo::lower, Uplo::upper})
        for (const Op op : {Op::none, Op::transpose})
          for (const Diag diag : {Diag::non_unit, Diag::unit}) {
            Level3Factors f{Routine::trsm, Layout::row_major, side, uplo, op, diag};
            f.order = order;
            f.free = 9;
            body(f);
          }
  }

  GpuSide& gpu_ = one_side();
};

TEST_F(OddTriangle, IsLeftToTheCpuWithAZeroOnItsDiagonal) {
  if (!has_doubles(gpu_.info())) return;
  for_all([&](const Level3Factors& f) {
    const bool counts = f.diag == Diag::non_unit;
    solve<double>(f, line, 0, !counts);
    solve<float>(f, line, 0, !counts);
  });
}

TEST_F(OddTriangle, IsLeftToTheCpuWhereALeafIsIllConditioned) {
  if (!has_doubles(gpu_.info())) return;
  for_all([&](const Level3Factors& f) {
    if (f.diag == Diag::unit) return;
    solve<double>(f, line, 1e-8, false);
    solve<double>(f, line, 1e-4, true);
    solve<float>(f, line, 1e-7F, false);
    solve<float>(f, line, 1e-3F, true);
  });
}

TEST_F(OddTriangle, IsLeftToTheCpuWithWhatIsNoNumber) {
  if (!has_doubles(gpu_.info())) return;
  for_all([&](const Level3Factors& f) {
    const std::int64_t beside = f.uplo == Uplo::lower ? line - 3 : line + 3;
    for (const double number :
         {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
      solve<double>(f, beside, number, false);
      solve<float>(f, beside, static_cast<float>(number), false);
    }
  });
}

}  // namespace
}  // namespace duoblas::test
