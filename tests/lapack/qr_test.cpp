// geqrf, and what is made of Q, through both sides: with the matrix on the device, and in place.
#include <algorithm>
#include <cmath>
#include <limits>
#include <thread>

#include "problem/adjoint.hpp"
#include "support/qr_case.hpp"

namespace duoblas::test {
namespace {

struct Qr : testing::TestWithParam<MatrixHome> {
  Engine engine{forced_lapack(CheckMode::off)};
  void SetUp() override { ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem(); }
  /// Whether the device has the type. What it has not is the CPU's.
  template <typename T>
  bool has() {
    return sizeof(Real<T>) == sizeof(float) || engine.gpu()->info().has_fp64;
  }
};

INSTANTIATE_TEST_SUITE_P(Homes, Qr, ::testing::Values(MatrixHome::copied, MatrixHome::in_place),
                         [](const auto& home) {
                           return home.param == MatrixHome::copied ? "copied" : "in_place";
                         });

constexpr Shape shapes[] = {{1, 1},   {2, 2},    {3, 17},   {17, 3},    {8, 8},    {9, 9},
                            {40, 64}, {130, 97}, {97, 130}, {140, 140}, {300, 75}, {60, 250}};

TEST_P(Qr, HasTheFactorsAndReflectorsOfLapackForEveryShape) {
  for_all_types([&](auto zero) {
    using T = decltype(zero);
    for (const auto& [rows, columns] : shapes) {
      SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(columns));
      Orthogonal<T> ours(rows, columns, 5, 11);
      const LapackOutcome did = run(engine, ours.problem(), GetParam());
      EXPECT_EQ(did.info, 0);
      EXPECT_FALSE(did.outcome.recovered);
      EXPECT_TRUE(did.outcome.used_gpu || !has<T>() || std::min(rows, columns) < 40);
      EXPECT_LT(qr_error(ours), most_error);
      EXPECT_TRUE(ours.factors.guards_untouched());
      EXPECT_EQ(ours.tau.back(), T(-77));
      // Signs are LAPACK's convention, and random matrices are well-conditioned.
      const Orthogonal<T> lapacks = factorised<T>(engine, rows, columns, 5, 11);
      EXPECT_LT(difference(ours.factors, lapacks.factors), 1000);
      for (std::size_t i = 0; i < ours.tau.size(); ++i)
        EXPECT_LT(std::abs(ours.tau[i] - lapacks.tau[i]),
                  1e4 * std::numeric_limits<Real<T>>::epsilon());
    }
  });
}

// Panels of 128 columns in place or on a device, with halves and quarters.
TEST_P(Qr, IsRightWithWidePanels) {
  Orthogonal<double> matrix(1060, 1040, 0, 5);
  const LapackOutcome did = run(engine, matrix.problem(), GetParam());
  EXPECT_EQ(did.outcome.used_gpu, has<double>());
  Columns<double> x(3, matrix.columns()), r(3, matrix.rows()), ax(3, matrix.rows());
  x.randomise(7);
  for (std::int64_t s = 0; s < 3; ++s)
    for (std::int64_t j = 0; j < matrix.columns(); ++j)
      for (std::int64_t i = 0; i < matrix.rows(); ++i) {
        if (j == 0) r.at(s, i) = ax.at(s, i) = 0;
        ax.at(s, i) += matrix.a.at(j, i) * x.at(s, j);
        if (i <= j) r.at(s, i) += matrix.factors.at(j, i) * x.at(s, j);
      }
  reflect(matrix, false, r);
  EXPECT_LT(difference(r, ax), most_error);
}

TEST_P(Qr, OfColumnsThatAreDoneAlreadyHasReflectorsThatDoNothing) {
  Orthogonal<double> matrix(120, 100, 2, 5);
  for (std::int64_t j = 0; j < 100; ++j)
    for (std::int64_t i = 0; i < 120; ++i)
      if (i > j || j == 40) matrix.a.at(j, i) = 0;
  matrix.factors = matrix.a;
  EXPECT_EQ(run(engine, matrix.problem(), GetParam()).info, 0);
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(matrix.tau[i], 0);
  EXPECT_LT(qr_error(matrix), 1e-6);
}

TEST_P(Qr, OfBadlyScaledColumnsIsRight) {
  Orthogonal<double> matrix(130, 110, 0, 6);
  for (std::int64_t j = 0; j < 110; ++j)
    for (std::int64_t i = 0; i < 130; ++i)
      matrix.a.at(j, i) *= std::ldexp(1.0, static_cast<int>(j % 7) * 100 - 300);
  matrix.factors = matrix.a;
  run(engine, matrix.problem(), GetParam());
  EXPECT_LT(qr_error(matrix), most_error);
}

TEST_P(Qr, GivesTheSameBitsEachTimeWithASplit) {
  Orthogonal<double> first(200, 180, 0, 8), second = first;
  run(engine, first.problem(), GetParam());
  run(engine, second.problem(), GetParam());
  EXPECT_EQ(first.tau, second.tau);
  for (std::int64_t j = 0; j < 180; ++j)
    for (std::int64_t i = 0; i < 200; ++i)
      ASSERT_EQ(first.factors.at(j, i), second.factors.at(j, i));
}

TEST_P(Qr, OfTwoThreadsIsRightInBoth) {
  const auto factorise = [&](std::uint64_t seed) {
    for (int i = 0; i < 3; ++i) {
      Orthogonal<double> matrix(150, 150, 0, seed + 10 * static_cast<std::uint64_t>(i));
      run(engine, matrix.problem(), GetParam());
      EXPECT_LT(qr_error(matrix), most_error);
    }
  };
  std::thread other(factorise, 1);
  factorise(2);
  other.join();
}

TEST_P(Qr, FormsTheFirstColumnsOfQ) {
  for_all_types([&](auto zero) {
    using T = decltype(zero);
    struct {
      std::int64_t rows, columns, reflectors;
    } const cases[] = {{1, 1, 1},    {50, 40, 40},  {140, 140, 140}, {150, 120, 97},
                       {90, 90, 17}, {300, 30, 30}, {100, 60, 0}};
    for (const auto& [rows, columns, reflectors] : cases) {
      SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(columns) + ", " +
                   std::to_string(reflectors));
      Orthogonal<T> q = factorised<T>(engine, rows, columns, 3, 21);
      Columns<InDoubles<T>> expected(columns, rows);
      for (std::int64_t j = 0; j < columns; ++j)
        for (std::int64_t i = 0; i < rows; ++i) expected.at(j, i) = i == j ? 1 : 0;
      for (std::size_t i = static_cast<std::size_t>(reflectors); i < q.tau.size() - 1; ++i)
        q.tau[i] = 0;
      reflect(q, false, expected);
      LapackProblem p = q.problem(LapackRoutine::orgqr);
      p.reflectors = reflectors;
      const LapackOutcome did = run(engine, p, GetParam());
      EXPECT_EQ(did.info, 0);
      EXPECT_TRUE(did.outcome.used_gpu || !has<T>() || reflectors < 40);
      EXPECT_LT(difference(q.factors, expected), most_error);
      EXPECT_TRUE(q.factors.guards_untouched());
    }
  });
}

template <typename T>
Columns<T> adjoint_of(const Columns<T>& x) {
  Columns<T> turned(x.length(), x.lines(), 3, 1);
  for (std::int64_t j = 0; j < x.lines(); ++j)
    for (std::int64_t i = 0; i < x.length(); ++i) turned.at(i, j) = conj_of(x.at(j, i));
  return turned;
}

TEST_P(Qr, MultipliesByQAndItsAdjointFromEitherSide) {
  for_all_types([&](auto zero) {
    using T = decltype(zero);
    for (const auto& [rows, columns] : {Shape{1, 1}, {60, 60}, {150, 110}, {300, 30}})
      for (const Op op : {Op::none, adjoint(precision_of<T>)})
        for (const std::int64_t sides : {1, 70}) {
          SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(columns) + " of " +
                       std::to_string(sides));
          Orthogonal<T> q = factorised<T>(engine, rows, columns, 3, 31);
          Columns<T> b(sides, rows, 2);
          b.randomise(32);
          Columns<InDoubles<T>> expected(sides, rows);
          for (std::int64_t j = 0; j < sides; ++j)
            for (std::int64_t i = 0; i < rows; ++i) expected.at(j, i) = b.at(j, i);
          // From the right B op(Q), which is (op(Q)^H B^H)^H.
          Columns<T> turned = adjoint_of(b);
          reflect(q, op != Op::none, expected);
          LapackProblem p = q.problem(LapackRoutine::ormqr);
          p.op = op;
          p.right_sides = sides;
          p.b = b.data();
          p.ldb = b.ld();
          const LapackOutcome did = run(engine, p, GetParam());
          EXPECT_EQ(did.info, 0);
          EXPECT_LT(difference(b, expected), most_error);
          EXPECT_TRUE(b.guards_untouched());
          p.side = Side::right;
          p.op = op == Op::none ? adjoint(precision_of<T>) : Op::none;
          p.b = turned.data();
          p.ldb = turned.ld();
          const LapackOutcome from_right = run(engine, p, GetParam());
          EXPECT_EQ(from_right.outcome.used_gpu, did.outcome.used_gpu);
          EXPECT_LT(difference(adjoint_of(turned), expected), most_error);
          EXPECT_TRUE(turned.guards_untouched());
        }
  });
}

}  // namespace
}  // namespace duoblas::test
