// What a level-3 job is made of, without a device.
#include "gpu/level3/level3_program.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>
#include <variant>
#include <vector>

#include "gpu/level3/diagonal_blocks.hpp"
#include "gpu/level3/pipelined_level3.hpp"
#include "kernel_space/device_blocks.hpp"
#include "kernel_space/kernel_defaults.hpp"
#include "memory/download_ring.hpp"
#include "memory/upload_ring.hpp"

namespace duoblas::test {
namespace {

// A piece of which a part had arrived would be computed again from its own results: the ring sends
// for as much as its blocks hold, and rows have gaps on the device.
TEST(Level3Program, FetchesInPiecesThatArriveAsAWholeWhereRowsComeLastFirst) {
  int pieces = 0;
  for (const Routine routine : {Routine::trmm, Routine::trsm, Routine::syrk})
    for (const Uplo uplo : {Uplo::lower, Uplo::upper})
      for (const std::int64_t n : {3013, 4033, 5001}) {  // rows of 16 i + 8 bytes
        Level3Problem p;
        p.routine = routine;
        p.precision = Precision::d;
        p.uplo = uplo;
        p.m = 600;
        p.n = n;
        p.k = 3;
        if (!from_the_end(p)) continue;
        for (const DeviceStep& step : device_program(p, {512, 64, DownloadRing::block_bytes})) {
          const auto* fetch = std::get_if<FetchRect>(&step);
          if (fetch == nullptr) continue;
          ++pieces;
          const auto rows = static_cast<std::size_t>(fetch->rect.rows);
          const auto columns = static_cast<std::size_t>(fetch->rect.columns);
          EXPECT_LE(rows * device_pitch(columns * sizeof(double)), DownloadRing::block_bytes)
              << rows << " rows of " << columns;
        }
      }
  EXPECT_GT(pieces, 20);
}

// Each block row of a copied triangle in one piece, which has the diagonal block too.
TEST(Level3Program, SendsAllThatIsStoredOfATriangleOnce) {
  constexpr std::int64_t n = 85;
  for (const Routine routine : {Routine::trmm, Routine::trsm})
    for (const Side side : {Side::left, Side::right})
      for (const Uplo uplo : {Uplo::lower, Uplo::upper})
        for (const Op op : {Op::none, Op::transpose}) {
          Level3Problem p;
          p.routine = routine;
          p.precision = Precision::d;
          p.side = side;
          p.uplo = uplo;
          p.op = op;
          p.m = p.n = n;
          std::vector<int> sent(n * n, 0);
          for (const DeviceStep& step : device_program(p, {24, 8})) {
            const auto* triangle = std::get_if<SendTriangle>(&step);
            if (triangle == nullptr) continue;
            const auto& [at, rows, columns] = triangle->rect;
            for (std::int64_t i = at.row; i < at.row + rows; ++i)
              for (std::int64_t j = at.column; j < at.column + columns; ++j)
                ++sent[static_cast<std::size_t>(i * n + j)];
          }
          for (std::int64_t i = 0; i < n; ++i)
            for (std::int64_t j = 0; j < n; ++j) {
              const bool is_stored = uplo == Uplo::lower ? i >= j : i <= j;
              ASSERT_EQ(sent[static_cast<std::size_t>(i * n + j)], is_stored || i / 24 == j / 24)
                  << name(routine) << (side == Side::left ? " left " : " right ")
                  << (uplo == Uplo::lower ? "lower " : "upper ") << i << ", " << j;
            }
        }
}

// Of what a leaf is solved with, only the inverse is read. So the last blocks, which come back leaf
// by leaf, send what is beside leaves.
TEST(Level3Program, SolvesLastBlocksLeafByLeafByWhatIsBesideLeaves) {
  constexpr std::int64_t n = 88, block = 24, leaf = 8, by_leaves = 2;
  for (const Side side : {Side::left, Side::right})
    for (const Uplo uplo : {Uplo::lower, Uplo::upper})
      for (const Op op : {Op::none, Op::transpose}) {
        Level3Problem p;
        p.routine = Routine::trsm;
        p.precision = Precision::d;
        p.side = side;
        p.uplo = uplo;
        p.op = op;
        p.m = p.n = n;
        BlockSizes sizes{block, leaf};
        sizes.blocks_by_leaves = by_leaves;
        std::vector<int> sent(n * n, 0), solved(n, 0);
        std::vector<Interval> fetched;
        const auto send = [&](const DeviceRect& rect) {
          if (rect.at.matrix != Level3Matrix::a) return;
          for (std::int64_t i = rect.at.row; i < rect.at.row + rect.rows; ++i)
            for (std::int64_t j = rect.at.column; j < rect.at.column + rect.columns; ++j)
              ++sent[static_cast<std::size_t>(i * n + j)];
        };
        for (const DeviceStep& step : device_program(p, sizes)) {
          if (const auto* rect = std::get_if<SendRect>(&step)) send(rect->rect);
          if (const auto* triangle = std::get_if<SendTriangle>(&step)) send(triangle->rect);
          if (const auto* fetch = std::get_if<FetchRect>(&step)) fetched.push_back(fetch->lines);
          const auto* multiply = std::get_if<MultiplyStep>(&step);
          if (multiply == nullptr) continue;
          const auto& [matrix, row, column] = side == Side::left ? multiply->a : multiply->b;
          if (matrix != Level3Matrix::a) continue;
          const GemmProblem& product = multiply->product;
          std::int64_t rows = side == Side::left ? product.m : product.k;
          std::int64_t columns = side == Side::left ? product.k : product.n;
          if (op != Op::none) std::swap(rows, columns);
          for (std::int64_t i = row; i < row + rows; ++i)
            for (std::int64_t j = column; j < column + columns; ++j)
              ASSERT_EQ(sent[static_cast<std::size_t>(i * n + j)], 1) << i << ", " << j;
        }
        const bool from_end = from_the_end(p);
        const std::int64_t last = from_end ? 2 * block : n - 16 - block;
        std::int64_t line = from_end ? n : 0;
        for (const Interval& lines : fetched) {
          EXPECT_EQ(from_end ? lines.first + lines.count : lines.first, line) << "in this order";
          line = from_end ? lines.first : lines.first + lines.count;
          const bool is_last = from_end ? line < last : lines.first >= last;
          EXPECT_EQ(lines.count <= leaf, is_last) << lines.first;
          if (!is_last) continue;
          for (std::int64_t i = lines.first; i < lines.first + lines.count; ++i)
            EXPECT_EQ(sent[static_cast<std::size_t>(i * n + i)], 0) << "on a leaf's diagonal";
        }
        EXPECT_EQ(line, from_end ? 0 : n);
      }
}

// So they are inverted while right-hand sides arrive. They have room behind their inverses.
TEST(Level3Program, SendsLeavesThatTheDeviceInvertsFirstOfAll) {
  Level3Problem p;
  p.routine = Routine::trsm;
  p.precision = Precision::d;
  p.m = 85;
  p.n = 30;
  BlockSizes sizes{32, 16};
  sizes.blocks_by_leaves = 2;
  for (const bool inverts : {false, true}) {
    sizes.inverts_leaves = inverts;
    const std::vector<DeviceStep> steps = device_program(p, sizes);
    EXPECT_EQ(std::holds_alternative<SendInverses>(steps.front()), inverts);
    EXPECT_EQ(std::ranges::count_if(
                  steps, [](const auto& s) { return std::holds_alternative<SendInverses>(s); }),
              1);
  }
  // Six leaves, of which each has a strip of 16 columns and as many sums of 8 bytes.
  EXPECT_EQ(device_shape(p, Level3Matrix::inverses, sizes).rows, 96 + 96 + 6);
}

// Lines that need no others first: up to as many as may be kept.
TEST(Level3Program, SendsBackEarlyWhatOldValuesOfTrmmAreKeptFor) {
  constexpr std::int64_t n = 85, block = 24;
  for (const Uplo uplo : {Uplo::lower, Uplo::upper})
    for (const std::size_t blocks : {0, 1, 2, 4, 9}) {
      Level3Problem p;
      p.routine = Routine::trmm;
      p.precision = Precision::d;
      p.uplo = uplo;
      p.m = p.n = n;
      std::vector<int> sent(n, 0);
      std::size_t early = 0;
      BlockSizes sizes{block, 8};
      sizes.saved_bytes = blocks * block * n * sizeof(double);
      for (const DeviceStep& step : device_program(p, sizes)) {
        if (const auto* send = std::get_if<SendRect>(&step))
          for (std::int64_t i = 0; i < send->rect.rows; ++i)
            ++sent[static_cast<std::size_t>(send->rect.at.row + i)];
        if (const auto* multiply = std::get_if<MultiplyStep>(&step)) {
          for (std::int64_t i = 0; i < multiply->product.k; ++i)
            ASSERT_EQ(sent[static_cast<std::size_t>(multiply->b.row + i)], 1) << "B is there";
        }
        if (const auto* fetch = std::get_if<FetchRect>(&step)) early += fetch->lines.count == 0;
      }
      EXPECT_EQ(early, std::min<std::size_t>(blocks, 4));
      EXPECT_EQ(std::ranges::count(sent, 1), n) << "each line once";
    }
}

// However small an upload is, its values are kept in blocks of their own.
TEST(Level3Program, KeepsFewBlocksOfTheRingWhereLinesAreFewOrShortToo) {
  const KernelParams kernel = default_kernel(Precision::d, {});
  for (const Side side : {Side::left, Side::right})
    for (const auto& [order, free] : {std::pair<std::int64_t, std::int64_t>{65536, 1},
                                      {16384, 16},
                                      {4097, 4097},
                                      {300, 300},
                                      {64, std::int64_t{1} << 20}}) {
      Level3Problem p;
      p.routine = Routine::trmm;
      p.precision = Precision::d;
      p.side = side;
      p.m = side == Side::left ? order : free;
      p.n = side == Side::left ? free : order;
      std::size_t blocks = 0;
      for (const DeviceStep& step : device_program(p, block_sizes(p, {}, kernel)))
        if (const auto* send = std::get_if<SendRect>(&step); send != nullptr && send->is_saved) {
          const auto row_bytes = static_cast<std::size_t>(send->rect.columns) * sizeof(double);
          blocks += UploadRing::most_blocks_of(static_cast<std::size_t>(send->rect.rows),
                                               device_pitch(row_bytes));
        }
      EXPECT_LE(blocks, 32u) << order << " x " << free;
      EXPECT_EQ(blocks > 0, free <= 4097) << order << " x " << free;
    }
}

// Each product would be refused, and every such call done twice.
TEST(Level3Program, IsNotForADeviceWhoseImagesAreTooSmallForPackedOperands) {
  Level3Problem p;
  p.routine = Routine::symm;
  p.precision = Precision::s;
  p.m = p.n = 600;
  DeviceLimits limits;
  limits.max_image_pixels = std::size_t{1} << 16;
  KernelParams kernel = default_kernel(p.precision, limits);
  kernel.pack_b = true;
  EXPECT_TRUE(device_bytes(p, kernel, block_sizes(600), limits));
  kernel.image_b = true;
  EXPECT_FALSE(device_bytes(p, kernel, block_sizes(600), limits)) << "of 90,000 pixels";
  limits.max_image_pixels *= 2;
  EXPECT_TRUE(device_bytes(p, kernel, block_sizes(600), limits));
}

constexpr std::int64_t leaf = 32;
using Square = std::vector<double>;

/// A lower triangle whose diagonal has small numbers, so that its inverse has large ones.
Square triangle(std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> numbers;
  std::uniform_real_distribution<double> exponents(-4, 1);
  Square a(leaf * leaf, 0);
  for (std::int64_t i = 0; i < leaf; ++i)
    for (std::int64_t j = 0; j <= i; ++j)
      a[static_cast<std::size_t>(i * leaf + j)] =
          i == j ? std::pow(10, exponents(engine)) : numbers(engine);
  return a;
}

/// The largest element of x y - 1 over that of |x| |y|, in roundoffs.
double residual(const Square& x, const Square& y) {
  long double largest = 0;
  for (std::int64_t i = 0; i < leaf; ++i)
    for (std::int64_t j = 0; j < leaf; ++j) {
      long double sum = i == j ? -1 : 0, magnitude = 0;
      for (std::int64_t l = 0; l < leaf; ++l) {
        const long double term =
            static_cast<long double>(x[static_cast<std::size_t>(i * leaf + l)]) *
            y[static_cast<std::size_t>(l * leaf + j)];
        sum += term;
        magnitude += std::abs(term);
      }
      if (magnitude > 0) largest = std::max(largest, std::abs(sum) / magnitude);
    }
  return static_cast<double>(largest / 0x1p-53L);
}

Square transposed(const Square& x) {
  Square turned(x.size());
  for (std::int64_t i = 0; i < leaf; ++i)
    for (std::int64_t j = 0; j < leaf; ++j)
      turned[static_cast<std::size_t>(j * leaf + i)] = x[static_cast<std::size_t>(i * leaf + j)];
  return turned;
}

TEST(InvertedDiagonalBlocks, HaveASmallResidualInTheOrderInWhichTrsmMultiplies) {
  double largest_of_others = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed)
    for (const Uplo uplo : {Uplo::lower, Uplo::upper})
      for (const Op op : {Op::none, Op::transpose})
        for (const Side side : {Side::left, Side::right}) {
          const Square lower = triangle(seed);
          const Square a = uplo == Uplo::lower ? lower : transposed(lower);
          Level3Problem p;
          p.routine = Routine::trsm;
          p.precision = Precision::d;
          p.side = side;
          p.uplo = uplo;
          p.op = op;
          p.m = p.n = p.lda = leaf;
          p.a = a.data();
          DenseBlock block;
          invert_leaves(p, {0, leaf}, leaf, block);
          const auto* values = reinterpret_cast<const double*>(block.data());
          const Square x(values, values + leaf * leaf);
          const Square of_a = op == Op::none ? a : transposed(a);
          const Square of_x = op == Op::none ? x : transposed(x);
          const bool left = side == Side::left;
          ASSERT_LT(left ? residual(of_a, of_x) : residual(of_x, of_a), leaf) << seed;
          largest_of_others =
              std::max(largest_of_others, left ? residual(of_x, of_a) : residual(of_a, of_x));
        }
  EXPECT_GT(largest_of_others, 10 * leaf) << "the order counts";
}

// Sizes at which the strips and rows end that an inverse is computed in, on both sides of them.
TEST(InvertedDiagonalBlocks, OfEverySizeAreRightAndZeroWhereNothingIsStored) {
  for (std::int64_t size = 1; size < 75; ++size)
    for (const Uplo uplo : {Uplo::lower, Uplo::upper})
      for (const Op op : {Op::none, Op::transpose})
        for (const Diag diag : {Diag::non_unit, Diag::unit}) {
          const bool unit = diag == Diag::unit;
          const auto is_stored = [&](std::int64_t i, std::int64_t j) {
            return uplo == Uplo::lower ? i >= j : i <= j;
          };
          const double nan = std::nan("");
          Square a(static_cast<std::size_t>(size * size), nan);
          for (std::int64_t i = 0; i < size; ++i)
            for (std::int64_t j = 0; j < size; ++j)
              if (is_stored(i, j) && !(unit && i == j))
                a[static_cast<std::size_t>(i * size + j)] =
                    i == j ? 2.0 : 0.25 * std::cos(static_cast<double>(7 * i + 3 * j));
          Level3Problem p;
          p.routine = Routine::trsm;
          p.precision = Precision::d;
          p.uplo = uplo;
          p.op = op;
          p.diag = diag;
          p.m = p.n = p.lda = size;
          p.a = a.data();
          DenseBlock block;
          invert_leaves(p, {0, size}, size, block);
          const auto* x = reinterpret_cast<const double*>(block.data());
          for (std::int64_t i = 0; i < size; ++i)
            for (std::int64_t j = 0; j < size; ++j) {
              double sum = 0, magnitude = 0;
              for (std::int64_t l = 0; l < size; ++l) {
                if (!is_stored(i, l)) continue;
                const double of_a = unit && i == l ? 1 : a[static_cast<std::size_t>(i * size + l)];
                sum += of_a * x[l * size + j];
                magnitude += std::abs(of_a * x[l * size + j]);
              }
              ASSERT_NEAR(sum, i == j, 1e-13 * (1 + magnitude)) << size << ": " << i << ", " << j;
              if (!is_stored(i, j)) {
                ASSERT_EQ(x[i * size + j], 0) << size << ": " << i << ", " << j;
              }
            }
        }
}

// Rows before it are those of any inverse, and what is not stored is zeros.
TEST(InvertedDiagonalBlocks, OfATriangleWithAZeroOnItsDiagonalAreInfiniteFromThereOn) {
  constexpr std::int64_t zero = 17;
  Square a = triangle(1);
  Level3Problem p;
  p.routine = Routine::trsm;
  p.precision = Precision::d;
  p.uplo = Uplo::lower;
  p.m = p.n = p.lda = leaf;
  p.a = a.data();
  DenseBlock whole, block;
  invert_leaves(p, {0, leaf}, leaf, whole);
  a[zero * leaf + zero] = 0;
  invert_leaves(p, {0, leaf}, leaf, block);
  const auto* of_whole = reinterpret_cast<const double*>(whole.data());
  const auto* x = reinterpret_cast<const double*>(block.data());
  for (std::int64_t i = 0; i < zero; ++i)
    for (std::int64_t j = 0; j < leaf; ++j)
      ASSERT_NEAR(x[i * leaf + j], of_whole[i * leaf + j], 1e-9 * std::abs(of_whole[i * leaf + j]));
  EXPECT_TRUE(std::isinf(x[zero * leaf + zero]));
  EXPECT_EQ(x[zero * leaf + zero + 1], 0);
}

}  // namespace
}  // namespace duoblas::test
