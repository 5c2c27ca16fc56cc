// The partition of C: every element on exactly one side.
#include "problem/partition.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace duoblas {
namespace {

constexpr int parts = 16;

TEST(GpuExtent, IsNothingAtZeroPartsAndEverythingAtAll) {
  for (const std::int64_t extent : {1, 2, 31, 1000}) {
    EXPECT_EQ(gpu_extent(extent, {0, parts}, 6), 0);
    EXPECT_EQ(gpu_extent(extent, {parts, parts}, 6), extent);
  }
}

TEST(GpuExtent, RoundsToTheGranularityAndStaysInside) {
  for (const std::int64_t extent : {1, 7, 64, 999, 1000}) {
    for (const std::int64_t granularity : {1, 6, 64, 4096}) {
      for (int p = 0; p <= parts; ++p) {
        const auto rows = gpu_extent(extent, {p, parts}, granularity);
        EXPECT_GE(rows, 0);
        EXPECT_LE(rows, extent);
        EXPECT_TRUE(rows % granularity == 0 || rows == extent);
      }
    }
  }
  EXPECT_EQ(gpu_extent(1000, {8, 16}, 6), 498);
  EXPECT_EQ(gpu_extent(1000, {10, 16}, 1), 625);
}

TEST(GpuExtent, GrowsWithTheShare) {
  for (int p = 1; p <= 1024; ++p) {
    EXPECT_LE(gpu_extent(12345, {p - 1, 1024}, 24), gpu_extent(12345, {p, 1024}, 24));
  }
}

TEST(ForcedGpuExtent, GivesEachSideARowWhereverThereAreTwo) {
  for (std::int64_t extent = 0; extent <= 40; ++extent) {
    for (int p = 0; p <= parts; ++p) {
      const auto rows = forced_gpu_extent(extent, {p, parts});
      if (p == 0) {
        EXPECT_EQ(rows, 0);
      }
      if (p == parts) {
        EXPECT_EQ(rows, extent);
      }
      if (p > 0 && p < parts && extent >= 2) {
        EXPECT_GE(rows, 1);
        EXPECT_LE(rows, extent - 1);
      }
    }
  }
}

// Both parts' views of A, B and C, element by element, against the whole problem's.
TEST(Partition, KeepsEveryElementExactlyOnceAndItsOperands) {
  constexpr std::int64_t m = 7, n = 5, k = 3, lda = 9, ldb = 10, ldc = 8;
  std::vector<float> a(200), b(200), c(200);
  for (const Op op_a : {Op::none, Op::transpose}) {
    for (const Op op_b : {Op::none, Op::conj_transpose}) {
      const GemmProblem p{Precision::s, op_a, op_b,     m,   n,     k,        {1.0},
                          a.data(),     lda,  b.data(), ldb, {0.0}, c.data(), ldc};
      const auto op_a_at = [&](const GemmProblem& q, std::int64_t i, std::int64_t l) {
        const auto* start = static_cast<const float*>(q.a);
        return q.op_a == Op::none ? start + i * q.lda + l : start + l * q.lda + i;
      };
      const auto op_b_at = [&](const GemmProblem& q, std::int64_t l, std::int64_t j) {
        const auto* start = static_cast<const float*>(q.b);
        return q.op_b == Op::none ? start + l * q.ldb + j : start + j * q.ldb + l;
      };
      for (const Axis axis : {Axis::rows, Axis::columns}) {
        const std::int64_t extent = axis == Axis::rows ? m : n;
        for (std::int64_t gpu = 0; gpu <= extent; ++gpu) {
          const auto parts_of = partition(p, axis, gpu);
          std::vector<int> seen(200, 0);
          for (const auto* part : {&parts_of.gpu, &parts_of.cpu}) {
            for (std::int64_t i = 0; i < part->m; ++i) {
              for (std::int64_t j = 0; j < part->n; ++j) {
                const auto at = static_cast<float*>(part->c) + i * part->ldc + j - c.data();
                ++seen[static_cast<std::size_t>(at)];
                const std::int64_t row = at / ldc, column = at % ldc;
                for (std::int64_t l = 0; l < k; ++l) {
                  EXPECT_EQ(op_a_at(*part, i, l), op_a_at(p, row, l));
                  EXPECT_EQ(op_b_at(*part, l, j), op_b_at(p, l, column));
                }
              }
            }
          }
          for (std::int64_t at = 0; at < 200; ++at) {
            const bool in_c = at / ldc < m && at % ldc < n;
            EXPECT_EQ(seen[static_cast<std::size_t>(at)], in_c ? 1 : 0);
          }
        }
      }
    }
  }
}

TEST(Partition, AnEmptyPartStartsWhereTheWholeDoes) {
  float a[4], b[4], c[4];
  const GemmProblem p{Precision::s, Op::none, Op::none, 2, 2, 2, {1.0}, a, 2, b, 2, {0.0}, c, 2};
  EXPECT_EQ(partition(p, Axis::rows, 2).cpu.c, c);
  EXPECT_EQ(partition(p, Axis::columns, 2).cpu.b, b);
}

}  // namespace
}  // namespace duoblas
