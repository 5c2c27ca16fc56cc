// Arguments of batches: what is refused, and what they become.
#include "problem/caller_batch.hpp"

#include <gtest/gtest.h>

#include "support/refused_argument.hpp"

namespace duoblas {
namespace {

CallerBatch strided() {
  static double memory[1000];
  CallerBatch call{Layout::row_major, BatchForm::strided, {Precision::d, {}}};
  BatchGroup& group = call.args.groups.emplace_back();
  GemmProblem& p = group.shape;
  p.precision = Precision::d;
  p.m = 3;
  p.n = 4;
  p.k = 5;
  p.lda = 5;
  p.ldb = p.ldc = 4;
  group.a = {memory, 15, nullptr, 8};
  group.b = {memory, 20, nullptr, 8};
  group.c = {memory, 12, nullptr, 8};
  group.count = 6;
  return call;
}

const void* const places[] = {"0", "1", "2"};
const void* const with_a_null[] = {"0", nullptr, "2"};

CallerBatch by_pointers(BatchForm form) {
  CallerBatch call = strided();
  call.form = form;
  BatchGroup& group = call.args.groups.front();
  for (BatchOperand* operand : {&group.a, &group.b, &group.c}) *operand = {nullptr, 0, places, 8};
  group.count = 3;
  return call;
}

int position_of_error(const CallerBatch& call) {
  return test::refused_position([&] { check(call); });
}

template <typename Change>
int after(CallerBatch call, Change&& change) {
  change(call, call.args.groups.front());
  return position_of_error(call);
}

TEST(StridedBatch, NamesWhatIsWrongByItsOwnPositions) {
  EXPECT_EQ(position_of_error(strided()), 0);
  using G = BatchGroup;
  using C = CallerBatch;
  EXPECT_EQ(after(strided(), [](C& c, G&) { c.layout = static_cast<Layout>(-1); }), 1);
  EXPECT_EQ(after(strided(), [](C&, G& g) { g.shape.op_b = static_cast<Op>(-1); }), 3);
  EXPECT_EQ(after(strided(), [](C&, G& g) { g.shape.k = -1; }), 6);
  EXPECT_EQ(after(strided(), [](C&, G& g) { g.a.first = nullptr; }), 8);
  EXPECT_EQ(after(strided(), [](C&, G& g) { g.shape.lda = 4; }), 9);
  EXPECT_EQ(after(strided(), [](C&, G& g) { g.a.stride = -1; }), 10);
  EXPECT_EQ(after(strided(), [](C&, G& g) { g.b.first = nullptr; }), 11);
  EXPECT_EQ(after(strided(), [](C&, G& g) { g.shape.ldb = 3; }), 12);
  EXPECT_EQ(after(strided(), [](C&, G& g) { g.b.stride = -20; }), 13);
  EXPECT_EQ(after(strided(), [](C&, G& g) { g.c.first = nullptr; }), 15);
  EXPECT_EQ(after(strided(), [](C&, G& g) { g.shape.ldc = 3; }), 16);
  EXPECT_EQ(after(strided(), [](C&, G& g) { g.c.stride = -12; }), 17);
  EXPECT_EQ(after(strided(), [](C&, G& g) { g.count = -1; }), 18);
}

TEST(StridedBatch, MayShareInputsButNotResults) {
  using G = BatchGroup;
  using C = CallerBatch;
  EXPECT_EQ(after(strided(), [](C&, G& g) { g.a.stride = g.b.stride = 0; }), 0);
  EXPECT_EQ(after(strided(), [](C&, G& g) { g.a.stride = 1; }), 0);
  EXPECT_EQ(after(strided(), [](C&, G& g) { g.c.stride = 0; }), 17);
  EXPECT_EQ(after(strided(), [](C&, G& g) { g.c.stride = 11; }), 17);
  // Side by side in a wider matrix.
  const auto side_by_side = [](C&, G& g) {
    g.shape.ldc = 24;
    g.c.stride = 4;
  };
  EXPECT_EQ(after(strided(), side_by_side), 0);
  const auto too_narrow = [](C&, G& g) {
    g.shape.ldc = 23;
    g.c.stride = 4;
  };
  EXPECT_EQ(after(strided(), too_narrow), 17);
  // Column-major, the m rows of a column lie together.
  const auto by_columns = [](C& c, G& g) {
    c.layout = Layout::column_major;
    g.shape.lda = 3;
    g.shape.ldb = 5;
    g.shape.ldc = 18;
    g.c.stride = 3;
  };
  EXPECT_EQ(after(strided(), by_columns), 0);
}

TEST(StridedBatch, IsRefusedWhere64BitsDoNotReach) {
  EXPECT_EQ(after(strided(),
                  [](CallerBatch&, BatchGroup& g) {
                    g.c.stride = std::int64_t{1} << 60;
                    g.count = 100;
                  }),
            17);
}

TEST(StridedBatch, OfNoProductLooksAtNoPlace) {
  EXPECT_EQ(after(strided(),
                  [](CallerBatch&, BatchGroup& g) {
                    g.count = 0;
                    g.a.first = g.b.first = g.c.first = nullptr;
                    g.c.stride = 0;
                  }),
            0);
}

TEST(StridedBatch, ThatOnlyScalesNeedsNoFactors) {
  EXPECT_EQ(after(strided(),
                  [](CallerBatch&, BatchGroup& g) {
                    g.shape.k = 0;
                    g.a.first = g.b.first = nullptr;
                  }),
            0);
}

TEST(BatchOfPointers, NamesWhatIsWrongAsGemmDoes) {
  using G = BatchGroup;
  using C = CallerBatch;
  const CallerBatch good = by_pointers(BatchForm::pointers);
  EXPECT_EQ(position_of_error(good), 0);
  EXPECT_EQ(after(good, [](C&, G& g) { g.a.places = nullptr; }), 8);
  EXPECT_EQ(after(good, [](C&, G& g) { g.a.places = with_a_null; }), 8);
  EXPECT_EQ(after(good, [](C&, G& g) { g.b.places = with_a_null; }), 10);
  EXPECT_EQ(after(good, [](C&, G& g) { g.c.places = with_a_null; }), 13);
  EXPECT_EQ(after(good, [](C&, G& g) { g.shape.ldc = 1; }), 14);
  EXPECT_EQ(after(good, [](C&, G& g) { g.count = -3; }), 15);
  // Not read.
  EXPECT_EQ(after(good,
                  [](C&, G& g) {
                    g.shape.alpha = 0;
                    g.a.places = with_a_null;
                  }),
            0);
}

TEST(GroupedBatch, NamesTheGroup) {
  CallerBatch call = by_pointers(BatchForm::grouped);
  call.args.groups.push_back(call.args.groups.front());
  call.args.groups.back().shape.lda = 2;
  const test::RefusedArgument lda = test::refused_argument([&] { check(call); });
  EXPECT_EQ(lda.position, 9);
  EXPECT_EQ(lda.name, "lda of group 1");
  EXPECT_EQ(lda.what, "argument 9 (lda of group 1) must be at least 5, is 2");
  call.args.groups.back().shape.lda = 5;
  call.args.groups.back().count = -1;
  EXPECT_EQ(position_of_error(call), 16);
}

TEST(ColumnMajorBatch, SwapsItsOperandsWithTheirStrides) {
  CallerBatch call = strided();
  call.layout = Layout::column_major;
  call.args.groups.front().shape.op_a = Op::transpose;
  const BatchGroup given = call.args.groups.front();
  const BatchGroup group = to_row_major(std::move(call)).groups.front();
  EXPECT_EQ(group.shape.m, given.shape.n);
  EXPECT_EQ(group.shape.n, given.shape.m);
  EXPECT_EQ(group.shape.op_b, Op::transpose);
  EXPECT_EQ(group.a.stride, given.b.stride);
  EXPECT_EQ(group.product(2).b, given.product(2).a);
  EXPECT_EQ(group.product(2).c, given.product(2).c);
}

}  // namespace
}  // namespace duoblas
