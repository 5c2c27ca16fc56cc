// QR panels by a team of threads, against LAPACK.
#include "cpu/qr_panel.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/qr_case.hpp"

namespace duoblas::test {
namespace {

// Bands that end in a vector's middle, a column, panels as wide as they are high.
constexpr Shape shapes[] = {{1, 1},     {7, 7},     {65, 1},   {64, 16},   {130, 17},
                            {128, 128}, {257, 120}, {555, 33}, {1000, 128}};

/// A panel, and what comes of it beside its factors.
template <typename T>
struct Panel {
  Panel(std::int64_t rows, std::int64_t columns, std::uint64_t seed)
      : matrix(rows, columns, 3, seed), v(columns, rows, 5), products(columns, columns) {
    v.randomise(1);
    products.randomise(2);
  }
  bool factorise(ThreadTeam& team) {
    QrPanel panel(team, precision_of<T>, matrix.rows(), matrix.columns());
    const LapackProblem p = matrix.problem();
    EXPECT_TRUE(panel.suits(p));
    return panel.factorise(p, {v.data(), v.ld(), products.data(), products.ld()});
  }

  Orthogonal<T> matrix;
  Columns<T> v, products;
};

TEST(QrPanel, IsRightForEveryShapeAndNumberOfThreads) {
  for (const int threads : {1, 2, 3}) {
    ThreadTeam team(threads);
    for_all_types([&](auto zero) {
      using T = decltype(zero);
      for (const auto& [rows, columns] : shapes) {
        if (is_complex_type<T> && threads < 3 && rows > 200) continue;  // for the time it takes
        SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(columns) + " by " +
                     std::to_string(threads));
        Panel<T> panel(rows, columns, 5);
        ASSERT_TRUE(panel.factorise(team));
        EXPECT_LT(qr_error(panel.matrix), most_error);
        EXPECT_TRUE(panel.matrix.factors.guards_untouched());
        EXPECT_TRUE(panel.v.guards_untouched());
        EXPECT_EQ(panel.matrix.tau.back(), T(-77));
        for (std::int64_t j = 0; j < columns; ++j)
          for (std::int64_t i = 0; i < rows; ++i)
            ASSERT_EQ(panel.v.at(j, i), i == j  ? T(1)
                                        : i < j ? T(0)
                                                : panel.matrix.factors.at(j, i));
        for (std::int64_t j = 0; j < columns; ++j)
          for (std::int64_t k = 0; k <= j; ++k) {
            InDoubles<T> sum = 0;
            double sizes = 0;
            for (std::int64_t i = 0; i < rows; ++i) {
              const auto term =
                  conj_of(InDoubles<T>(panel.v.at(k, i))) * InDoubles<T>(panel.v.at(j, i));
              sum += term;
              sizes += std::abs(term);
            }
            ASSERT_LT(std::abs(InDoubles<T>(panel.products.at(j, k)) - sum),
                      30 * sizes * static_cast<double>(std::numeric_limits<Real<T>>::epsilon()));
          }
      }
    });
  }
}

TEST(QrPanel, GathersWhatItFactorised) {
  for (const int threads : {1, 3}) {
    ThreadTeam team(threads);
    for_all_types([&](auto zero) {
      using T = decltype(zero);
      Panel<T> panel(333, 45, 6);
      ASSERT_TRUE(panel.factorise(team));
      const Columns<T> factors = panel.matrix.factors, v = panel.v, products = panel.products;
      panel.v.randomise(3);
      panel.products.randomise(4);
      QrPanel(team, precision_of<T>, 333, 45)
          .gather(panel.matrix.problem(),
                  {panel.v.data(), panel.v.ld(), panel.products.data(), panel.products.ld()});
      for (std::int64_t j = 0; j < 45; ++j) {
        for (std::int64_t i = 0; i < 333; ++i) {
          ASSERT_EQ(panel.v.at(j, i), v.at(j, i));
          ASSERT_EQ(panel.matrix.factors.at(j, i), factors.at(j, i)) << "A was only read";
        }
        for (std::int64_t k = 0; k <= j; ++k)
          ASSERT_EQ(panel.products.at(j, k), products.at(j, k)) << k << ", " << j;
      }
      EXPECT_TRUE(panel.v.guards_untouched());
    });
  }
}

TEST(QrPanel, OfAnotherMatrixsColumnsFillsThoseOfA) {
  ThreadTeam team(2);
  constexpr std::int64_t rows = 200, columns = 20, above = 30;
  Orthogonal<double> whole(rows + above, columns, 3, 9);
  Columns<double> source = whole.a, v(columns, rows), products(columns, columns);
  LapackProblem part = whole.problem();
  part.m = rows;
  Columns<double> expected = whole.a;
  part.a = &expected.at(0, above);
  QrPanel panel(team, Precision::d, rows, columns);
  ASSERT_TRUE(panel.factorise(part, {v.data(), v.ld(), products.data(), products.ld()}));
  whole.factors.randomise(10);
  part.a = &whole.factors.at(0, above);
  ASSERT_TRUE(panel.factorise(part, {v.data(), v.ld(), products.data(), products.ld()},
                              {source.data(), source.ld(), above}));
  for (std::int64_t j = 0; j < columns; ++j)
    for (std::int64_t i = 0; i < rows + above; ++i) {
      ASSERT_EQ(whole.factors.at(j, i), expected.at(j, i)) << i << ", " << j;
      ASSERT_EQ(source.at(j, i), whole.a.at(j, i)) << "it was only read";
    }
}

TEST(QrPanel, HasTheSignsOfLapack) {
  ThreadTeam team(3);
  Panel<double> panel(500, 60, 8);
  ASSERT_TRUE(panel.factorise(team));
  // Opposite to what the column had there: -sign(alpha) times its norm.
  EXPECT_EQ(std::signbit(panel.matrix.factors.at(0, 0)), !std::signbit(panel.matrix.a.at(0, 0)));
  for (std::size_t i = 0; i < 60; ++i) {
    EXPECT_GE(panel.matrix.tau[i], 1);
    EXPECT_LE(panel.matrix.tau[i], 2);
  }
}

TEST(QrPanel, OfColumnsWithImaginaryDiagonalsHasARealOne) {
  ThreadTeam team(2);
  Panel<std::complex<double>> panel(150, 20, 8);
  for (std::int64_t j = 0; j < 20; ++j)
    for (std::int64_t i = 0; i < 150; ++i)
      if (i > j) panel.matrix.a.at(j, i) = 0;
  panel.matrix.a.at(7, 7) = 3;
  panel.matrix.factors = panel.matrix.a;
  ASSERT_TRUE(panel.factorise(team));
  for (std::int64_t j = 0; j < 20; ++j) EXPECT_EQ(panel.matrix.factors.at(j, j).imag(), 0);
  EXPECT_EQ(panel.matrix.tau[7], 0.0);
  EXPECT_NE(panel.matrix.tau[8], 0.0);
  EXPECT_LT(qr_error(panel.matrix), most_error);
}

TEST(QrPanel, OfSizesFarApartIsRightInEachColumn) {
  ThreadTeam team(3);
  Panel<float> panel(300, 40, 4);
  Columns<float>& a = panel.matrix.a;
  for (std::int64_t j = 0; j < 40; ++j)
    for (std::int64_t i = 0; i < 300; ++i)
      a.at(j, i) = std::ldexp(a.at(j, i), static_cast<int>(j % 7) * 35 - 110);
  panel.matrix.factors = a;
  ASSERT_TRUE(panel.factorise(team));
  Columns<double> r(40, 300);
  for (std::int64_t j = 0; j < 40; ++j)
    for (std::int64_t i = 0; i < 300; ++i)
      r.at(j, i) = i <= j ? static_cast<double>(panel.matrix.factors.at(j, i)) : 0;
  reflect(panel.matrix, false, r);
  for (std::int64_t j = 0; j < 40; ++j) {
    double most = 0, error = 0;
    for (std::int64_t i = 0; i < 300; ++i) {
      most = std::max(most, std::abs(static_cast<double>(a.at(j, i))));
      error = std::max(error, std::abs(r.at(j, i) - static_cast<double>(a.at(j, i))));
    }
    EXPECT_LT(error, 1e-5 * most) << j;
  }
}

TEST(QrPanel, OfColumnsThatAreDoneAlreadyHasReflectorsThatDoNothing) {
  ThreadTeam team(2);
  Panel<double> panel(150, 50, 4);
  for (std::int64_t j = 0; j < 50; ++j)
    for (std::int64_t i = 0; i < 150; ++i)
      if (i > j || j == 20) panel.matrix.a.at(j, i) = 0;
  panel.matrix.factors = panel.matrix.a;
  ASSERT_TRUE(panel.factorise(team));
  for (std::size_t i = 0; i < 50; ++i) EXPECT_EQ(panel.matrix.tau[i], 0);
  for (std::int64_t j = 0; j < 50; ++j)
    for (std::int64_t i = 0; i < 150; ++i)
      ASSERT_EQ(panel.matrix.factors.at(j, i), panel.matrix.a.at(j, i));
}

TEST(QrPanel, LeavesToLapackWhatIsNotFiniteOrUnderflows) {
  ThreadTeam team(2);
  const auto leaves = [&](std::int64_t row, std::int64_t column, double value) {
    Panel<double> panel(150, 50, 4);
    panel.matrix.a.at(column, row) = value;
    if (std::isfinite(value))  // all that is left of the column
      for (std::int64_t j = 0; j < 50; ++j)
        for (std::int64_t i = 0; i < 150; ++i)
          if (i > j && (i != row || j != column)) panel.matrix.a.at(j, i) = 0;
    panel.matrix.factors = panel.matrix.a;
    EXPECT_FALSE(panel.factorise(team));
    EXPECT_EQ(panel.matrix.tau[0], -77);
    for (std::int64_t j = 0; j < 50; ++j)
      for (std::int64_t i = 0; i < 150; ++i)
        if (std::isfinite(panel.matrix.a.at(j, i))) {
          EXPECT_EQ(panel.matrix.factors.at(j, i), panel.matrix.a.at(j, i));
        }
  };
  leaves(140, 30, std::numeric_limits<double>::infinity());
  leaves(3, 0, std::nan(""));
  leaves(140, 30, 1e-200);
}

}  // namespace
}  // namespace duoblas::test
