// Matrices that are badly scaled, singular, not finite or empty, with the matrix in place and on
// the device: backward errors within LAPACK's threshold where there are factors, legal pivots in
// any case, and no kernel rejected for them, though every result is checked.

#include <cmath>
#include <limits>

#include "support/lapack_case.hpp"

namespace duoblas::test {
namespace {

struct OddMatrices : ::testing::TestWithParam<MatrixHome> {
  static constexpr std::int64_t n = 80;
  Engine engine{forced_lapack(CheckMode::always)};

  void TearDown() override {
    EXPECT_EQ(engine.checks().counts().wrong, 0u);
    EXPECT_GT(engine.checks().counts().checked, 0u);
  }

  /// info.
  template <typename Matrix>
  int factorise(Matrix& matrix, LapackRoutine routine) {
    const LapackOutcome did = run(engine, matrix.problem(routine), GetParam());
    EXPECT_FALSE(did.outcome.recovered);
    return did.info;
  }
  template <typename T>
  void expect_legal_pivots(const General<T>& matrix) {
    for (std::size_t i = 0; i + 1 < matrix.pivots.size(); ++i) {
      EXPECT_GT(matrix.pivots[i], static_cast<int>(i));
      EXPECT_LE(matrix.pivots[i], matrix.factors.length());
    }
    EXPECT_TRUE(matrix.factors.guards_untouched());
  }
  /// One at least is, where the others have nothing to check.
  void with_checked_call() {
    for_a_type_of_device(engine, [&](auto zero) {
      General<decltype(zero)> matrix(n, n, 0, 1);
      EXPECT_EQ(factorise(matrix, LapackRoutine::getrf), 0);
    });
  }
};

INSTANTIATE_TEST_SUITE_P(Homes, OddMatrices,
                         ::testing::Values(MatrixHome::copied, MatrixHome::in_place),
                         [](const auto& home) {
                           return home.param == MatrixHome::copied ? "copied" : "in_place";
                         });

/// Powers of two near the ends of the type's range, whose square roots and sums still fit.
template <typename T>
std::vector<Real<T>> extreme_scales() {
  constexpr int most = std::numeric_limits<Real<T>>::max_exponent * 7 / 8;
  return {std::ldexp(Real<T>(1), most), std::ldexp(Real<T>(1), -most)};
}

TEST_P(OddMatrices, NearTheEndsOfTheRangeAreFactorised) {
  for_types_of_device(engine, [&](auto zero) {
    using T = decltype(zero);
    for (const Real<T> scale : extreme_scales<T>()) {
      SCOPED_TRACE(scale);
      General<T> general(n, n, 1, 3);
      for (std::int64_t j = 0; j < n; ++j)
        for (std::int64_t i = 0; i < n; ++i) general.a.at(j, i) *= scale;
      general.restore();
      EXPECT_EQ(factorise(general, LapackRoutine::getrf), 0);
      EXPECT_LT(general.error(), most_error);
      for (const Uplo uplo : {Uplo::lower, Uplo::upper}) {
        Definite<T> definite(n, uplo, 1, 4);
        for (std::int64_t j = 0; j < n; ++j)
          for (std::int64_t i = 0; i < n; ++i) definite.whole.at(j, i) *= scale;
        definite.store();
        EXPECT_EQ(factorise(definite, LapackRoutine::potrf), 0);
        EXPECT_LT(definite.error(), most_error);
        EXPECT_TRUE(definite.other_triangle_is_as_it_was());
      }
    }
  });
}

// Rows and columns from 1 to 2^60 and back, in an order that has large ones beside small ones.
TEST_P(OddMatrices, WithRowsAndColumnsOfOtherSizesAreFactorised) {
  const auto size = [](std::int64_t i) { return std::ldexp(1.0, static_cast<int>(i * 37 % 61)); };
  for_types_of_device(engine, [&](auto zero) {
    using T = decltype(zero);
    General<T> general(n, n, 0, 5);
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < n; ++i)
        general.a.at(j, i) *= static_cast<Real<T>>(size(i) / size(j));
    general.restore();
    EXPECT_EQ(factorise(general, LapackRoutine::getrf), 0);
    EXPECT_LT(general.error(), most_error);
    Definite<T> definite(n, Uplo::lower, 0, 6);
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < n; ++i)
        definite.whole.at(j, i) *= static_cast<Real<T>>(std::sqrt(size(i) * size(j)));
    definite.store();
    EXPECT_EQ(factorise(definite, LapackRoutine::potrf), 0);
    EXPECT_LT(definite.error(), most_error);
  });
}

// The reciprocal of such a pivot is infinite, also in what is left of a wide matrix: one panel, or
// more than one.
TEST_P(OddMatrices, OfSubnormalNumbersHaveFiniteFactors) {
  with_checked_call();
  for_types_of_device(engine, [&](auto zero) {
    using T = decltype(zero);
    for (const auto& [rows, columns] : {Shape{n, n}, Shape{n, n + 5}, Shape{n - 3, n - 1}}) {
      General<T> general(rows, columns, 1, 12);
      for (std::int64_t j = 0; j < columns; ++j)
        for (std::int64_t i = 0; i < rows; ++i)
          general.a.at(j, i) *= 1000 * std::numeric_limits<Real<T>>::denorm_min();
      general.restore();
      factorise(general, LapackRoutine::getrf);
      expect_legal_pivots(general);
      for (std::int64_t j = 0; j < columns; ++j)
        for (std::int64_t i = 0; i < rows; ++i)
          ASSERT_TRUE(std::isfinite(std::abs(general.factors.at(j, i)))) << i << ' ' << j;
    }
  });
}

TEST_P(OddMatrices, OfZerosAndOfOnesAreSingularAtTheRightPlace) {
  with_checked_call();
  for_types_of_device(engine, [&](auto zero) {
    using T = decltype(zero);
    for (const int value : {0, 1}) {
      General<T> general(n, n, 0, 1);
      general.a.fill([&] { return static_cast<T>(static_cast<Real<T>>(value)); });
      general.restore();
      EXPECT_EQ(factorise(general, LapackRoutine::getrf), value + 1);
      EXPECT_EQ(general.error(), 0);
      expect_legal_pivots(general);
      for (const Uplo uplo : {Uplo::lower, Uplo::upper}) {
        Definite<T> definite(n, uplo, 0, 1);
        definite.whole = general.a;
        definite.store();
        EXPECT_EQ(factorise(definite, LapackRoutine::potrf), value + 1);
        EXPECT_TRUE(definite.other_triangle_is_as_it_was());
      }
    }
  });
}

TEST_P(OddMatrices, ThatAreNotFiniteHaveLegalPivotsAndEnd) {
  with_checked_call();
  for_types_of_device(engine, [&](auto zero) {
    using T = decltype(zero);
    const T infinite = static_cast<T>(std::numeric_limits<Real<T>>::infinity());
    for (const T odd : {nan_value<T>(), infinite})
      for (const bool everywhere : {false, true}) {
        General<T> general(n, n, 1, 7);
        Definite<T> definite(n, Uplo::lower, 1, 8);
        if (everywhere) {
          general.factors.fill([&] { return odd; });
          for (std::int64_t j = 0; j < n; ++j)
            for (std::int64_t i = j; i < n; ++i) definite.stored.at(j, i) = odd;
        } else {
          general.factors.at(30, 50) = odd;
          definite.stored.at(30, 50) = odd;
        }
        factorise(general, LapackRoutine::getrf);
        expect_legal_pivots(general);
        EXPECT_TRUE(!is_nan(odd) || is_nan(general.factors.at(n - 1, n - 1)));
        const int info = factorise(definite, LapackRoutine::potrf);
        EXPECT_GE(info, 0);
        EXPECT_LE(info, n);
        EXPECT_TRUE(definite.other_triangle_is_as_it_was());
        EXPECT_TRUE(definite.stored.guards_untouched());
      }
  });
}

TEST_P(OddMatrices, WithoutElementsAreLeftAlone) {
  with_checked_call();
  for (const auto& [rows, columns] : {std::pair{0, 5}, {5, 0}, {0, 0}}) {
    General<double> general(rows, columns, 2, 1);
    EXPECT_EQ(factorise(general, LapackRoutine::getrf), 0);
    EXPECT_TRUE(general.factors.guards_untouched());
    EXPECT_EQ(general.pivots.back(), -77);
  }
  Definite<double> definite(0, Uplo::upper, 2, 1);
  EXPECT_EQ(factorise(definite, LapackRoutine::potrf), 0);
  Columns<double> b(3, 0, 2);
  LapackProblem p = definite.problem(LapackRoutine::posv);
  with_right_sides(p, b);
  EXPECT_EQ(run(engine, p, GetParam()).info, 0);
  EXPECT_TRUE(b.guards_untouched());
}

// Right-hand sides enough for both sides' solves.
TEST_P(OddMatrices, ThatAreBadlyScaledAreSolved) {
  for_types_of_device(engine, [&](auto zero) {
    using T = decltype(zero);
    General<T> matrix(n, n, 0, 9);
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < n; ++i)
        matrix.a.at(j, i) *= std::ldexp(Real<T>(1), static_cast<int>(j * 37 % 31));
    matrix.restore();
    Columns<T> b(70, n);
    b.randomise(10);
    Columns<T> x = b;
    LapackProblem p = matrix.problem(LapackRoutine::gesv);
    with_right_sides(p, x);
    EXPECT_EQ(run(engine, p, GetParam()).info, 0);
    EXPECT_LT(residual(matrix.a, x, b), most_error);
  });
}

}  // namespace
}  // namespace duoblas::test
