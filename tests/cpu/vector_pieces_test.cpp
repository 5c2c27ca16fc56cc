// gemv that is cut into pieces for 32-bit sizes.
#include "cpu/vector_pieces.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <type_traits>

#include "cpu/adjoint_copy.hpp"
#include "support/gemv_case.hpp"
#include "whole_cpu.hpp"

namespace duoblas {
namespace {

using test::cpu;
using test::GemvCase;

template <typename T>
void expect_right_in_pieces(const GemvCase& c, const VectorPieceLimits& limits, int* pieces) {
  test::expect_right_gemv<T>(c, [&](const CallerGemv& call) {
    const GemvProblem problem = to_row_major(call);
    for_each_piece(problem, limits, [&](const GemvProblem& piece) {
      EXPECT_LE(std::max(piece.rows, piece.columns), limits.extent);
      EXPECT_LE(piece.lda, std::max(limits.distance, piece.columns));
      EXPECT_LE(std::abs(piece.x.increment), limits.distance);
      EXPECT_LE(std::abs(piece.y.increment), limits.distance);
      EXPECT_LE(piece.rows * piece.columns, std::max<std::int64_t>(limits.elements, 1));
      ++*pieces;
      cpu().run(piece, {});
    });
  });
}

constexpr Op ops[] = {Op::none, Op::transpose, Op::conj_transpose};

TEST(VectorPieces, AreOneWhereEverythingFits) {
  int pieces = 0;
  expect_right_in_pieces<double>({.m = 40, .n = 30, .pad = 2, .incx = -2, .incy = 3}, {}, &pieces);
  EXPECT_EQ(pieces, 1);
}

TEST(VectorPieces, OfExtentsOverTheLimitGiveTheRightSums) {
  VectorPieceLimits limits;
  limits.extent = 13;
  for (const Op op : ops)
    for (const double beta : {0.0, 1.0, -0.7}) {
      int pieces = 0;
      const GemvCase c{.op = op, .m = 29, .n = 40, .pad = 3, .incx = 2, .incy = -1, .beta = beta};
      expect_right_in_pieces<std::complex<double>>(c, limits, &pieces);
      EXPECT_EQ(pieces, 3 * 4);
    }
}

TEST(VectorPieces, OfDistancesOverTheLimitGiveTheRightSums) {
  VectorPieceLimits limits;
  limits.distance = 2;
  for (const Op op : ops)
    for (const double beta : {0.0, -0.7}) {
      int pieces = 0;
      expect_right_in_pieces<float>(
          {.op = op, .m = 11, .n = 7, .pad = 3, .incx = 5, .incy = -4, .beta = beta}, limits,
          &pieces);
      EXPECT_EQ(pieces, 11);  // row by row
    }
}

TEST(VectorPieces, OfBoundedWorkGiveTheRightSums) {
  VectorPieceLimits limits;
  limits.elements = 50;
  for (const Op op : ops) {
    int pieces = 0;
    expect_right_in_pieces<float>({.op = op, .m = 30, .n = 20, .beta = 1}, limits, &pieces);
    EXPECT_EQ(pieces, 15);
  }
}

// Whole tiles and edges, lines that do and do not begin at cache lines, small and past the caches.
TEST(AdjointCopy, IsRightForEverySizeAndAlignment) {
  const std::int64_t sizes[][2] = {{1, 1},     {3, 130},     {64, 64},    {65, 63},
                                   {200, 131}, {1100, 1003}, {1104, 1104}};
  for (const auto& size : sizes)
    for (const std::int64_t pad : {0, 1, 13})
      for (const std::int64_t offset : {0, 1, 4}) {
        const std::int64_t rows = size[0], columns = size[1];
        SCOPED_TRACE(testing::Message() << rows << " x " << columns << ", pad " << pad);
        const auto check = [&]<typename T>() {
          test::TestMatrix<T> a(columns, rows, pad, offset), b(rows, columns, pad, offset);
          a.randomise(1);
          copy_adjoint({precision_of<T>, rows, columns, a.data(), a.ld(), b.data(), b.ld()}, 2);
          EXPECT_TRUE(b.guards_untouched());
          for (std::int64_t i = 0; i < rows; ++i)
            for (std::int64_t j = 0; j < columns; ++j) {
              T expected = a.at(j, i);
              if constexpr (!std::is_floating_point_v<T>) expected = std::conj(expected);
              ASSERT_EQ(b.at(i, j), expected);
            }
        };
        check.operator()<float>();
        check.operator()<double>();
        check.operator()<std::complex<float>>();
        check.operator()<std::complex<double>>();
      }
}

}  // namespace
}  // namespace duoblas
