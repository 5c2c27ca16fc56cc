// Arguments of gemm: what is refused, and what they become.
#include "problem/caller_gemm.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "support/refused_argument.hpp"

namespace duoblas {
namespace {

float memory[100];

CallerGemm legal(Layout layout) {
  // op(A) = A' is 3 x 5, B is 5 x 4, C is 3 x 4.
  CallerGemm call{layout, {}};
  const bool rows = layout == Layout::row_major;
  call.args = {Precision::s, Op::transpose, Op::none,     3,     4,      5,           {1.0}, memory,
               rows ? 3 : 5, memory,        rows ? 4 : 5, {0.0}, memory, rows ? 4 : 3};
  return call;
}

struct Refusal {
  int position;
  const char* name;
  std::function<void(CallerGemm&)> spoil;
};

class CheckRefuses : public ::testing::TestWithParam<Layout> {};

TEST_P(CheckRefuses, EachIllegalArgumentByItsNumberAndName) {
  const Refusal refusals[] = {
      {1, "layout", [](CallerGemm& c) { c.layout = static_cast<Layout>(7); }},
      {2, "op_a", [](CallerGemm& c) { c.args.op_a = static_cast<Op>(-1); }},
      {3, "op_b", [](CallerGemm& c) { c.args.op_b = static_cast<Op>(9); }},
      {4, "m", [](CallerGemm& c) { c.args.m = -1; }},
      {5, "n", [](CallerGemm& c) { c.args.n = -7; }},
      {6, "k", [](CallerGemm& c) { c.args.k = -1; }},
      {8, "a", [](CallerGemm& c) { c.args.a = nullptr; }},
      {9, "lda", [](CallerGemm& c) { c.args.lda -= 1; }},
      {10, "b", [](CallerGemm& c) { c.args.b = nullptr; }},
      {11, "ldb", [](CallerGemm& c) { c.args.ldb -= 1; }},
      {13, "c", [](CallerGemm& c) { c.args.c = nullptr; }},
      {14, "ldc", [](CallerGemm& c) { c.args.ldc -= 1; }},
  };
  for (const auto& refusal : refusals) {
    CallerGemm call = legal(GetParam());
    refusal.spoil(call);
    const test::RefusedArgument refused = test::refused_argument([&] { check(call); });
    EXPECT_EQ(refused.position, refusal.position) << refusal.name;
    EXPECT_EQ(refused.name, refusal.name);
    EXPECT_NE(refused.what.find(refusal.name), std::string::npos) << refused.what;
  }
}

TEST_P(CheckRefuses, NothingThatIsLegal) {
  EXPECT_NO_THROW(check(legal(GetParam())));
  CallerGemm empty = legal(GetParam());
  empty.args.m = 0;
  empty.args.a = empty.args.b = nullptr;
  empty.args.c = nullptr;
  EXPECT_NO_THROW(check(empty));
  CallerGemm scaling = legal(GetParam());
  scaling.args.alpha = 0;
  scaling.args.a = scaling.args.b = nullptr;
  EXPECT_NO_THROW(check(scaling));
}

TEST_P(CheckRefuses, TheFirstOfSeveralIllegalArguments) {
  CallerGemm call = legal(GetParam());
  call.args.k = -1;
  call.args.ldc = 0;
  call.args.n = -2;
  EXPECT_EQ(test::refused_position([&] { check(call); }), 5);
}

INSTANTIATE_TEST_SUITE_P(Layouts, CheckRefuses,
                         ::testing::Values(Layout::row_major, Layout::column_major));

TEST(ToRowMajor, SwapsTheOperandsOfAColumnMajorProduct) {
  float a[1], b[1], c[1];
  CallerGemm call{Layout::column_major, {}};
  call.args = {
      Precision::s, Op::transpose, Op::conj_transpose, 3, 4, 5, {2.0}, a, 6, b, 7, {0.5}, c, 8};
  const GemmProblem p = to_row_major(call);
  EXPECT_EQ(p.m, 4);
  EXPECT_EQ(p.n, 3);
  EXPECT_EQ(p.k, 5);
  EXPECT_EQ(p.op_a, Op::conj_transpose);
  EXPECT_EQ(p.op_b, Op::transpose);
  EXPECT_EQ(p.a, b);
  EXPECT_EQ(p.lda, 7);
  EXPECT_EQ(p.b, a);
  EXPECT_EQ(p.ldb, 6);
  EXPECT_EQ(p.c, c);
  EXPECT_EQ(p.ldc, 8);
}

TEST(ToRowMajor, LeavesARowMajorProductAsItIs) {
  const CallerGemm call = legal(Layout::row_major);
  const GemmProblem p = to_row_major(call);
  EXPECT_EQ(p.m, 3);
  EXPECT_EQ(p.n, 4);
  EXPECT_EQ(p.op_a, Op::transpose);
  EXPECT_EQ(p.lda, 3);
}

}  // namespace
}  // namespace duoblas
