// Operands of a batch, gathered and scattered.
#include "memory/batch_staging.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace duoblas {
namespace {

// 4 matrices of 2 x 3 doubles.
BatchGroup group(double* memory, std::int64_t stride, std::int64_t ld) {
  BatchGroup made;
  made.shape.precision = Precision::d;
  made.shape.m = 2;
  made.shape.n = 3;
  made.shape.k = 1;
  made.shape.lda = 1;
  made.shape.ldb = 3;
  made.shape.ldc = ld;
  made.a = made.b = made.c = {memory, stride, nullptr, sizeof(double)};
  made.count = 4;
  return made;
}

TEST(OperandOfGroup, IsOneRectangleWhereEachMatrixFollowsOnTheOneBefore) {
  std::vector<double> memory(100);
  const auto rows = c_of(group(memory.data(), 10, 5)).all_rows();
  ASSERT_TRUE(rows.has_value());
  EXPECT_EQ(rows->data, memory.data());
  EXPECT_EQ(rows->rows, 8u);
  EXPECT_EQ(rows->row_bytes, 24u);
  EXPECT_EQ(rows->pitch, 40u);
  EXPECT_FALSE(c_of(group(memory.data(), 11, 5)).all_rows().has_value());
  EXPECT_EQ(c_of(group(memory.data(), 11, 5)).all_memory()->span(), (3 * 11 + 5 + 3) * 8u);
}

TEST(OperandOfGroup, OfRowsIsARectangleAtAnyDistance) {
  std::vector<double> memory(100);
  const OperandOfGroup b = b_of(group(memory.data(), 7, 3));
  EXPECT_EQ(b.all_rows()->rows, 4u);
  EXPECT_EQ(b.all_rows()->pitch, 56u);
  // Rows that overlap are no rectangle.
  EXPECT_FALSE(b_of(group(memory.data(), 2, 3)).all_rows().has_value());
}

TEST(OperandOfGroup, ThatAllProductsShareIsOne) {
  std::vector<double> memory(100);
  const OperandOfGroup shared = c_of(group(memory.data(), 0, 5));
  EXPECT_TRUE(shared.is_shared());
  EXPECT_EQ(shared.all_rows()->rows, 2u);
}

TEST(Pointers, AtEqualDistancesAreTakenForAStride) {
  std::vector<double> memory(100);
  const void* even[] = {&memory[1], &memory[13], &memory[25], &memory[37]};
  const void* uneven[] = {&memory[1], &memory[13], &memory[25], &memory[40]};
  const void* backwards[] = {&memory[37], &memory[25], &memory[13], &memory[1]};
  BatchGroup given = group(memory.data(), 12, 5);
  given.a = {nullptr, 0, even, 8};
  given.b = {nullptr, 0, uneven, 8};
  given.c = {nullptr, 0, backwards, 8};
  const BatchGroup found = with_distances(given);
  EXPECT_EQ(found.a.places, nullptr);
  EXPECT_EQ(found.a.stride, 12);
  EXPECT_EQ(found.a.at(3), &memory[37]);
  EXPECT_NE(found.b.places, nullptr);
  EXPECT_NE(found.c.places, nullptr);
}

TEST(Gathering, BringsEveryRowThereAndBack) {
  std::vector<double> memory(100), result(100, -1.0);
  std::iota(memory.begin(), memory.end(), 0.0);
  constexpr std::size_t pitch = 32;
  std::vector<char> block(4 * 2 * pitch);
  gather(c_of(group(memory.data(), 13, 5)), block.data(), pitch);
  scatter(block.data(), pitch, c_of(group(result.data(), 13, 5)));
  int copied = 0;
  for (std::size_t i = 0; i < 100; ++i) {
    const bool inside = i / 13 < 4 && (i % 13 < 3 || (i % 13 >= 5 && i % 13 < 8));
    EXPECT_EQ(result[i], inside ? memory[i] : -1.0) << i;
    copied += inside;
  }
  EXPECT_EQ(copied, 24);
}

}  // namespace
}  // namespace duoblas
