// Products that are cut into pieces for 32-bit sizes.
#include "cpu/pieces.hpp"
#include "problem/scale_c.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "row_major_front.hpp"
#include "whole_cpu.hpp"

namespace duoblas {
namespace {

using test::all_ops;
using test::CaseFactors;
using test::cpu;
using test::for_each_type;
using test::row_major_front;

// As CpuSide::run, with limits that small matrices exceed.
void run_in_pieces(const GemmProblem& p, const PieceLimits& limits, int* pieces = nullptr) {
  if (p.empty()) return;
  if (p.only_scales_c()) return scale_c(p);
  for_each_piece(p, limits, [&](const GemmProblem& piece) {
    EXPECT_FALSE(piece.empty());
    EXPECT_GE(piece.k, 1);
    EXPECT_LE(std::max({piece.m, piece.n, piece.k}), limits.extent);
    EXPECT_LE(std::max({piece.lda, piece.ldb, piece.ldc}), limits.leading_dimension);
    if (pieces != nullptr) ++*pieces;
    cpu().run(piece, {});
  });
}

TEST(Pieces, AreOneWhereEverythingFits) {
  GemmProblem p;
  p.m = p.n = p.k = p.lda = p.ldb = p.ldc = 4096;
  int pieces = 0;
  for_each_piece(p, {}, [&](const GemmProblem& piece) {
    ++pieces;
    EXPECT_EQ(piece.m, p.m);
    EXPECT_EQ(piece.n, p.n);
    EXPECT_EQ(piece.k, p.k);
  });
  EXPECT_EQ(pieces, 1);
}

TEST(Pieces, OfExtentsOverTheLimitGiveTheRightProduct) {
  PieceLimits limits;
  limits.extent = 13;
  for_each_type([&]<typename T>() {
    for (const Op op_a : all_ops) {
      for (const Op op_b : all_ops) {
        for (const double beta : {0.0, 1.0, -0.7}) {
          int pieces = 0;
          test::expect_right<T>(
              {Layout::row_major, op_a, op_b, 29, 40, 55, 3, 1, 0.7, beta},
              row_major_front<T>([&](const auto& p) { run_in_pieces(p, limits, &pieces); }));
          EXPECT_EQ(pieces, 3 * 4 * 5);
        }
      }
    }
  });
}

TEST(Pieces, OfLeadingDimensionsOverTheLimitGiveTheRightProduct) {
  PieceLimits limits;
  limits.leading_dimension = 20;
  limits.copied_extent = 16;
  for_each_type([&]<typename T>() {
    for (const Op op_a : all_ops) {
      for (const Op op_b : all_ops) {
        for (const double beta : {0.0, -0.7}) {
          test::expect_right<T>(
              {Layout::row_major, op_a, op_b, 37, 19, 33, 5, 0, -0.7, beta},
              row_major_front<T>([&](const auto& p) { run_in_pieces(p, limits); }));
        }
      }
    }
  });
}

// A, B and C in turn are too wide; the others are not copied.
TEST(Pieces, CopyOnlyTheOperandsThatAreTooWide) {
  GemmProblem p;
  p.precision = Precision::d;
  p.m = p.n = p.k = 4;
  std::vector<double> a(100, 1.0), b(100, 2.0), c(100, 3.0);
  p.a = a.data();
  p.b = b.data();
  p.c = c.data();
  PieceLimits limits;
  limits.leading_dimension = 10;
  for (const int wide : {0, 1, 2}) {
    p.lda = wide == 0 ? 20 : 4;
    p.ldb = wide == 1 ? 20 : 4;
    p.ldc = wide == 2 ? 20 : 4;
    for_each_piece(p, limits, [&](const GemmProblem& piece) {
      EXPECT_EQ(piece.a == p.a, wide != 0);
      EXPECT_EQ(piece.b == p.b, wide != 1);
      EXPECT_EQ(piece.c == p.c, wide != 2);
    });
  }
}

TEST(Pieces, OfBoundedWorkCoverEveryElementOnceAndKeepK) {
  PieceLimits limits;
  limits.flops = 2.0 * 300 * 50 * 10;  // 300 rows of a product with n = 50, k = 10
  GemmProblem p;
  p.m = 1000;
  p.n = p.ldb = p.ldc = 50;
  p.k = p.lda = 10;
  std::vector<float> a(1000 * 10), b(10 * 50), c(1000 * 50);
  p.a = a.data();
  p.b = b.data();
  p.c = c.data();
  std::vector<int> rows(1000);
  for_each_piece(p, limits, [&](const GemmProblem& piece) {
    EXPECT_LE(flops(piece), limits.flops);
    EXPECT_EQ(piece.k, 10);
    EXPECT_EQ(piece.n, 50);
    const auto first = (static_cast<float*>(piece.c) - c.data()) / 50;
    EXPECT_EQ(static_cast<const float*>(piece.a) - a.data(), first * 10);
    for (std::int64_t i = 0; i < piece.m; ++i) ++rows[static_cast<std::size_t>(first + i)];
  });
  EXPECT_EQ(rows, std::vector<int>(1000, 1));
}

TEST(Pieces, OfBoundedWorkCutColumnsWhereRowsAreFew) {
  PieceLimits limits;
  limits.flops = 2.0 * 100 * 1000;
  GemmProblem p;
  p.m = 3;
  p.n = p.ldb = p.ldc = 1000;
  p.k = p.lda = 1000;
  std::int64_t elements = 0;
  for_each_piece(p, limits, [&](const GemmProblem& piece) {
    EXPECT_LE(flops(piece), limits.flops);
    EXPECT_EQ(piece.k, 1000);
    elements += piece.m * piece.n;
  });
  EXPECT_EQ(elements, 3 * 1000);
}

}  // namespace
}  // namespace duoblas
