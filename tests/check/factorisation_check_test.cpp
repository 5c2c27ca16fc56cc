// The check of a factorisation: what it finds, and that it calls nothing wrong that is right.
#include "check/factorisation_check.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include "check/plain_threads.hpp"

namespace duoblas::test {
namespace {

template <typename T>
constexpr bool is_real = std::is_floating_point_v<T>;
template <typename T>
T conjugate(T x) {
  if constexpr (!is_real<T>) return std::conj(x);
  return x;
}
/// Column-major, with factors by the textbook.
template <typename T>
struct Factorised {
  Factorised(LapackRoutine routine, std::int64_t m, std::int64_t n, Uplo uplo, std::uint64_t seed,
             double scale = 1)
      : pivots(static_cast<std::size_t>(std::min(m, n))) {
    p.routine = routine;
    p.precision = precision_of<T>;
    p.uplo = uplo;
    p.m = m;
    p.n = n;
    p.lda = m + 3;
    a.assign(static_cast<std::size_t>(p.lda * n), std::numeric_limits<Part>::quiet_NaN());
    p.a = a.data();
    p.pivots = pivots.data();
    std::mt19937_64 engine(seed);
    std::uniform_real_distribution<double> draw(-1, 1);
    const bool is_lu = routine == LapackRoutine::getrf;
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < m; ++i)
        if (is_lu || is_stored(i, j))
          at(i, j) = drawn(scale, !is_lu && i == j ? static_cast<double>(n) : 0,
                           [&] { return draw(engine); });
    before = a;
  }
  using Part = decltype(std::abs(T()));

  // Where something is added it is an element of a Hermitian diagonal, of which the imaginary part
  // is not read.
  template <typename Draw>
  static T drawn(double scale, double added, Draw&& draw) {
    const auto re = static_cast<Part>(scale * (draw() + added));
    if constexpr (is_real<T>)
      return re;
    else
      return T(re, added != 0 ? std::numeric_limits<Part>::quiet_NaN()
                              : static_cast<Part>(scale * draw()));
  }
  T& at(std::int64_t i, std::int64_t j) { return a[static_cast<std::size_t>(j * p.lda + i)]; }
  bool is_stored(std::int64_t i, std::int64_t j) const {
    return p.uplo == Uplo::lower ? i >= j : i <= j;
  }
  void factorise() {
    if (p.routine == LapackRoutine::getrf)
      lu();
    else
      cholesky();
  }
  void lu() {
    for (std::int64_t t = 0; t < std::min(p.m, p.n); ++t) {
      std::int64_t best = t;
      for (std::int64_t i = t; i < p.m; ++i)
        if (std::abs(at(i, t)) > std::abs(at(best, t))) best = i;
      pivots[static_cast<std::size_t>(t)] = static_cast<std::int32_t>(best + 1);
      for (std::int64_t j = 0; j < p.n; ++j) std::swap(at(t, j), at(best, j));
      if (at(t, t) == T(0)) continue;
      for (std::int64_t i = t + 1; i < p.m; ++i) {
        at(i, t) /= at(t, t);
        for (std::int64_t j = t + 1; j < p.n; ++j) at(i, j) -= at(i, t) * at(t, j);
      }
    }
  }
  void cholesky() {
    // Of an upper triangle these are conjugated, which changes no step.
    const auto of = [&](std::int64_t i, std::int64_t t) -> T& {
      return p.uplo == Uplo::lower ? at(i, t) : at(t, i);
    };
    for (std::int64_t t = 0; t < p.n; ++t) {
      const Part diagonal = std::sqrt(std::real(of(t, t)));
      of(t, t) = diagonal;
      for (std::int64_t i = t + 1; i < p.n; ++i) of(i, t) /= diagonal;
      for (std::int64_t j = t + 1; j < p.n; ++j)
        for (std::int64_t i = j; i < p.n; ++i) of(i, j) -= of(i, t) * conjugate(of(j, t));
    }
  }

  LapackProblem p;
  std::vector<T> a, before;
  std::vector<std::int32_t> pivots;
};

struct Shape {
  LapackRoutine routine;
  std::int64_t m, n;
  Uplo uplo;
};
const Shape shapes[] = {{LapackRoutine::getrf, 60, 60, Uplo::upper},
                        {LapackRoutine::getrf, 31, 80, Uplo::upper},
                        {LapackRoutine::getrf, 80, 31, Uplo::upper},
                        {LapackRoutine::potrf, 70, 70, Uplo::lower},
                        {LapackRoutine::potrf, 70, 70, Uplo::upper}};

template <typename T>
void expect_right_ones_pass(double scale) {
  for (const auto& [routine, m, n, uplo] : shapes)
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      Factorised<T> one(routine, m, n, uplo, seed, scale);
      FactorisationCheck check(one.p, seed, 1, threads_of(seed));
      one.factorise();
      const CheckVerdict verdict = check.compare();
      EXPECT_FALSE(verdict.wrong) << check.describe(*verdict.wrong);
      EXPECT_EQ(verdict.suspected_rows, 0);
    }
}

TEST(FactorisationCheck, CallsNothingWrongThatIsRight) {
  expect_right_ones_pass<double>(1);
  expect_right_ones_pass<float>(1);
  expect_right_ones_pass<double>(1e-150);
  expect_right_ones_pass<float>(1e12);
  expect_right_ones_pass<std::complex<double>>(1);
  expect_right_ones_pass<std::complex<float>>(1);
  expect_right_ones_pass<std::complex<double>>(1e-150);
}

template <typename T>
void expect_wrong_ones_found() {
  for (const auto& [routine, m, n, uplo] : shapes)
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      Factorised<T> one(routine, m, n, uplo, seed);
      FactorisationCheck check(one.p, seed, 1, threads_of(seed));
      one.factorise();
      std::mt19937_64 engine(seed);
      const auto i = static_cast<std::int64_t>(engine() % static_cast<std::uint64_t>(m));
      const auto j = static_cast<std::int64_t>(engine() % static_cast<std::uint64_t>(n));
      const bool is_stored = routine == LapackRoutine::getrf || one.is_stored(i, j);
      (is_stored ? one.at(i, j) : one.at(j, i)) += seed % 2 == 0 ? 1e-6 : std::nan("");
      EXPECT_TRUE(check.compare().wrong) << i << ' ' << j << " seed " << seed;
    }
}

TEST(FactorisationCheck, FindsAWrongElementWhereverItIs) {
  expect_wrong_ones_found<double>();
  expect_wrong_ones_found<std::complex<double>>();
}

// An imaginary part of the wrong sign, as where a factor was transposed without being conjugated.
TEST(FactorisationCheck, FindsAFactorThatIsNotConjugated) {
  for (const Uplo uplo : {Uplo::lower, Uplo::upper}) {
    Factorised<std::complex<float>> one(LapackRoutine::potrf, 50, 50, uplo, 7);
    FactorisationCheck check(one.p, 3, 1, threads_of(3));
    one.factorise();
    auto& wrong = uplo == Uplo::lower ? one.at(30, 11) : one.at(11, 30);
    wrong = std::conj(wrong);
    EXPECT_TRUE(check.compare().wrong);
  }
}

TEST(FactorisationCheck, FindsAPivotThatIsNotTheRowsOwn) {
  Factorised<float> one(LapackRoutine::getrf, 50, 50, Uplo::upper, 3);
  FactorisationCheck check(one.p, 9, 1, threads_of(9));
  one.factorise();
  one.pivots[7] = one.pivots[7] == 8 ? 9 : 8;
  EXPECT_TRUE(check.compare().wrong);
}

TEST(FactorisationCheck, SaysNothingOfAMatrixThatIsNotFinite) {
  Factorised<double> one(LapackRoutine::getrf, 40, 40, Uplo::upper, 3);
  one.at(11, 12) = std::numeric_limits<double>::infinity();
  FactorisationCheck check(one.p, 9, 1, threads_of(9));
  one.factorise();
  EXPECT_FALSE(check.compare().wrong);
}

// The last column doubles in each step, beyond the largest number.
template <typename T>
void expect_overflow_passes(std::int64_t n, T scale) {
  Factorised<T> one(LapackRoutine::getrf, n, n, Uplo::lower, 7);
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < n; ++i)
      one.at(i, j) = i == j || j == n - 1 ? scale : i > j ? -scale : T(0);
  FactorisationCheck check(one.p, 1, 1);
  one.factorise();
  EXPECT_FALSE(std::isfinite(std::abs(one.at(n - 1, n - 1))));
  EXPECT_FALSE(check.compare().wrong);
}

TEST(FactorisationCheck, SaysNothingOfFactorsThatOverflow) {
  expect_overflow_passes<float>(150, 1);
  expect_overflow_passes<std::complex<float>>(150, 1);
  expect_overflow_passes<double>(560, 1e150);
}

// In double precision squares of the first number overflow.
TEST(FactorisationCheck, FindsNumbersThatAreFarTooLarge) {
  for (const double number : {1e200, std::numeric_limits<double>::infinity()})
    for (const auto& [routine, m, n, uplo] : shapes) {
      Factorised<double> one(routine, m, n, uplo, 11);
      FactorisationCheck check(one.p, 2, 1);
      one.factorise();
      one.at(std::min(m, n) - 1, std::min(m, n) - 1) = number;
      EXPECT_TRUE(check.compare().wrong) << number << ", " << m << " x " << n;
    }
}

TEST(FactorisationCheck, TakesASingularMatrixForRight) {
  Factorised<double> one(LapackRoutine::getrf, 40, 40, Uplo::upper, 5);
  for (std::int64_t i = 0; i < 40; ++i) one.at(i, 8) = 0;
  FactorisationCheck check(one.p, 9, 1);
  one.factorise();
  EXPECT_FALSE(check.compare().wrong);
}

TEST(FactorisationCheck, PutsTheMatrixBackAndNothingElse) {
  for (const auto& [routine, m, n, uplo] : shapes) {
    Factorised<float> one(routine, m, n, uplo, 4);
    const FactorisationCheck check(one.p, 1, 1);
    one.factorise();
    check.restore();
    for (std::size_t at = 0; at < one.a.size(); ++at)
      if (std::isnan(one.before[at]))
        EXPECT_TRUE(std::isnan(one.a[at])) << at;
      else
        EXPECT_EQ(one.a[at], one.before[at]) << at;
  }
}

}  // namespace
}  // namespace duoblas::test
