// Arguments of gemv: what is refused, and what they become.
#include "problem/caller_gemv.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "support/refused_argument.hpp"

namespace duoblas {
namespace {

double vector_memory[200];

CallerGemv legal_gemv(Layout layout) {
  CallerGemv call;
  call.layout = layout;
  call.precision = Precision::d;
  call.m = 3;
  call.n = 5;
  call.a = vector_memory;
  call.lda = layout == Layout::row_major ? 5 : 3;
  call.x = call.y = vector_memory;
  return call;
}

struct VectorRefusal {
  int position;
  const char* name;
  std::function<void(CallerGemv&)> spoil;
};

void expect_refused(const CallerGemv& legal, const std::vector<VectorRefusal>& refusals) {
  EXPECT_NO_THROW(check(legal));
  for (const auto& refusal : refusals) {
    CallerGemv call = legal;
    refusal.spoil(call);
    const test::RefusedArgument refused = test::refused_argument([&] { check(call); });
    EXPECT_EQ(refused.position, refusal.position) << refusal.name;
    EXPECT_EQ(refused.name, refusal.name);
  }
}

class VectorArguments : public ::testing::TestWithParam<Layout> {};

TEST_P(VectorArguments, OfGemvAreRefusedByTheirNumberAndName) {
  using C = CallerGemv;
  expect_refused(legal_gemv(GetParam()),
                 {{1, "layout", [](C& c) { c.layout = static_cast<Layout>(7); }},
                  {2, "op", [](C& c) { c.op = static_cast<Op>(-1); }},
                  {3, "m", [](C& c) { c.m = -1; }},
                  {4, "n", [](C& c) { c.n = -1; }},
                  {6, "a", [](C& c) { c.a = nullptr; }},
                  {7, "lda", [](C& c) { c.lda -= 1; }},
                  {8, "x", [](C& c) { c.x = nullptr; }},
                  {9, "incx", [](C& c) { c.incx = 0; }},
                  {11, "y", [](C& c) { c.y = nullptr; }},
                  {9, "incx", [](C& c) { c.incx = std::int64_t{1} << 57; }},
                  {12, "incy", [](C& c) { c.incy = 0; }},
                  {12, "incy", [](C& c) { c.incy = std::numeric_limits<std::int64_t>::min(); }},
                  {12, "incy", [](C& c) { c.incy = std::int64_t{1} << 61; }}});
}

TEST_P(VectorArguments, MayBeNullWhereNothingIsReadThroughThem) {
  CallerGemv scales = legal_gemv(GetParam());
  scales.alpha = 0;
  scales.a = scales.x = nullptr;
  EXPECT_NO_THROW(check(scales));
  CallerGemv empty = legal_gemv(GetParam());
  empty.m = 0;
  empty.a = empty.x = nullptr;
  empty.y = nullptr;
  EXPECT_NO_THROW(check(empty));
}

INSTANTIATE_TEST_SUITE_P(Layouts, VectorArguments,
                         ::testing::Values(Layout::row_major, Layout::column_major));

TEST(GemvProblem, OfAColumnMajorCallerIsTheTransposeInTheSameMemory) {
  CallerGemv call = legal_gemv(Layout::column_major);
  const GemvProblem plain = to_row_major(call);
  EXPECT_EQ(plain.rows, 5);
  EXPECT_EQ(plain.columns, 3);
  EXPECT_TRUE(plain.transposes);
  EXPECT_EQ(plain.outputs(), 3);
  call.op = Op::conj_transpose;
  call.precision = Precision::z;
  const GemvProblem conjugated = to_row_major(call);
  EXPECT_FALSE(conjugated.transposes);
  EXPECT_TRUE(conjugated.conjugates);
  EXPECT_EQ(conjugated.outputs(), 5);
}

TEST(StridedVector, WithANegativeIncrementBeginsAtItsLastAddress) {
  double numbers[] = {1, 2, 3, 4, 5, 6, 7};
  const StridedVector vector = vector_of(numbers, 3, -3, Precision::d);
  EXPECT_EQ(*static_cast<double*>(vector.data), 7);
  EXPECT_EQ(*static_cast<double*>(behind(vector, 2, Precision::d).data), 1);
  EXPECT_EQ(lowest_address(vector, 3, Precision::d), numbers);
  double dense[3];
  gather(vector, 3, Precision::d, dense);
  EXPECT_EQ(std::vector(dense, dense + 3), (std::vector<double>{7, 4, 1}));
  const double other[] = {10, 20, 30};
  scatter(other, 3, Precision::d, vector);
  EXPECT_EQ(numbers[0], 30);
  EXPECT_EQ(numbers[3], 20);
  EXPECT_EQ(numbers[6], 10);
  EXPECT_EQ(numbers[1], 2);
}

}  // namespace
}  // namespace duoblas
