// Level-3 calls other than gemm that the device does from the first operand to the last result:
// every routine with every flag, in blocks so small that there are several of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include <duoblas/error.hpp>

#include "gpu/level3/diagonal_blocks.hpp"
#include "gpu/level3/level3_job.hpp"
#include "gpu/one_side.hpp"
#include "kernel_space/kernel_defaults.hpp"
#include "problem/caller_level3.hpp"
#include "support/covering_array.hpp"
#include "support/driver_ability.hpp"
#include "support/element_types.hpp"
#include "support/first_device.hpp"
#include "support/level3_case.hpp"
#include "support/packing_kernel.hpp"

namespace duoblas::test {
namespace {

constexpr Op ops[] = {Op::none, Op::transpose, Op::conj_transpose};

bool has_doubles(const cl::DeviceInfo& info) {
  return can_or_tells(info, info.has_fp64, "it has no double precision");
}

class Level3Jobs : public ::testing::TestWithParam<Routine> {
 protected:
  Level3Front on_device(const BlockSizes& sizes, MatricesInPlace wanted = {}) {
    return [this, sizes, wanted](const CallerLevel3& call) {
      const Level3Problem p = to_row_major(call);
      const KernelParams kernel = default_kernel(p.precision, gpu_.limits());
      BlockSizes possible = sizes;
      if (kernel.family != KernelFamily::panel) possible.step = 0;
      ASSERT_TRUE(takes_level3(*gpu_.device(), p, kernel, possible));
      Level3Job job = start_level3(gpu_.device(), p, kernel, possible, {wanted, {}});
      job.wait();
      EXPECT_EQ(job.progress().lines, order(p));
      EXPECT_GT(job.times().whole, 0);
      EXPECT_GE(job.times().whole, job.times().sent);
    };
  }

  bool has_type(Precision precision) { return !is_double(precision) || has_doubles(gpu_.info()); }

  GpuSide& gpu_ = one_side();
};

TEST_P(Level3Jobs, AreRightWithEveryFlag) {
  std::uint64_t seed = 1;
  enum { layout, side, uplo, op, diag, type, beta, pad, in_place, step };
  for (const auto& row : covering_array({2, 2, 2, 3, 2, 4, 2, 2, 8, 2}, 4)) {
    Level3Factors f{GetParam()};
    f.layout = row[layout] == 0 ? Layout::row_major : Layout::column_major;
    f.side = row[side] == 0 ? Side::left : Side::right;
    f.uplo = row[uplo] == 0 ? Uplo::upper : Uplo::lower;
    f.op = ops[row[op]];
    f.diag = row[diag] == 0 ? Diag::non_unit : Diag::unit;
    f.order = 83;
    f.free = 41;
    f.pad = row[pad] * 3;
    f.alpha = -0.7;
    f.beta = row[beta] == 0 ? 0 : 1.5;
    const MatricesInPlace wanted{row[in_place] % 2 != 0, row[in_place] / 2 % 2 != 0,
                                 row[in_place] / 4 != 0};
    for_all_types([&](auto zero) {
      using T = decltype(zero);
      if (precision_index(precision_of<T>) != static_cast<std::size_t>(row[type])) return;
      f.seed = seed += 10;
      SCOPED_TRACE("in place " + std::to_string(row[in_place]) + ", steps " +
                   std::to_string(row[step]));
      // Blocks of whole leaves, whose inverses go there at once, and others.
      const std::int64_t leaf = row[pad] == 0 ? 8 : 9;
      if (exists<T>(f) && has_type(precision_of<T>)) {
        // Of trmm's four blocks the old values of two are kept.
        const std::size_t kept = row[beta] == 0 ? 0 : 2 * 24 * 41 * sizeof(T);
        const std::int64_t by_leaves = row[beta] == 0 ? 2 : 0;
        expect_right<T>(
            f, on_device({24, leaf, 41 * 2 * sizeof(T), row[step] * 5, kept, by_leaves}, wanted));
      }
    });
  }
}

// Results of 4 MiB and more, in several pieces, in the order of rows and against it.
TEST_P(Level3Jobs, AreRightWhereABlocksResultsComeInPieces) {
  if (is_hermitian(GetParam()) || is_rank_2k(GetParam()) || !has_type(Precision::d)) return;
  for (const Uplo uplo : {Uplo::lower, Uplo::upper})
    for (const Side side : {Side::left, Side::right}) {
      Level3Factors f{GetParam(), Layout::row_major, side, uplo};
      const bool triangle = updates_triangle(f.routine);
      if (triangle && side == Side::right) continue;
      f.order = triangle ? 1300 : 70;
      f.free = triangle ? 3 : 9000;
      f.beta = 0.5;
      for (const std::size_t kept : {0, 5 << 20})
        expect_right<double>(f,
                             on_device({triangle ? 900 : 64, 32, std::size_t{4} << 20, 0, kept}));
    }
}

// As large ones have them.
TEST_P(Level3Jobs, AreRightWithTheLeavesOfLargeOnes) {
  if (GetParam() != Routine::trsm || !has_type(Precision::z)) return;
  const BlockSizes sizes = block_sizes(1024);
  EXPECT_EQ(sizes.leaf, 128);
  Level3Factors f{Routine::trsm, Layout::row_major, Side::right, Uplo::upper};
  f.order = sizes.leaf + 30;
  f.free = 9;
  expect_right<std::complex<double>>(f, on_device(sizes));
}

constexpr MatricesInPlace only_operands{true, true, false};

// Of the steps of a diagonal block, or of a leaf, the first packs right-hand sides and the others
// take rows of what it packed.
TEST(Level3JobsInPlace, MultiplyTrianglesInStepsByRightHandSidesThatArePackedOnce) {
  GpuSide& gpu = one_side();
  if (!can_or_tells(gpu.info(), gpu.sharing().granularity() == 1, shares_not_all)) return;
  for_all_types([&](auto zero) {
    using T = decltype(zero);
    if (is_double(precision_of<T>) && !gpu.info().has_fp64) return;
    KernelParams kernel = default_kernel(precision_of<T>, gpu.limits());
    kernel.pack_b = true;
    if (kernel.family != KernelFamily::panel) return;
    for (const Routine routine : {Routine::trmm, Routine::trsm})
      for (const Uplo uplo : {Uplo::lower, Uplo::upper})
        for (const Op op : {Op::none, Op::transpose}) {
          Level3Factors f{routine, Layout::row_major, Side::left, uplo, op};
          f.order = 96;
          f.free = 50;
          f.alpha = -0.7;
          std::uint64_t packed[2];
          for (const std::int64_t step : {0, 11}) {
            const std::uint64_t before = gpu.copied().packed;
            const BlockSizes sizes{48, 24, std::size_t{4} << 20, step};
            expect_right<T>(f, [&](const CallerLevel3& call) {
              start_level3(gpu.device(), to_row_major(call), kernel, sizes, {only_operands, {}})
                  .wait();
            });
            packed[step > 0] = gpu.copied().packed - before;
          }
          if (op == Op::none && !kernel.pack_a) {
            EXPECT_EQ(packed[1], packed[0]);
          }
        }
  });
}

// Blocks of whole tiles: of an A in place all lines are packed before the first product, and no
// other product packs any.
TEST(Level3JobsInPlace, PackLinesOfARankKUpdateOnce) {
  GpuSide& gpu = one_side();
  if (!can_or_tells(gpu.info(), gpu.sharing().granularity() == 1, shares_not_all)) return;
  for_all_types([&](auto zero) {
    using T = decltype(zero);
    if (is_double(precision_of<T>) && !gpu.info().has_fp64) return;
    const KernelParams kernel = packing_kernel(precision_of<T>, gpu.limits(), false, true);
    const std::int64_t tile = col_tile(kernel);
    const BlockSizes sizes{tile, tile, std::size_t{4} << 20};
    for (const Routine routine : {Routine::syrk, Routine::herk})
      for (const Uplo uplo : {Uplo::lower, Uplo::upper})
        for (const Op op : {Op::none, Op::transpose, Op::conj_transpose})
          for (const bool c_in_place : {false, true}) {
            Level3Factors f{routine, Layout::row_major, Side::left, uplo, op};
            f.order = 2 * tile + 1;
            f.free = 30;
            f.beta = c_in_place ? -0.5 : 0;
            if (!exists<T>(f)) continue;
            const std::uint64_t before = gpu.copied().packed;
            expect_right<T>(f, [&](const CallerLevel3& call) {
              start_level3(gpu.device(), to_row_major(call), kernel, sizes,
                           {{true, true, c_in_place}, {}})
                  .wait();
            });
            // A transposed operand on the left is packed by each product.
            if (op != Op::none) continue;
            EXPECT_EQ(
                gpu.copied().packed - before,
                static_cast<std::uint64_t>(3 * tile * packed_depth_b(kernel, f.free)) * sizeof(T));
          }
  });
}

INSTANTIATE_TEST_SUITE_P(Routines, Level3Jobs, ::testing::ValuesIn(all_routines),
                         [](const auto& routine) { return std::string(name(routine.param)); });

/// The condition of a lower triangular matrix in the Frobenius norm.
double condition(const double* a, std::int64_t ld, std::int64_t size) {
  long double norm = 0, of_inverse = 0;
  for (std::int64_t column = 0; column < size; ++column) {
    std::vector<long double> x(static_cast<std::size_t>(size), 0);
    for (std::int64_t i = column; i < size; ++i) {
      long double rest = i == column ? 1 : 0;
      for (std::int64_t j = column; j < i; ++j)
        rest -= static_cast<long double>(a[i * ld + j]) * x[static_cast<std::size_t>(j)];
      const long double value = rest / a[i * ld + i];
      x[static_cast<std::size_t>(i)] = value;
      of_inverse += value * value;
      norm += static_cast<long double>(a[i * ld + column]) * a[i * ld + column];
    }
  }
  return static_cast<double>(std::sqrt(norm * of_inverse));
}

struct SolvingJob : testing::Test {
  static constexpr std::int64_t n = 160, rhs = 24, leaf = 32;
  static constexpr BlockSizes sizes{64, leaf, std::size_t{4} << 20};

  Level3Factors factors() const {
    Level3Factors f{Routine::trsm, Layout::row_major, Side::left, Uplo::lower};
    f.order = n;
    f.free = rhs;
    return f;
  }
  void solve(const Level3Problem& p) {
    GpuSide& gpu = one_side();
    start_level3(gpu.device(), p, default_kernel(p.precision, gpu.limits()), sizes).wait();
  }
};

// Du Croz and Higham: the residual of solving by inverted diagonal blocks is that of substitution
// times the condition of those blocks.
TEST_F(SolvingJob, HasTheResidualOfSubstitutionTimesTheConditionOfItsBlocks) {
  if (!has_doubles(first_device().info)) return;
  Level3Matrices<double> matrices(factors());
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < i; ++j) matrices.a.at(i, j) *= 2 * static_cast<double>(n);
  const CallerLevel3 call = matrices.call(factors());
  const Level3Reference<double> reference(call);
  solve(to_row_major(call));
  double largest = 1;
  for (std::int64_t first = 0; first < n; first += leaf)
    largest = std::max(largest, condition(&matrices.a.at(first, first), matrices.a.ld(), leaf));
  EXPECT_GT(largest, 100) << "there is something to be seen";
  EXPECT_LT(reference.scaled_error(), largest);
}

TEST_F(SolvingJob, LeavesATriangleWithAZeroOnItsDiagonalToTheCpu) {
  if (!has_doubles(first_device().info)) return;
  Level3Matrices<double> singular(factors());
  singular.a.at(100, 100) = 0;
  const TestMatrix<double> before = singular.c;
  EXPECT_THROW(solve(to_row_major(singular.call(factors()))), DeviceError);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < rhs; ++j) ASSERT_EQ(singular.c.at(i, j), before.at(i, j)) << i;
}

}  // namespace
}  // namespace duoblas::test
