// Matrices as rectangles of bytes.
#include "problem/host_rect.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "problem/gemm_problem.hpp"

namespace duoblas {
namespace {

GemmProblem product(Op op_a, Op op_b) {
  static std::vector<double> memory(3);
  GemmProblem p;
  p.precision = Precision::d;
  p.op_a = op_a;
  p.op_b = op_b;
  p.m = 3;
  p.n = 5;
  p.k = 7;
  p.a = memory.data();
  p.b = memory.data() + 1;
  p.c = memory.data() + 2;
  p.lda = 11;
  p.ldb = 13;
  p.ldc = 17;
  return p;
}

void expect_rect(const HostRect& rect, const void* data, std::size_t rows, std::size_t columns,
                 std::size_t ld) {
  EXPECT_EQ(rect.data, data);
  EXPECT_EQ(rect.rows, rows);
  EXPECT_EQ(rect.row_bytes, columns * 8);
  EXPECT_EQ(rect.pitch, ld * 8);
  EXPECT_EQ(rect.element_bytes, 8u);
}

TEST(HostRect, IsAnOperandAsItLiesInMemory) {
  const GemmProblem plain = product(Op::none, Op::none);
  expect_rect(rect_of_a(plain), plain.a, 3, 7, 11);
  expect_rect(rect_of_b(plain), plain.b, 7, 5, 13);
  expect_rect(rect_of_c(plain), plain.c, 3, 5, 17);
  const GemmProblem turned = product(Op::transpose, Op::conj_transpose);
  expect_rect(rect_of_a(turned), turned.a, 7, 3, 11);
  expect_rect(rect_of_b(turned), turned.b, 5, 7, 13);
  expect_rect(rect_of_c(turned), turned.c, 3, 5, 17);
}

TEST(HostRect, SpansWhatIsBetweenItsFirstAndLastElement) {
  for (const Op op : {Op::none, Op::transpose}) {
    const GemmProblem p = product(op, op);
    EXPECT_EQ(static_cast<std::int64_t>(rect_of_a(p).span()),
              footprint(p.precision, stored_rows_a(p), stored_cols_a(p), p.lda));
    EXPECT_EQ(static_cast<std::int64_t>(rect_of_b(p).span()),
              footprint(p.precision, stored_rows_b(p), stored_cols_b(p), p.ldb));
  }
  EXPECT_EQ(rect_of(nullptr, 0, 5, 5, Precision::s).span(), 0u);
  EXPECT_EQ(rect_of(nullptr, 5, 0, 5, Precision::s).span(), 0u);
}

TEST(HostRect, OfOneRowDoesNotAskHowFarAwayTheNextWouldBe) {
  const HostRect row =
      rect_of(nullptr, 1, 5, std::numeric_limits<std::int64_t>::max(), Precision::z);
  EXPECT_EQ(row.pitch, 80u);
  EXPECT_EQ(row.span(), 80u);
}

}  // namespace
}  // namespace duoblas
