// Calls that a device does not hold at once, in pieces that it does, against plain loops.
#include "level3/device_parts.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "support/plain_level3.hpp"

namespace duoblas::test {
namespace {

/// Elements of all matrices of a call on the device, C's and what a C that is overwritten was.
std::int64_t elements(const Level3Problem& p) {
  const StoredShape a = stored_a(p), c = stored_c(p);
  const int of_c = is_in_place(p.routine) || (has_b(p.routine) && !is_rank_2k(p.routine)) ? 2 : 1;
  return a.rows * a.cols * (is_rank_2k(p.routine) ? 2 : 1) + c.rows * c.cols * of_c;
}
FitsDevice up_to(std::int64_t most) {
  return [most](const Level3Problem& p) { return elements(p) <= most; };
}

/// How many pieces are calls of the routine, and how many products.
struct Counts {
  int calls = 0, products = 0;
};
Counts counts(const std::vector<Step>& pieces) {
  Counts count;
  for (const Step& piece : pieces)
    ++(std::holds_alternative<GemmProblem>(piece) ? count.products : count.calls);
  return count;
}

void run(const std::vector<Step>& pieces) {
  for (const Step& piece : pieces) plain_step<std::complex<float>>(piece);
}

TEST(DevicePieces, DoTheWholeCallAndEachFits) {
  using T = std::complex<float>;
  std::uint64_t seed = 1;
  for (const Routine routine : all_routines)
    for (const Side side : {Side::left, Side::right})
      for (const Uplo uplo : {Uplo::upper, Uplo::lower})
        for (const Op op : {Op::none, Op::transpose, Op::conj_transpose})
          for (const std::int64_t most : {19000, 9000}) {
            Level3Factors f{routine, Layout::row_major, side, uplo, op, Diag::non_unit, 131, 21, 2};
            f.alpha = -0.7;
            f.beta = ++seed % 3 == 0 ? 0 : 0.6;
            f.seed = seed;
            if ((updates_triangle(routine) && side == Side::right) || !exists<T>(f)) continue;
            if (!updates_triangle(routine) && !is_in_place(routine) && op != Op::none) continue;
            SCOPED_TRACE(most);
            expect_right<T>(f, [&](const CallerLevel3& call) {
              const auto pieces = pieces_for_device(to_row_major(call), up_to(most));
              ASSERT_TRUE(pieces);
              EXPECT_GT(pieces->size(), 1u);
              for (const Step& piece : *pieces) {
                const auto* part = std::get_if<Level3Problem>(&piece);
                EXPECT_TRUE(part == nullptr || elements(*part) <= most);
              }
              run(*pieces);
            });
          }
}

Level3Problem of(Routine routine, std::int64_t order, std::int64_t free) {
  Level3Problem p;
  p.routine = routine;
  p.m = p.n = order;
  if (updates_triangle(routine)) p.k = free;
  if (!updates_triangle(routine)) p.n = free;
  p.lda = p.ldb = p.ldc = std::max(order, free);
  return p;
}

TEST(DevicePieces, AreTheCallItselfWhereThatFits) {
  const auto pieces = pieces_for_device(of(Routine::trsm, 500, 100), up_to(1 << 20));
  ASSERT_TRUE(pieces);
  EXPECT_EQ(pieces->size(), 1u);
}

TEST(DevicePieces, AreAsFewSlicesAsFitWhereLittleIsSentAgain) {
  // Right-hand sides beside a triangle of as many lines: 1 + 2 slices at most.
  const auto two = pieces_for_device(of(Routine::trsm, 1024, 1024), up_to((1 + 1) << 20));
  ASSERT_TRUE(two);
  EXPECT_EQ(counts(*two).calls, 2);
  EXPECT_EQ(counts(*two).products, 0);
  EXPECT_EQ(std::get<Level3Problem>(two->front()).n, 512);
  // A sum over many terms, whose result is small.
  const auto deep = pieces_for_device(of(Routine::syrk, 512, 16384), up_to(3 << 20));
  ASSERT_TRUE(deep);
  EXPECT_EQ(counts(*deep).calls, 3);
  EXPECT_EQ(std::get<Level3Problem>(deep->back()).beta, 1.0);
}

TEST(DevicePieces, AreHalvesOfTheOrderWhereTheMatrixItselfDoesNotFit) {
  const auto solve = pieces_for_device(of(Routine::trsm, 1024, 256), up_to(1 << 19));
  ASSERT_TRUE(solve);
  EXPECT_EQ(counts(*solve).calls, 2);
  EXPECT_EQ(counts(*solve).products, 1);
  const auto sum = pieces_for_device(of(Routine::syrk, 2048, 1024), up_to(1 << 22));
  ASSERT_TRUE(sum);
  EXPECT_EQ(counts(*sum).calls, 2);
  EXPECT_EQ(counts(*sum).products, 1);
  const auto symmetric = pieces_for_device(of(Routine::symm, 1024, 128), up_to(1 << 19));
  ASSERT_TRUE(symmetric);
  EXPECT_EQ(counts(*symmetric).calls, 2);
  EXPECT_EQ(counts(*symmetric).products, 2);
}

TEST(DevicePieces, AreNoneWhereTheyWouldBeManyOrNoneFits) {
  for (const Routine routine : all_routines) {
    EXPECT_FALSE(pieces_for_device(of(routine, 100'000, 50'000), up_to(1 << 20))) << name(routine);
    EXPECT_FALSE(pieces_for_device(of(routine, 1000, 1000), up_to(0))) << name(routine);
    EXPECT_FALSE(pieces_for_device(of(routine, 1, 1), up_to(0))) << name(routine);
  }
}

}  // namespace
}  // namespace duoblas::test
