#include "cpu/vector_pieces.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "cpu/matrix_copy.hpp"
#include "support/gemv_case.hpp"
#include "support/update_case.hpp"
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

TEST(VectorPieces, OfGerGiveTheRightMatrix) {
  VectorPieceLimits limits;
  limits.extent = 13;
  limits.distance = 42;
  limits.elements = 100;
  for (const auto layout : {Layout::row_major, Layout::column_major})
    for (const bool conjugates : {false, true})
      for (const std::int64_t pad : {0, 20}) {
        int pieces = 0;
        test::expect_right_ger<std::complex<double>>(
            {.layout = layout,
             .conjugates = conjugates,
             .m = 29,
             .n = 31,
             .pad = pad,
             .incx = -2,
             .incy = 50,
             .alpha = -0.7},
            [&](const CallerGer& call) {
              for_each_piece(to_row_major(call), limits, [&](const GerProblem& piece) {
                EXPECT_LE(std::max(piece.rows, piece.columns), limits.extent);
                EXPECT_LE(piece.rows * piece.columns, limits.elements);
                EXPECT_LE(piece.lda, limits.distance);
                EXPECT_LE(std::abs(piece.x.increment), limits.distance);
                EXPECT_LE(std::abs(piece.y.increment), limits.distance);
                ++pieces;
                cpu().run(piece, {});
              });
            });
        EXPECT_GT(pieces, 8);
      }
}

TEST(VectorPieces, OfAxpyGiveTheRightVector) {
  VectorPieceLimits limits;
  limits.extent = 13;
  limits.distance = 3;
  for (const std::int64_t incx : {1, -2, 0, 7})
    for (const std::int64_t incy : {1, -3, 5}) {
      int pieces = 0;
      test::expect_right_axpy<float>(
          {.n = 50, .incx = incx, .incy = incy, .alpha = 1.5}, [&](const CallerAxpy& call) {
            for_each_piece(problem_of(call), limits, [&](const AxpyProblem& piece) {
              EXPECT_LE(piece.size, limits.extent);
              EXPECT_LE(std::abs(piece.x.increment), limits.distance);
              EXPECT_LE(std::abs(piece.y.increment), limits.distance);
              ++pieces;
              cpu().run(piece, {});
            });
          });
      EXPECT_EQ(pieces, 4);
    }
}

// Whole tiles and edges, lines that do and do not begin at cache lines, small and past the caches.
TEST(MatrixCopy, TransposesEverySizeAndAlignment) {
  const std::int64_t sizes[][2] = {{1, 1}, {3, 130}, {64, 64}, {65, 63}, {200, 131}, {1100, 1003}};
  for (const auto& [rows, columns] : sizes)
    for (const std::int64_t pad : {0, 1, 13})
      for (const std::int64_t offset : {0, 1}) {
        SCOPED_TRACE(testing::Message() << rows << " x " << columns << ", pad " << pad);
        const auto check = [&]<typename T>() {
          test::TestMatrix<T> a(columns, rows, pad, offset), b(rows, columns, pad, offset);
          a.randomise(1);
          CopyProblem p;
          p.precision = precision_of<T>;
          p.transposes = true;
          p.rows = rows;
          p.columns = columns;
          p.a = a.data();
          p.lda = a.ld();
          p.b = b.data();
          p.ldb = b.ld();
          copy_matrix(p, 2);
          EXPECT_TRUE(b.guards_untouched());
          for (std::int64_t i = 0; i < rows; ++i)
            for (std::int64_t j = 0; j < columns; ++j) ASSERT_EQ(b.at(i, j), a.at(j, i));
        };
        check.operator()<float>();
        check.operator()<double>();
        check.operator()<std::complex<float>>();
        check.operator()<std::complex<double>>();
      }
}

TEST(MatrixCopy, IsRightPastTheCachesWhereverALineBegins) {
  constexpr std::int64_t n = 1104;
  for (const std::int64_t offset : {0, 4, 5}) {
    test::TestMatrix<float> a(n, n, 0, 0), b(n, n, 0, offset);
    a.randomise(1);
    CopyProblem p;
    p.transposes = true;
    p.rows = p.columns = n;
    p.alpha = 0.5;
    p.a = a.data();
    p.lda = p.ldb = n;
    p.b = b.data();
    copy_matrix(p, 2);
    EXPECT_TRUE(b.guards_untouched());
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < n; ++j) ASSERT_EQ(b.at(i, j), 0.5F * a.at(j, i));
  }
}

}  // namespace
}  // namespace duoblas
