// Which inverses of a triangle's diagonal blocks are used.
#include "cpu/triangle_inverse.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace duoblas::test {
namespace {

constexpr std::int64_t sides = 5;

/// A unit lower triangle, row by row, with -c below the diagonal of its first `steep` lines and
/// zeros elsewhere: the condition number of `lines` of these is (1 + (lines - 1) c) (1 + c)^(lines
/// - 1).
struct Lower {
  Lower(std::int64_t order, double c, std::int64_t steep)
      : a(at(order, order), 0), b(at(order, sides)) {
    for (std::int64_t i = 0; i < order; ++i)
      for (std::int64_t j = 0; j <= i; ++j)
        a[at(i, order) + at(j, 1)] = i == j ? 1 : i < steep ? -c : 0;
    solve.routine = Routine::trsm;
    solve.precision = Precision::d;
    solve.uplo = Uplo::lower;
    solve.diag = Diag::unit;
    solve.m = order;
    solve.n = solve.ldc = sides;
    solve.a = a.data();
    solve.lda = order;
    solve.c = b.data();
  }
  static std::size_t at(std::int64_t lines, std::int64_t count) {
    return static_cast<std::size_t>(lines * count);
  }
  std::vector<double> a, b;
  Level3Problem solve;
};

struct Part {
  std::int64_t lines;
  bool is_by_inverse;
  bool operator==(const Part&) const = default;
};

/// The parts of the block from a line on, between two of which there is one product each.
std::vector<Part> parts_of(const TriangleInverses& inverses, const Level3Problem& block,
                           std::int64_t first) {
  std::vector<Part> parts;
  std::size_t products = 0;
  inverses.solve_with(
      block, first, [&](const GemmProblem&) { ++products; },
      [&](const Level3Problem& step) {
        parts.push_back({step.m, step.routine == Routine::trmm});
        if (step.routine == Routine::trmm) {
          EXPECT_EQ(step.lda, 64);
        }
      });
  EXPECT_EQ(products + 1, parts.size());
  return parts;
}

std::vector<Part> parts_of(double c, std::int64_t order = 64, std::int64_t steep = 64) {
  const Lower lower(order, c, steep);
  return parts_of(TriangleInverses(lower.solve, 64), lower.solve, 0);
}

TEST(TriangleInverses, AreOfTheLargestPartsThatAreWellConditioned) {
  const auto all = [](std::int64_t lines, bool is_by_inverse = true) {
    return std::vector<Part>(static_cast<std::size_t>(64 / lines), {lines, is_by_inverse});
  };
  EXPECT_EQ(parts_of(0.05), all(64));
  EXPECT_EQ(parts_of(0.1), all(32));
  EXPECT_EQ(parts_of(0.25), all(16));
  EXPECT_EQ(parts_of(0.6), all(8));
}

TEST(TriangleInverses, AreLargeBesideSmallOnes) {
  EXPECT_EQ(parts_of(0.25, 64, 32), (std::vector<Part>{{16, true}, {16, true}, {32, true}}));
  EXPECT_EQ(parts_of(0.6, 64, 16),
            (std::vector<Part>{{8, true}, {8, true}, {16, true}, {32, true}}));
}

TEST(TriangleInverses, AreOfPartsThatBeginAtMultiplesOfEightLines) {
  EXPECT_EQ(parts_of(0.25, 50, 50), (std::vector<Part>{{16, true}, {16, true}, {18, true}}));
  EXPECT_EQ(parts_of(0.6, 20, 20), (std::vector<Part>{{8, true}, {8, true}, {4, true}}));
  EXPECT_EQ(parts_of(0.6, 9, 9), (std::vector<Part>{{9, true}}));
}

// Nothing smaller is gained by: the whole block is the BLAS's.
TEST(TriangleInverses, AreNotUsedWhereEightLinesAreIllConditioned) {
  EXPECT_EQ(parts_of(1.5), (std::vector<Part>{{64, false}}));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(parts_of(nan), (std::vector<Part>{{64, false}}));
}

// A panel's threads say how ill-conditioned their blocks are, and later panels have other blocks.
TEST(TriangleInverses, AreThoseOfTheLastPanelOnly) {
  const Lower lower(200, 0.1, 200);
  Level3Problem block = lower.solve;
  block.m = 64;
  TriangleInverses inverses(Precision::d, 200, 64);
  PanelInverse none = inverses.place_of(64);
  const std::vector<Part> whole{{64, true}}, solved{{64, false}}, halves{{32, true}, {32, true}};
  EXPECT_EQ(parts_of(inverses, block, 64), solved);
  inverses.make(lower.solve, 64);
  inverses.make(lower.solve, 128);
  EXPECT_EQ(parts_of(inverses, block, 0), solved);
  EXPECT_EQ(parts_of(inverses, block, 64), halves);
  PanelInverse good = none;
  good.condition = 10;
  inverses.note(lower.solve, 64, good);
  EXPECT_EQ(parts_of(inverses, block, 64), whole);
  EXPECT_EQ(parts_of(inverses, block, 128), halves);
  EXPECT_EQ(inverses.with_inverse(block, 64).a, inverses.place_of(64).columns);
  inverses.note(lower.solve, 64, none);
  EXPECT_EQ(parts_of(inverses, block, 64), solved);
}

TEST(TriangleInverses, OfTooManyLinesAreNone) {
  TriangleInverses inverses(Precision::d, 5000, 64);
  EXPECT_EQ(inverses.place_of(0).columns, nullptr);
  const Lower lower(64, 0.05, 64);
  inverses.note(lower.solve, 0, inverses.place_of(0));
  EXPECT_EQ(parts_of(inverses, lower.solve, 0), (std::vector<Part>{{64, false}}));
}

}  // namespace
}  // namespace duoblas::test
