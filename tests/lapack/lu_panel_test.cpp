// LU panels by a team of threads, against LAPACK.
#include "cpu/lu_panel.hpp"

#include <atomic>
#include <cmath>
#include <complex>
#include <limits>
#include <type_traits>
#include <vector>

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

// L times its inverse; what that differs from the unit matrix by is at most rounding errors of
// |L| |inverse|. That of floats has one rounding for each number.
template <typename T>
void expect_inverse(const Columns<T>& factors, std::int64_t columns, const PanelInverse& inverse) {
  const auto* const x = static_cast<const T*>(inverse.columns);
  double largest_l = 0, largest_x = 0;
  for (std::int64_t j = 0; j < columns; ++j) {
    double of_l = 1, of_x = 0;
    for (std::int64_t i = 0; i < columns; ++i) {
      of_x += std::abs(static_cast<double>(x[j * inverse.pitch + i]));
      if (i > j) of_l += std::abs(static_cast<double>(factors.at(j, i)));
      double sum = x[j * inverse.pitch + i], sizes = std::abs(sum);
      for (std::int64_t k = 0; k < i; ++k) {
        const double l = factors.at(k, i), of_inverse = x[j * inverse.pitch + k];
        sum += l * of_inverse;
        sizes += std::abs(l * of_inverse);
      }
      ASSERT_NEAR(sum, i == j ? 1 : 0, std::numeric_limits<T>::epsilon() * (1 + 4 * sizes));
      if (i < j) {
        ASSERT_EQ(x[j * inverse.pitch + i], T(0));
      }
    }
    for (std::int64_t i = columns; i < inverse.pitch; ++i)
      ASSERT_EQ(x[j * inverse.pitch + i], T(0));
    largest_l = std::max(largest_l, of_l);
    largest_x = std::max(largest_x, of_x);
  }
  EXPECT_NEAR(inverse.condition, largest_l * largest_x, 1e-6 * largest_l * largest_x);
}

template <typename T>
PanelInverse inverse_in(std::vector<T>& memory) {
  memory.assign(128 * 128, T(-3));
  PanelInverse inverse;
  inverse.columns = memory.data();
  inverse.pitch = 128;
  return inverse;
}

template <typename T>
void expect_inverses(ThreadTeam& team) {
  LuPanel panel(team, precision_of<T>, 1000, 128);
  for (const std::int64_t columns : {1, 7, 64, 100, 128}) {
    General<T> matrix(1000, columns, 3, 5);
    std::vector<T> memory;
    PanelInverse inverse = inverse_in(memory);
    const LapackProblem p = matrix.problem();
    EXPECT_EQ(panel.factorise(p, {p.a, p.lda}, &inverse), 0);
    EXPECT_LT(matrix.error(), most_error);
    expect_inverse(matrix.factors, columns, inverse);
  }
}

TEST(LuPanel, InvertsItsTriangle) {
  for (const int threads : {1, 3, 7}) {
    SCOPED_TRACE(threads);
    ThreadTeam team(threads);
    expect_inverses<double>(team);
    expect_inverses<float>(team);
  }
}

TEST(LuPanel, HasNoInverseOfComplexOrWidePanels) {
  ThreadTeam team(2);
  General<std::complex<double>> complex(200, 64, 0, 5);
  General<double> wide(200, 129, 0, 5);
  std::vector<double> memory;
  for (const LapackProblem& p : {complex.problem(), wide.problem()}) {
    PanelInverse inverse = inverse_in(memory);
    LuPanel panel(team, p.precision, 200, 129);
    EXPECT_EQ(panel.factorise(p, {p.a, p.lda}, &inverse), 0);
    EXPECT_TRUE(std::isinf(inverse.condition));
    EXPECT_EQ(memory, std::vector<double>(128 * 128, -3.0));
  }
}

TEST(LuPanel, HasNoConditionOfNan) {
  ThreadTeam team(2);
  LuPanel panel(team, Precision::d, 64, 64);
  General<double> matrix(64, 64, 0, 4);
  matrix.a.at(3, 7) = nan_value<double>();
  matrix.restore();
  std::vector<double> memory;
  PanelInverse inverse = inverse_in(memory);
  const LapackProblem p = matrix.problem();
  panel.factorise(p, {p.a, p.lda}, &inverse);
  EXPECT_TRUE(std::isnan(inverse.condition));
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
