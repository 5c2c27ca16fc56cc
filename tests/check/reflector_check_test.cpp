// The check of QR: what it finds, and that it calls nothing wrong that is right.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "check/factorisation_check.hpp"
#include "check/plain_threads.hpp"
#include "problem/adjoint.hpp"
#include "support/test_matrix.hpp"

namespace duoblas::test {
namespace {

template <typename T>
T conj_of(T x) {
  if constexpr (is_complex_type<T>) return std::conj(x);
  return x;
}

/// Column-major, with reflectors by the textbook.
template <typename T>
struct Reflected {
  Reflected(LapackRoutine routine, std::int64_t rows, std::int64_t columns, std::uint64_t seed,
            double scale = 1)
      : m(rows), n(columns), a(static_cast<std::size_t>(rows * columns)), tau(a.size()) {
    std::mt19937_64 engine(seed);
    std::uniform_real_distribution<double> draw(-1, 1);
    for (T& element : a) {
      element = static_cast<T>(static_cast<Real<T>>(scale * draw(engine)));
      if constexpr (is_complex_type<T>) element.imag(static_cast<Real<T>>(scale * draw(engine)));
    }
    b = a;
    p.routine = routine;
    p.precision = precision_of<T>;
    p.op = seed % 2 == 0 ? Op::none : adjoint(p.precision);
    p.m = p.lda = m;
    p.n = n;
    p.a = a.data();
    p.tau = tau.data();
    if (routine == LapackRoutine::geqrf) return;
    factorise();
    p.reflectors = std::min(m, n);
    if (routine == LapackRoutine::orgqr) return;
    p.a = b.data();  // that is what Q is applied to
    p.b = a.data();
    p.ldb = m;
  }
  T& at(std::vector<T>& matrix, std::int64_t i, std::int64_t j) const {
    return matrix[static_cast<std::size_t>(j * m + i)];
  }
  /// Turned: with the adjoint.
  void reflect(const std::vector<T>& of, std::int64_t k, T* column, bool turned) {
    const T* const v = of.data() + k * m;
    T sum = column[k];
    for (std::int64_t i = k + 1; i < m; ++i) sum += conj_of(v[i]) * column[i];
    const T factor = tau[static_cast<std::size_t>(k)];
    sum *= turned ? conj_of(factor) : factor;
    column[k] -= sum;
    for (std::int64_t i = k + 1; i < m; ++i) column[i] -= v[i] * sum;
  }
  void factorise() {
    for (std::int64_t k = 0; k < std::min(m, n); ++k) {
      double squares = 0;
      for (std::int64_t i = k; i < m; ++i)
        squares += std::pow(static_cast<double>(std::abs(at(a, i, k))), 2);
      using W = std::conditional_t<is_complex_type<T>, std::complex<double>, double>;
      const W alpha(at(a, k, k));
      const double beta = std::real(alpha) > 0 ? -std::sqrt(squares) : std::sqrt(squares);
      tau[static_cast<std::size_t>(k)] = static_cast<T>((beta - alpha) / beta);
      for (std::int64_t i = k + 1; i < m; ++i)
        at(a, i, k) = static_cast<T>(W(at(a, i, k)) / (alpha - beta));
      at(a, k, k) = static_cast<T>(static_cast<Real<T>>(beta));
      for (std::int64_t j = k + 1; j < n; ++j) reflect(a, k, a.data() + j * m, true);
    }
  }
  /// What the routine is to do.
  void carry_out() {
    if (p.routine == LapackRoutine::geqrf) return factorise();
    const std::vector<T> reflectors = a;
    std::vector<T>& c = p.routine == LapackRoutine::orgqr ? a : b;
    const bool turned = p.routine == LapackRoutine::ormqr && p.op != Op::none;
    for (std::int64_t j = 0; j < n; ++j) {
      if (p.routine == LapackRoutine::orgqr)
        for (std::int64_t i = 0; i < m; ++i) at(c, i, j) = i == j ? 1 : 0;
      for (std::int64_t step = 0; step < p.reflectors; ++step)
        reflect(reflectors, turned ? step : p.reflectors - 1 - step, c.data() + j * m, turned);
    }
  }
  T& result(std::int64_t i, std::int64_t j) { return static_cast<T*>(p.a)[j * m + i]; }

  const std::int64_t m, n;
  std::vector<T> a, b, tau;
  LapackProblem p;
};

struct Case {
  LapackRoutine routine;
  std::int64_t m, n;
};
const Case cases[] = {{LapackRoutine::geqrf, 60, 60}, {LapackRoutine::geqrf, 31, 80},
                      {LapackRoutine::geqrf, 80, 31}, {LapackRoutine::orgqr, 60, 60},
                      {LapackRoutine::orgqr, 80, 31}, {LapackRoutine::ormqr, 60, 60},
                      {LapackRoutine::ormqr, 80, 31}};

template <typename T>
void expect_right_ones_pass(double scale) {
  for (const auto& [routine, m, n] : cases)
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      Reflected<T> one(routine, m, n, seed, scale);
      ASSERT_TRUE(can_check(one.p));
      FactorisationCheck check(one.p, seed, 1, threads_of(seed / 2));
      one.carry_out();
      const CheckVerdict verdict = check.compare();
      EXPECT_FALSE(verdict.wrong) << check.describe(*verdict.wrong);
      EXPECT_EQ(verdict.suspected_rows, 0);
    }
}

TEST(ReflectorCheck, CallsNothingWrongThatIsRight) {
  expect_right_ones_pass<double>(1);
  expect_right_ones_pass<float>(1);
  expect_right_ones_pass<double>(1e-150);
  expect_right_ones_pass<float>(1e12);
  expect_right_ones_pass<std::complex<double>>(1);
  expect_right_ones_pass<std::complex<float>>(1);
}

template <typename T>
void expect_wrong_ones_found(T error) {
  for (const auto& [routine, m, n] : cases)
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      Reflected<T> one(routine, m, n, seed);
      FactorisationCheck check(one.p, seed, 1, threads_of(seed / 2));
      one.carry_out();
      std::mt19937_64 engine(seed);
      const auto i = static_cast<std::int64_t>(engine() % static_cast<std::uint64_t>(m - 1));
      const auto j = static_cast<std::int64_t>(engine() % static_cast<std::uint64_t>(n));
      one.result(i, j) += seed % 2 == 0 ? error : T(std::nan(""));
      EXPECT_TRUE(check.compare().wrong) << i << ' ' << j << " seed " << seed;
    }
}

TEST(ReflectorCheck, FindsAWrongElementWhereverItIs) {
  expect_wrong_ones_found<double>(1e-6);
  expect_wrong_ones_found<std::complex<double>>({0, 1e-6});
}

TEST(ReflectorCheck, SaysNothingOfColumnsThatAreNotFinite) {
  for (const auto& [routine, m, n] : cases) {
    if (routine != LapackRoutine::geqrf) continue;
    Reflected<double> one(routine, m, n, 3);
    for (std::int64_t j = 0; j < n; ++j) one.at(one.a, 5, j) = std::nan("");
    FactorisationCheck check(one.p, 9, 1, threads_of(9));
    one.carry_out();
    EXPECT_FALSE(check.compare().wrong);
  }
}

// A column of geqrf's matrix, else a reflector.
TEST(ReflectorCheck, SaysNothingWhereOneColumnIsNotFinite) {
  for (const auto& [routine, m, n] : cases)
    for (const double odd : {std::nan(""), std::numeric_limits<double>::infinity()}) {
      Reflected<double> one(routine, m, n, 3);
      one.at(one.a, 25, 4) = odd;
      FactorisationCheck check(one.p, 9, 1, threads_of(9));
      one.carry_out();
      EXPECT_FALSE(check.compare().wrong);
    }
}

TEST(ReflectorCheck, SaysNothingOfAColumnOfZerosWithANaN) {
  for (const std::int64_t column : {4, 70}) {
    Reflected<double> one(LapackRoutine::geqrf, 31, 80, 3);
    for (std::int64_t i = 0; i < one.m; ++i) one.at(one.a, i, column) = i == 20 ? std::nan("") : 0;
    FactorisationCheck check(one.p, 9, 1, threads_of(9));
    one.carry_out();
    EXPECT_FALSE(check.compare().wrong);
  }
}

TEST(ReflectorCheck, LooksAtColumnsBesideThoseThatAreNotFinite) {
  Reflected<double> one(LapackRoutine::geqrf, 31, 80, 3);
  one.at(one.a, 5, 70) = std::nan("");
  FactorisationCheck check(one.p, 9, 1);
  one.carry_out();
  one.result(3, 60) += 1e-6;
  EXPECT_TRUE(check.compare().wrong);
}

TEST(ReflectorCheck, PutsTheMatrixBack) {
  for (const auto& [routine, m, n] : cases) {
    Reflected<float> one(routine, m, n, 4);
    const std::vector<float> a = one.a, b = one.b;
    const FactorisationCheck check(one.p, 1, 1);
    one.carry_out();
    check.restore();
    EXPECT_EQ(one.a, a);
    EXPECT_EQ(one.b, b);
  }
}

}  // namespace
}  // namespace duoblas::test
