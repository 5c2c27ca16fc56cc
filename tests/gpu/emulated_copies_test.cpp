// Kernels with asynchronous copies on devices that have none: with copies that happen at once, the
// places, rings and edges are the same. Matrix instructions exchange numbers through local memory.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "gpu/emulating_kernels.hpp"
#include "gpu/side_front.hpp"
#include "kernel_space/kernel_defaults.hpp"
#include "kernel_space/kernel_description.hpp"
#include "kernel_space/kernel_rules.hpp"
#include "kernel_space/tiled_points.hpp"
#include "support/turns.hpp"
#include "support/wide_kernels.hpp"

namespace duoblas {
namespace {

using test::able;

constexpr Op kOps[] = {Op::none, Op::transpose};

GpuSide& side() {
  static auto* const once = new GpuSide(test::first_device(), {"", test::emulating_kernels()});
  return *once;
}

struct Point {
  int tile_rows, tile_cols, group_rows, group_cols, k_unroll, prefetch;
  bool pack_a, pack_b, fragments;
  int group_depth;
};

// Rings of every depth; tiles that groups deal out in whole lines, in parts of lines, and neither;
// operands packed, in place and transposed on the way; teams.
const std::vector<Point>& points() {
  static const std::vector<Point> all = {
      {4, 4, 4, 8, 8, 1, false, false, true, 1},  {4, 4, 4, 8, 16, 2, true, false, true, 1},
      {4, 8, 4, 4, 8, 3, true, true, false, 1},   {4, 4, 8, 4, 16, 2, false, false, false, 2},
      {8, 4, 4, 8, 8, 6, false, true, true, 1},   {4, 4, 4, 8, 32, 0, false, false, false, 4},
      {4, 4, 4, 8, 16, 1, false, true, false, 2}, {4, 4, 8, 16, 4, 2, true, true, false, 1},
  };
  return all;
}

KernelParams kernel_at(const Point& at, Precision precision, int i) {
  KernelParams p;
  p.family = KernelFamily::tiled;
  p.tile_rows = at.tile_rows;
  p.tile_cols = at.tile_cols;
  p.vector_width = is_complex(precision) ? 1 : is_double(precision) ? 2 : 4;
  if (i % 2 == 0) p.vector_width_m = p.vector_width == 1 ? 2 : 1;
  p.group_rows = at.group_rows;
  p.group_cols = at.group_cols;
  p.k_unroll = at.k_unroll;
  p.local_a = p.local_b = p.async_copy = true;
  p.prefetch = at.prefetch;
  p.pack_a = at.pack_a;
  p.pack_b = at.pack_b;
  p.fragments = at.fragments;
  p.group_depth = at.group_depth;
  p.assignment = static_cast<Assignment>(i % 3);
  p.madd_order = static_cast<MaddOrder>(i % 3);
  return p;
}

template <typename T>
struct EmulatedCopies : testing::Test {};
using ElementTypes = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(EmulatedCopies, ElementTypes);

TYPED_TEST(EmulatedCopies, BringTheRightNumbers) {
  using T = TypeParam;
  int i = 0, legal = 0;
  for (const Point& at : points()) {
    const KernelParams kernel = kernel_at(at, precision_of<T>, ++i);
    SCOPED_TRACE(describe(kernel));
    if (violated_rule(kernel, precision_of<T>, able()) != nullptr) continue;
    ++legal;
    if (!test::has_turn(precision_of<T>, i / 4)) continue;  // i % 4 chooses ops and widths
    const test::Front<T> front = [&](const test::Call<T>& call, T* c, std::int64_t ldc) {
      side().submit(test::problem_of(call, c, ldc), kernel, side().best_sharing()).wait();
    };
    const std::int64_t rows = row_tile(kernel), cols = col_tile(kernel);
    // Rows of whole 16 bytes; aligned ones that end between, and others; more slices than the ring,
    // and fewer.
    struct Lie {
      int pad, offset;
    };
    for (const Lie lie : {Lie{0, 0}, Lie{1, 0}, Lie{1, 1}})
      test::expect_right<T>(
          {.op_a = kOps[i % 2],
           .op_b = kOps[i / 2 % 2],
           .m = rows + 4 - lie.pad,
           .n = cols + 8 - lie.pad,
           .k = lie.offset == 0 ? 8 * kernel.k_unroll + 4 - lie.pad : kernel.k_unroll + 3,
           .pad = lie.pad,
           .offset = lie.offset,
           .alpha = 0.6,
           .beta = lie.offset == 0 ? 0.0 : -0.7},
          front);
  }
  EXPECT_GE(legal, 5);
}

// A slice of A through registers, of an odd number of floats, before one of B that copies bring 16
// bytes at a time.
TEST(EmulatedCopiesOfFloats, AreAlignedBehindSlicesOfAnyLength) {
  KernelParams kernel;
  kernel.family = KernelFamily::tiled;
  kernel.tile_rows = kernel.tile_cols = 8;
  kernel.group_rows = kernel.group_cols = 8;
  kernel.vector_width = 1;
  kernel.prefetch = 2;
  kernel.local_a = kernel.local_b = kernel.pack_b = kernel.async_copy = true;
  for (const int k_unroll : {1, 2}) {
    kernel.k_unroll = k_unroll;
    SCOPED_TRACE(describe(kernel));
    ASSERT_EQ(violated_rule(kernel, Precision::s, able()), nullptr);
    const test::Front<float> front = [&](const test::Call<float>& call, float* c,
                                         std::int64_t ldc) {
      side().submit(test::problem_of(call, c, ldc), kernel, side().best_sharing()).wait();
    };
    test::expect_right<float>({.m = 64, .n = 68, .k = 12, .alpha = 0.6, .beta = 0}, front);
  }
}

// An operand's rows start at multiples of 16 bytes, at every other one, or all between; at edges,
// and with more slices than the ring has room for.
struct Rows16 {
  int pad, offset;
};

void expect_right_products(const KernelParams& kernel, Op op_a, Op op_b,
                           const std::vector<Rows16>& layouts, std::int64_t k = 0) {
  SCOPED_TRACE(describe(kernel));
  ASSERT_EQ(violated_rule(kernel, Precision::d, able()), nullptr);
  const test::Front<double> front = [&](const test::Call<double>& call, double* c,
                                        std::int64_t ldc) {
    side().submit(test::problem_of(call, c, ldc), kernel, side().best_sharing()).wait();
  };
  for (const auto [pad, offset] : layouts)
    test::expect_right<double>({.op_a = op_a,
                                .op_b = op_b,
                                .m = row_tile(kernel) + 6,
                                .n = col_tile(kernel) + 8,
                                .k = k > 0 ? k : 5 * kernel.k_unroll - 2,
                                .pad = pad,
                                .offset = offset,
                                .alpha = 0.6,
                                .beta = offset == 0 ? 0.0 : -0.7},
                               front);
}

KernelParams small_matrix_kernel(MatrixUnit unit, int k_unroll) {
  KernelParams p;
  p.family = KernelFamily::tiled;
  p.matrix = unit;
  p.tile_rows = p.tile_cols = 2;
  p.vector_width = 2;
  p.group_rows = p.group_cols = 8;
  p.k_unroll = k_unroll;
  p.local_a = p.local_b = p.async_copy = true;
  p.prefetch = 2;
  return p;
}

TEST(EmulatedMatrix, MultipliesDoublesOfRowsThatStartAnywhere) {
  const KernelParams kernel = small_matrix_kernel(MatrixUnit::fp64_deep, 16);
  expect_right_products(kernel, Op::none, Op::none, {{1, 0}, {1, 1}, {2, 1}});
}

TEST(EmulatedMatrix, MultipliesDoublesOfTransposedRowsThatStartAnywhere) {
  KernelParams kernel = small_matrix_kernel(MatrixUnit::fp64, 8);
  kernel.fragments = true;
  expect_right_products(kernel, Op::transpose, Op::transpose, {{1, 0}, {1, 1}, {2, 1}});
}

TEST(EmulatedMatrix, MultipliesDoublesOfRowsAtEveryPlaceOf64Bytes) {
  KernelParams kernel = small_matrix_kernel(MatrixUnit::fp64_deep, 8);
  kernel.fragments = true;
  kernel.prefetch = 3;
  expect_right_products(kernel, Op::none, Op::transpose,
                        {{1, 0}, {2, 1}, {5, 2}, {7, 3}, {8, 5}, {3, 6}, {6, 7}});
  // Fewer steps than a window has, and a row's last ones in the next.
  for (const std::int64_t k : {1, 7, 9})
    expect_right_products(kernel, Op::none, Op::transpose, {{1, 0}, {3, 6}, {6, 7}}, k);
}

// With as many slices ahead A comes in windows, and B number by number.
TEST(EmulatedMatrix, MultipliesDoublesInWindowsBesideLinesThatStartAnywhere) {
  KernelParams kernel = small_matrix_kernel(MatrixUnit::fp64_deep, 8);
  kernel.prefetch = 4;
  expect_right_products(kernel, Op::none, Op::none, {{1, 1}, {2, 1}});
}

// Copies between the instructions: so many that some go together, and more instructions than
// copies; in windows, of packed operands, and by teams.
TEST(EmulatedMatrix, CopiesDoublesBetweenItsInstructions) {
  KernelParams kernel = small_matrix_kernel(MatrixUnit::fp64_deep, 16);
  kernel.fragments = true;
  expect_right_products(kernel, Op::transpose, Op::none, {{1, 0}, {0, 0}});
  kernel.tile_rows = 4;
  kernel.prefetch = 1;
  kernel.madd_order = MaddOrder::row_serpentine;
  expect_right_products(kernel, Op::none, Op::none, {{1, 1}, {0, 0}});
  kernel.prefetch = 3;
  expect_right_products(kernel, Op::none, Op::transpose, {{1, 0}, {2, 1}});
  expect_right_products(kernel, Op::none, Op::none, {{1, 0}}, 5);
  kernel.pack_a = kernel.pack_b = true;
  kernel.matrix = MatrixUnit::fp64;
  kernel.k_unroll = 32;
  expect_right_products(kernel, Op::none, Op::transpose, {{1, 1}});
  kernel.pack_a = false;
  kernel.k_unroll = 16;
  kernel.group_depth = 2;
  expect_right_products(kernel, Op::none, Op::none, {{0, 0}});
}

// Rows of C that begin inside of 16 bytes go through local memory: a whole tile at a time, and,
// where the ring is short, half of one.
TEST(EmulatedMatrix, StoresDoublesLineByLine) {
  KernelParams kernel = small_matrix_kernel(MatrixUnit::fp64_deep, 16);
  kernel.tile_rows = kernel.tile_cols = 4;
  expect_right_products(kernel, Op::transpose, Op::none, {{1, 0}, {2, 0}, {1, 1}});
  kernel.k_unroll = 8;
  kernel.prefetch = 1;
  expect_right_products(kernel, Op::none, Op::transpose, {{1, 0}, {2, 1}, {0, 0}});
}

TEST(EmulatedMatrix, MultipliesDoublesOfAlignedRows) {
  const KernelParams kernel = small_matrix_kernel(MatrixUnit::fp64, 8);
  expect_right_products(kernel, Op::transpose, Op::none, {{0, 0}, {2, 0}});
}

TEST(EmulatedMatrix, MultipliesDoublesBesidePackedOnes) {
  KernelParams kernel = small_matrix_kernel(MatrixUnit::fp64_deep, 8);
  kernel.pack_a = true;
  expect_right_products(kernel, Op::none, Op::none, {{1, 1}});
}

// Everything that a kernel is tried with before its first use: edges of tiles, rows that start
// anywhere, more slices than the ring has slots, NaNs around operands and in C.
void expect_right_when_tried(const KernelParams& kernel, Precision precision, Op op_a, Op op_b) {
  SCOPED_TRACE(describe(kernel));
  ASSERT_EQ(violated_rule(kernel, precision, able()), nullptr);
  EXPECT_EQ(side().try_kernel({kernel, precision, op_a, op_b}), "");
}

// 64 x 128 sums, for a device that does it all one by one.
TEST(EmulatedWideMatrix, MultipliesFloatsInThreeParts) {
  KernelParams kernel = wide_tf32x3();
  kernel.group_rows = 32;
  kernel.k_unroll = 16;
  expect_right_when_tried(kernel, Precision::s, Op::none, Op::none);
}

TEST(EmulatedWideMatrix, MultipliesTilesOfSeveralInstructions) {
  KernelParams kernel = wide_tf32x3();
  kernel.tile_cols = 64;
  kernel.k_unroll = 16;
  kernel.prefetch = 1;
  expect_right_when_tried(kernel, Precision::s, Op::transpose, Op::transpose);
}

// As real numbers: each op of A with another one of B.
TEST(EmulatedWideMatrix, MultipliesComplexNumbers) {
  KernelParams kernel = wide_tf32x3(Precision::c);
  kernel.group_rows = 32;
  kernel.k_unroll = 16;
  expect_right_when_tried(kernel, Precision::c, Op::none, Op::conj_transpose);
  expect_right_when_tried(kernel, Precision::c, Op::conj_transpose, Op::none);
  expect_right_when_tried(kernel, Precision::c, Op::transpose, Op::transpose);
}

TEST(EmulatedMatrix, MultipliesComplexNumbersOfFloatsAsRealOnes) {
  KernelParams kernel = small_matrix_kernel(MatrixUnit::tf32x3, 16);
  kernel.pack_a = kernel.pack_b = kernel.as_real = true;
  expect_right_when_tried(kernel, Precision::c, Op::none, Op::none);
  expect_right_when_tried(kernel, Precision::c, Op::transpose, Op::conj_transpose);
  kernel.fragments = true;
  kernel.tile_cols = 4;
  expect_right_when_tried(kernel, Precision::c, Op::conj_transpose, Op::transpose);
}

TEST(EmulatedMatrix, KernelsCompile) {
  const auto compiles = [](KernelParams kernel, Precision precision) {
    kernel.resident_groups = 0;  // options of NVIDIA's compiler
    kernel.compiler_level = 0;
    SCOPED_TRACE(describe(kernel));
    EXPECT_NO_THROW(side().prepare(kernel, precision, Op::none, Op::transpose));
  };
  for (const MatrixUnit unit : {MatrixUnit::fp64, MatrixUnit::fp64_deep})
    for (const bool packed : {false, true}) {
      KernelParams kernel = default_kernel(Precision::d, able());
      ASSERT_NE(kernel.matrix, MatrixUnit::none);
      kernel.matrix = unit;
      kernel.pack_b = packed;
      compiles(kernel, Precision::d);
    }
  for (const Precision precision : {Precision::s, Precision::c}) {
    const auto kernel = tf32x3_kernel(precision, able());
    ASSERT_TRUE(kernel.has_value());
    compiles(*kernel, precision);
  }
}

}  // namespace
}  // namespace duoblas
