#include "cpu/lu_panel.hpp"

#include <atomic>
#include <cmath>
#include <complex>
#include <type_traits>

#include "support/lapack_case.hpp"

namespace duoblas::test {
namespace {

// Bands that end in a vector's middle, a column, panels as wide as they are high.
constexpr Shape shapes[] = {{1, 1},     {7, 7},     {65, 1},   {64, 16},   {130, 17},
                            {200, 128}, {257, 200}, {555, 33}, {1000, 128}};

TEST(LuPanel, IsRightForEveryShapeAndNumberOfThreads) {
  for (const int threads : {1, 3}) {
    ThreadTeam team(threads);
    for_all_types([&](auto zero) {
      using T = decltype(zero);
      // Pivots of complex numbers have the largest sum of their parts' magnitudes.
      const double largest = std::is_floating_point_v<T> ? 1 : std::sqrt(2) + 1e-6;
      for (const auto& [rows, columns] : shapes) {
        SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(columns) + " by " +
                     std::to_string(threads));
        LuPanel panel(team, precision_of<T>, rows, columns);
        General<T> matrix(rows, columns, 3, 5);
        ASSERT_TRUE(panel.suits(matrix.problem()));
        EXPECT_EQ(panel.factorise(matrix.problem()), 0);
        EXPECT_LT(matrix.error(), most_error);
        EXPECT_TRUE(matrix.factors.guards_untouched());
        EXPECT_EQ(matrix.pivots.back(), -77);
        for (std::int64_t j = 0; j < columns; ++j)
          for (std::int64_t i = j + 1; i < rows; ++i)
            ASSERT_LE(std::abs(matrix.factors.at(j, i)), largest) << "a larger one was the pivot";
      }
    });
  }
}

TEST(LuPanel, HasTheSameBitsEachTime) {
  ThreadTeam team(3);
  LuPanel panel(team, Precision::d, 700, 96);
  General<double> matrix(700, 96, 0, 8);
  panel.factorise(matrix.problem());
  const Columns<double> first = matrix.factors;
  for (int i = 0; i < 5; ++i) {
    matrix.restore();
    panel.factorise(matrix.problem());
    for (std::int64_t j = 0; j < 96; ++j)
      for (std::int64_t row = 0; row < 700; ++row)
        ASSERT_EQ(matrix.factors.at(j, row), first.at(j, row));
  }
}

TEST(LuPanel, ReadsAPanelElsewhereThanItWritesIt) {
  ThreadTeam team(3);
  LuPanel panel(team, Precision::d, 300, 40);
  General<double> in_place(300, 40, 2, 6), apart = in_place;
  panel.factorise(in_place.problem());
  for (std::int64_t j = 0; j < 40; ++j)
    for (std::int64_t i = 0; i < 300; ++i) apart.factors.at(j, i) = nan_value<double>();
  EXPECT_EQ(panel.factorise(apart.problem(), {apart.a.data(), apart.a.ld()}), 0);
  EXPECT_EQ(apart.pivots, in_place.pivots);
  for (std::int64_t j = 0; j < 40; ++j)
    for (std::int64_t i = 0; i < 300; ++i)
      ASSERT_EQ(apart.factors.at(j, i), in_place.factors.at(j, i));
}

TEST(LuPanel, SaysTheFirstZeroPivotAndGoesOn) {
  ThreadTeam team(3);
  LuPanel panel(team, Precision::d, 300, 60);
  for (const std::int64_t zero : {0, 15, 16, 59}) {
    General<double> matrix(300, 60, 1, 4);
    for (std::int64_t i = 0; i < 300; ++i) matrix.a.at(zero, i) = 0;
    matrix.restore();
    EXPECT_EQ(panel.factorise(matrix.problem()), zero + 1);
    EXPECT_EQ(matrix.pivots[static_cast<std::size_t>(zero)], zero + 1) << "nothing is swapped";
    EXPECT_LT(matrix.error(), most_error);
  }
}

// Of rows with equal magnitudes LAPACK takes the first.
TEST(LuPanel, TakesTheFirstOfEqualPivots) {
  ThreadTeam team(4);
  LuPanel panel(team, Precision::s, 256, 1);
  General<float> matrix(256, 1, 0, 4);
  for (std::int64_t i = 0; i < 256; ++i) matrix.a.at(0, i) = i % 2 == 0 ? -2.0F : 2.0F;
  matrix.a.at(0, 0) = 1;
  matrix.restore();
  EXPECT_EQ(panel.factorise(matrix.problem()), 0);
  EXPECT_EQ(matrix.pivots[0], 2);
}

TEST(LuPanel, HasLegalPivotsOfNan) {
  ThreadTeam team(2);
  LuPanel panel(team, Precision::d, 200, 40);
  for (const bool all : {false, true}) {
    General<double> matrix(200, 40, 0, 4);
    for (std::int64_t j = 0; j < 40; ++j)
      for (std::int64_t i = 0; i < 200; ++i)
        if (all || (i == 70 && j == 20)) matrix.a.at(j, i) = nan_value<double>();
    matrix.restore();
    panel.factorise(matrix.problem());
    for (std::int64_t j = 0; j < 40; ++j) {
      EXPECT_GT(matrix.pivots[static_cast<std::size_t>(j)], j);
      EXPECT_LE(matrix.pivots[static_cast<std::size_t>(j)], 200);
    }
    bool is_in_factors = false;
    for (std::int64_t i = 0; i < 200; ++i) is_in_factors |= std::isnan(matrix.factors.at(39, i));
    EXPECT_TRUE(is_in_factors);
  }
}

// A reciprocal of such a pivot is infinite.
TEST(LuPanel, DividesByPivotsWithoutAReciprocal) {
  ThreadTeam team(1);
  LuPanel panel(team, Precision::d, 80, 1);
  General<double> matrix(80, 1, 0, 4);
  for (std::int64_t i = 0; i < 80; ++i) matrix.a.at(0, i) = 1e-310 * static_cast<double>(i + 1);
  matrix.restore();
  EXPECT_EQ(panel.factorise(matrix.problem()), 0);
  EXPECT_EQ(matrix.pivots[0], 80);
  EXPECT_NEAR(matrix.factors.at(0, 39), 0.5, 1e-12);
}

TEST(LuPanel, DividesByComplexPivotsWithoutAReciprocal) {
  ThreadTeam team(2);
  LuPanel panel(team, Precision::z, 160, 2);
  General<std::complex<double>> matrix(160, 2, 0, 4);
  for (std::int64_t i = 0; i < 160; ++i)
    matrix.a.at(0, i) = {1e-310 * static_cast<double>(i + 1), -1e-310 * static_cast<double>(i + 1)};
  matrix.restore();
  EXPECT_EQ(panel.factorise(matrix.problem()), 0);
  EXPECT_EQ(matrix.pivots[0], 160);
  EXPECT_NEAR(matrix.factors.at(0, 79).real(), 0.5, 1e-12);
  EXPECT_NEAR(matrix.factors.at(0, 79).imag(), 0, 1e-12);
}

TEST(LuPanel, SuitsWhatThereIsMemoryFor) {
  ThreadTeam team(2);
  const LuPanel panel(team, Precision::d, 100, 20);
  EXPECT_FALSE(panel.suits(General<double>(101, 20, 0, 1).problem()));
  EXPECT_FALSE(panel.suits(General<double>(100, 21, 0, 1).problem()));
  EXPECT_FALSE(panel.suits(General<double>(10, 20, 0, 1).problem()));
  EXPECT_FALSE(panel.suits(General<float>(100, 20, 0, 1).problem()));
}

TEST(ThreadTeam, HasAllThreadsAtWorkAtOnce) {
  ThreadTeam team(4);
  for (int threads : {4, 1, 3})
    for (int i = 0; i < 50; ++i) {
      std::atomic<int> there{0};
      team.run(threads, [&](int) {
        ++there;
        wait_awake([&] { return there.load() == threads; });
      });
      EXPECT_EQ(there.load(), threads);
    }
}

}  // namespace
}  // namespace duoblas::test
