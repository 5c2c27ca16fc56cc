// Moler's matrix, L L' of an L with 1 on its diagonal and -1 everywhere below: the inverse of such
// a triangle grows by a power of two with each line, and products with it lose as many digits.
// Substitution loses none: all its numbers are small integers. (C. B. Moler; it is in J. C. Nash,
// Compact numerical methods for computers, 1979.)
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "engine/cpu_blas.hpp"
#include "support/inverse_case.hpp"
#include "support/lapack_case.hpp"

namespace duoblas::test {
namespace {

Settings with_checks(CheckMode mode) {
  Settings settings = forced_lapack();
  settings.check = mode;
  return settings;
}

template <typename T>
T molers(std::int64_t i, std::int64_t j) {
  const std::int64_t value = i == j ? i + 1 : std::min(i, j) - 1;
  return T(static_cast<Real<T>>(value));
}

// Panels of 64 columns, that is as wide as a triangle that is inverted.
constexpr std::int64_t n = 520;

template <typename T>
General<T> molers_matrix() {
  General<T> matrix(n, n, 3, 1);
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < n; ++i) matrix.a.at(j, i) = molers<T>(i, j);
  matrix.restore();
  return matrix;
}

template <typename T>
Definite<T> definite_matrix(Uplo uplo) {
  Definite<T> matrix(n, uplo, 0, 1);
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < n; ++i) matrix.whole.at(j, i) = molers<T>(i, j);
  matrix.store();
  return matrix;
}

template <typename T>
Columns<T> small_integers(std::int64_t sides) {
  Columns<T> x(sides, n);
  for (std::int64_t j = 0; j < sides; ++j)
    for (std::int64_t i = 0; i < n; ++i) x.at(j, i) = T(static_cast<Real<T>>((i * 7 + j) % 5 - 2));
  return x;
}

// L U of an L with 1, -c, -c, .. in each part on its diagonal, and a U of moderate numbers. The
// condition number of a part is so far from a rounding's reciprocal that L is well determined.
TEST(SteepTriangles, OfLuAreDivided) {
  Engine engine(with_checks(CheckMode::always));
  for_types_of_device(engine, [&](auto zero) {
    using T = decltype(zero);
    SCOPED_TRACE(letter(precision_of<T>));
    constexpr std::int64_t part = 64;
    const double c = sizeof(Real<T>) == 4 ? 0.15 : 0.4, coupling = 0.01;
    Columns<double> l(n, n), u(n, n);
    l.randomise(4);
    u.randomise(5);
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < n; ++i) {
        l.at(j, i) = i < j ? 0 : i == j ? 1 : i / part == j / part ? -c : coupling * l.at(j, i);
        u.at(j, i) = i > j ? 0 : i == j ? 1 : coupling * u.at(j, i);
      }
    General<T> matrix(n, n, 3, 1);
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < n; ++i) {
        double sum = 0;
        for (std::int64_t k = 0; k <= std::min(i, j); ++k) sum += l.at(k, i) * u.at(j, k);
        matrix.a.at(j, i) = T(static_cast<Real<T>>(sum));
      }
    for (const MatrixHome home : {MatrixHome::copied, MatrixHome::in_place}) {
      matrix.restore();
      const LapackOutcome did = run(engine, matrix.problem(), home);
      EXPECT_EQ(did.info, 0);
      EXPECT_TRUE(did.outcome.used_gpu);
      EXPECT_FALSE(did.outcome.recovered);
      EXPECT_LT(matrix.error(), most_error);
      EXPECT_EQ(engine.checks().counts().wrong, 0u);
    }
  });
}

TEST(SteepTriangles, OfFactorsAreSolvedWith) {
  Engine engine(with_checks(CheckMode::off));  // gesv solves at once
  for_types_of_device(engine, [&](auto zero) {
    using T = decltype(zero);
    SCOPED_TRACE(letter(precision_of<T>));
    const Columns<T> x = small_integers<T>(70);
    Columns<T> b(70, n);
    for (std::int64_t j = 0; j < 70; ++j)
      for (std::int64_t i = 0; i < n; ++i) {
        T sum = 0;
        for (std::int64_t k = 0; k < n; ++k) sum += molers<T>(i, k) * x.at(j, k);
        b.at(j, i) = sum;
      }
    for (const LapackRoutine routine :
         {LapackRoutine::getrs, LapackRoutine::potrs, LapackRoutine::gesv, LapackRoutine::posv})
      for (const Op op : {Op::none, Op::conj_transpose}) {
        auto general = molers_matrix<T>();
        auto definite = definite_matrix<T>(op == Op::none ? Uplo::lower : Uplo::upper);
        LapackProblem p = general.problem();
        if (is_definite(routine)) p = definite.problem(LapackRoutine::potrf);
        if (!factorises(routine))
          engine.cpu().run(p, engine.plans().cpu_alone(precision_of<T>, Reason::none).cpu);
        Columns<T> solved = b;
        p.routine = routine;
        p.op = routine == LapackRoutine::getrs ? op : Op::none;
        with_right_sides(p, solved);
        const LapackOutcome did = run(engine, p, MatrixHome::copied);
        EXPECT_TRUE(did.outcome.used_gpu);
        EXPECT_FALSE(did.outcome.recovered);
        EXPECT_LT(residual(general.a, solved, b), most_error)
            << static_cast<int>(routine) << " " << static_cast<int>(op);
      }
  });
}

/// max |X L U - 1| / (n u |X| |L| |U|), element by element: below 1 of LAPACK's own inverse (J. J.
/// Du Croz, N. J. Higham, Stability of methods for matrix inversion, IMA J. Numer. Anal. 12, 1992).
/// Without swaps of rows.
template <typename T>
double inverse_error_by_element(const Columns<T>& inverse, const Columns<T>& factors) {
  using W = InDoubles<T>;
  const std::int64_t order = factors.lines();
  const auto count = static_cast<std::size_t>(order);
  // Each is used as often as there are lines. (A magnitude of a complex number takes its time.)
  std::vector<double> sizes_of_factors(count * count);
  for (std::int64_t j = 0; j < order; ++j)
    for (std::int64_t i = 0; i < order; ++i)
      sizes_of_factors[static_cast<std::size_t>(j * order + i)] = std::abs(W(factors.at(j, i)));
  double worst = 0;
  std::vector<W> row(count), by_l(count);
  std::vector<double> sizes_of_row(count), sizes_by_l(count);
  for (std::int64_t i = 0; i < order; ++i) {
    for (std::int64_t k = 0; k < order; ++k) {
      row[static_cast<std::size_t>(k)] = W(inverse.at(k, i));
      sizes_of_row[static_cast<std::size_t>(k)] = std::abs(row[static_cast<std::size_t>(k)]);
    }
    for (std::int64_t j = 0; j < order; ++j) {
      const auto at = static_cast<std::size_t>(j);
      by_l[at] = row[at];
      sizes_by_l[at] = sizes_of_row[at];
      for (std::size_t k = at + 1; k < count; ++k) {
        by_l[at] += row[k] * W(factors.at(j, static_cast<std::int64_t>(k)));
        sizes_by_l[at] += sizes_of_row[k] * sizes_of_factors[at * count + k];
      }
    }
    for (std::int64_t j = 0; j < order; ++j) {
      const auto at = static_cast<std::size_t>(j);
      W residual = i == j ? W(-1) : W(0);
      double size = 0;
      for (std::size_t k = 0; k <= at; ++k) {
        residual += by_l[k] * W(factors.at(j, static_cast<std::int64_t>(k)));
        size += sizes_by_l[k] * sizes_of_factors[at * count + k];
      }
      if (residual == W(0)) continue;
      const double error =
          std::abs(residual) / (static_cast<double>(order) * size *
                                static_cast<double>(std::numeric_limits<Real<T>>::epsilon()));
      if (!(error <= worst)) worst = error;
    }
  }
  return worst;
}

constexpr std::int64_t part = 64;  ///< as many lines as are inverted at once
// Rounded, since products with powers of two have no rounding errors.
constexpr double steepness = 0.9;

/// L has 1 and -0.9, -0.9 .. in each part on its diagonal, and the last column of U's parts grows
/// so that those of L U are of numbers up to 1 and well conditioned (J. H. Wilkinson, Error
/// analysis of direct methods of matrix inversion, J. ACM 8, 1961).
template <typename T>
void fill_with_steep_l(Columns<T>& factors) {
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < n; ++i) {
      const bool is_last = (j + 1) % part == 0 || j + 1 == n;
      double value = i == j ? 1 : 0;
      if (i / part == j / part && i > j) value = -steepness;
      if (i / part == j / part && i <= j && is_last)
        value = std::pow(1 + steepness, static_cast<double>(i % part));
      factors.at(j, i) = T(static_cast<Real<T>>(value));
    }
}

/// L is 1. The last part of U is as steep, and what is above it is so that the inverse there has
/// small integers.
template <typename T>
void fill_with_steep_u(Columns<T>& factors) {
  constexpr std::int64_t first = 448, end = 512;
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < n; ++i) factors.at(j, i) = T(Real<T>(i == j ? 1 : 0));
  for (std::int64_t j = first; j < end; ++j)
    for (std::int64_t i = 0; i < j; ++i) {
      double value = i < first ? static_cast<double>((i * 7 + j) % 5 - 2) : -steepness;
      for (std::int64_t k = first; k < j && i < first; ++k)
        value -= steepness * static_cast<double>((i * 7 + k) % 5 - 2);
      factors.at(j, i) = T(static_cast<Real<T>>(value));
    }
}

class SteepInverses : public testing::TestWithParam<bool> {};

INSTANTIATE_TEST_SUITE_P(Factors, SteepInverses, testing::Bool(),
                         [](const auto& of_u) { return of_u.param ? "U" : "L"; });

// A last line of small numbers makes a condition number as large, but costs no digits.
TEST(SmallPivots, AreLeftToTheDevice) {
  Engine engine(with_checks(CheckMode::always));
  for_types_of_device(engine, [&](auto zero) {
    using T = decltype(zero);
    SCOPED_TRACE(letter(precision_of<T>));
    General<T> matrix(n, n, 3, 1);
    run_on_cpu(engine, matrix.problem());
    T& last = matrix.factors.at(n - 1, n - 1);
    last *= static_cast<Real<T>>(sizeof(Real<T>) == 4 ? 1e-6 : 1e-12);
    const Columns<T> factors = matrix.factors;
    for (std::int64_t i = 0; i < n; ++i)
      matrix.pivots[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(i + 1);
    const LapackOutcome did = run(engine, matrix.problem(LapackRoutine::getri), MatrixHome::copied);
    EXPECT_TRUE(did.outcome.used_gpu);
    EXPECT_FALSE(did.outcome.recovered);
    EXPECT_LT(inverse_error_by_element(matrix.factors, factors), 1);
    EXPECT_EQ(engine.checks().counts().wrong, 0u);
  });
}

// The device solves for them, and corrects what small blocks lose.
TEST_P(SteepInverses, AreAsAccurateAsLapacks) {
  Engine engine(with_checks(CheckMode::always));
  for_types_of_device(engine, [&](auto zero) {
    using T = decltype(zero);
    SCOPED_TRACE(letter(precision_of<T>));
    General<T> matrix(n, n, 3, 1);
    if (GetParam())
      fill_with_steep_u(matrix.factors);
    else
      fill_with_steep_l(matrix.factors);
    for (std::int64_t i = 0; i < n; ++i)
      matrix.pivots[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(i + 1);
    const Columns<T> factors = matrix.factors;
    const LapackProblem p = matrix.problem(LapackRoutine::getri);
    const LapackOutcome did = run(engine, p, MatrixHome::copied);
    const double ours = inverse_error_by_element(matrix.factors, factors);
    matrix.factors = factors;
    run_on_cpu(engine, p);
    const double lapacks = inverse_error_by_element(matrix.factors, factors);
    EXPECT_LT(lapacks, 1);
    EXPECT_LT(ours, 1);
    EXPECT_TRUE(did.outcome.used_gpu);
    EXPECT_FALSE(did.outcome.recovered);
    EXPECT_EQ(engine.checks().counts().wrong, 0u);
  });
}

}  // namespace
}  // namespace duoblas::test
