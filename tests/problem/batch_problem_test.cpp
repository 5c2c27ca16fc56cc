// Batches as row-major groups, and their partition.
#include "problem/batch_problem.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace duoblas {
namespace {

// A group over made-up memory: only addresses are looked at.
BatchGroup group(std::int64_t m, std::int64_t count, std::int64_t base = 0) {
  BatchGroup made;
  made.shape.precision = Precision::d;
  made.shape.m = m;
  made.shape.n = 3;
  made.shape.k = 2;
  made.shape.lda = 2;
  made.shape.ldb = made.shape.ldc = 3;
  const auto at = [&](std::int64_t stride) {
    return BatchOperand{reinterpret_cast<const void*>(0x1000 + base), stride, nullptr, 8};
  };
  made.a = at(2 * m);
  made.b = at(6);
  made.c = at(3 * m);
  made.count = count;
  return made;
}

// How often each row of each C is in either part.
std::map<const void*, int> rows_of(const BatchProblem& batch) {
  std::map<const void*, int> rows;
  for (const BatchGroup& g : batch.groups)
    for (std::int64_t i = 0; i < g.count; ++i) {
      const GemmProblem p = g.product(i);
      for (std::int64_t row = 0; row < p.m; ++row)
        ++rows[static_cast<const char*>(p.c) + row * p.ldc * 8];
    }
  return rows;
}

TEST(BatchPartition, GivesEveryRowOfEveryProductToOneSide) {
  const BatchProblem batch{Precision::d, {group(4, 5), group(7, 3, 0x10000), group(1, 2, 0x20000)}};
  const auto all = rows_of(batch);
  ASSERT_EQ(all.size(), 4u * 5 + 7 * 3 + 2);
  for (std::int64_t products = 0; products <= batch.count(); ++products)
    for (const std::int64_t rows : {0, 1, 3}) {
      const bool has_next = products < 8;
      if (rows > 0 && !has_next) continue;
      const PartitionedBatch parts = partition(batch, {products, rows});
      auto both = rows_of(parts.gpu);
      for (const auto& [row, times] : rows_of(parts.cpu)) both[row] += times;
      EXPECT_EQ(both, all) << products << " products and " << rows << " rows";
      EXPECT_EQ(parts.gpu.count(), products + (rows > 0 ? 1 : 0));
    }
}

TEST(BatchPartition, LeavesProductsTheirOperands) {
  const BatchProblem batch{Precision::d, {group(4, 5)}};
  const PartitionedBatch parts = partition(batch, {2, 1});
  const GemmProblem split = batch.groups.front().product(2);
  EXPECT_EQ(parts.gpu.groups.at(1).product(0).a, split.a);
  const GemmProblem rest = parts.cpu.groups.at(0).product(0);
  EXPECT_EQ(rest.a, static_cast<const char*>(split.a) + 2 * 8);
  EXPECT_EQ(rest.b, split.b);
  EXPECT_EQ(rest.m, 3);
  EXPECT_EQ(parts.cpu.groups.at(1).product(0).a, batch.groups.front().product(3).a);
}

TEST(BatchPartition, FollowsArraysOfPointers) {
  const int numbers[6] = {};
  const void* places[] = {&numbers[4], &numbers[1], &numbers[5], &numbers[0]};
  BatchGroup given = group(2, 4);
  given.a = {nullptr, 0, places, 8};
  const PartitionedBatch parts = partition({Precision::d, {given}}, {3, 0});
  EXPECT_EQ(parts.gpu.groups.at(0).product(2).a, &numbers[5]);
  EXPECT_EQ(parts.cpu.groups.at(0).product(0).a, &numbers[0]);
}

TEST(BatchShare, IsCountedInWorkNotInProducts) {
  const BatchProblem batch{Precision::d, {group(8, 10), group(2, 40)}};
  EXPECT_EQ(batch_partition(batch, 0.5, 1).products, 10);
  EXPECT_EQ(batch_partition(batch, 0.25, 1).products, 5);
  EXPECT_EQ(batch_partition(batch, 0.75, 1).products, 30);
  EXPECT_EQ(batch_partition(batch, 0, 1).products, 0);
  EXPECT_EQ(batch_partition(batch, 1, 1).products, 50);
}

TEST(BatchShare, OfFewProductsCutsOneByRows) {
  const BatchProblem batch{Precision::d, {group(64, 3)}};
  const BatchPartition half = batch_partition(batch, 0.5, 16);
  EXPECT_EQ(half.products, 1);
  EXPECT_EQ(half.rows, 32);
  const BatchPartition nearly_two = batch_partition(batch, 0.66, 16);
  EXPECT_EQ(nearly_two.products, 2);
  EXPECT_EQ(nearly_two.rows, 0);
}

// Whether any two Cs have an element in common, element by element.
bool overlap(std::int64_t rows, std::int64_t columns, std::int64_t ld, std::int64_t stride,
             std::int64_t count) {
  std::set<std::int64_t> taken;
  for (std::int64_t i = 0; i < count; ++i)
    for (std::int64_t row = 0; row < rows; ++row)
      for (std::int64_t column = 0; column < columns; ++column)
        if (!taken.insert(i * stride + row * ld + column).second) return true;
  return false;
}

TEST(MatricesOfABatch, AreApartExactlyWhereTheyShareNoElement) {
  int apart = 0, together = 0;
  for (std::int64_t rows = 1; rows <= 4; ++rows)
    for (std::int64_t columns = 1; columns <= 3; ++columns)
      for (std::int64_t ld = columns; ld <= 9; ++ld)
        for (std::int64_t stride = 0; stride <= 30; ++stride)
          for (std::int64_t count = 1; count <= 5; ++count) {
            const bool expected = !overlap(rows, columns, ld, stride, count);
            ASSERT_EQ(are_apart(rows, columns, ld, stride, count), expected)
                << rows << 'x' << columns << " ld " << ld << " stride " << stride << " count "
                << count;
            ++(expected ? apart : together);
          }
  EXPECT_GT(apart, 1000);
  EXPECT_GT(together, 1000);
}

}  // namespace
}  // namespace duoblas
