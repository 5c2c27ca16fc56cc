// The check of solves: what it finds, and that it calls nothing wrong that is right.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include "check/factorisation_check.hpp"
#include "check/plain_threads.hpp"
#include "support/element_types.hpp"
#include "support/test_matrix.hpp"

namespace duoblas::test {
namespace {

constexpr std::int64_t n = 40;

std::size_t at(std::int64_t i, std::int64_t j) {
  return static_cast<std::size_t>(j * n + i);
}

template <typename T>
T conj_of(T x) {
  if constexpr (is_complex_type<T>) return std::conj(x);
  return x;
}

/// Factors, in `a`, and the inverse of what they are of, computed in double precision.
template <typename T>
struct Inverted {
  using W = std::conditional_t<is_complex_type<T>, std::complex<double>, double>;

  Inverted(LapackRoutine routine, Uplo uplo) : a(n * n), x(n * n) {
    std::mt19937_64 engine(7);
    for (T& element : a) element = random_value<T>(engine) / T(8);
    for (std::int64_t i = 0; i < n; ++i) a[at(i, i)] = 1 + std::abs(std::real(a[at(i, i)]));
    for (std::int64_t i = 0; i < n; ++i)
      pivots.push_back(static_cast<std::int32_t>(i + (i % 3 == 0 && i + 2 < n ? 3 : 1)));
    p.routine = routine;
    p.precision = precision_of<T>;
    p.uplo = uplo;
    p.n = p.lda = n;
    p.a = a.data();
    p.pivots = pivots.data();
    for (std::int64_t j = 0; j < n; ++j) invert_column(j);
  }

  bool is_lu() const { return p.routine == LapackRoutine::getrs; }
  W lower(std::int64_t i, std::int64_t j) const {
    if (is_lu() && i == j) return 1;
    return is_lu() || p.uplo == Uplo::lower ? W(a[at(i, j)]) : conj_of(W(a[at(j, i)]));
  }
  W upper(std::int64_t i, std::int64_t j) const {
    return !is_lu() && p.uplo == Uplo::lower ? conj_of(W(a[at(j, i)])) : W(a[at(i, j)]);
  }
  void invert_column(std::int64_t j) {
    std::vector<W> c(n);
    c[static_cast<std::size_t>(j)] = 1;
    const auto element = [&](std::int64_t i) -> W& { return c[static_cast<std::size_t>(i)]; };
    if (is_lu())
      for (std::int64_t i = 0; i < n; ++i)
        std::swap(element(i), element(pivots[static_cast<std::size_t>(i)] - 1));
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t k = 0; k < i; ++k) element(i) -= lower(i, k) * element(k);
      element(i) /= lower(i, i);
    }
    for (std::int64_t i = n - 1; i >= 0; --i) {
      for (std::int64_t k = i + 1; k < n; ++k) element(i) -= upper(i, k) * element(k);
      element(i) /= upper(i, i);
    }
    for (std::int64_t i = 0; i < n; ++i) x[at(i, j)] = static_cast<T>(element(i));
  }
  std::vector<T> a, x;
  std::vector<std::int32_t> pivots;
  LapackProblem p;
};

/// Right-hand sides, and in their place what an inverse makes of them.
template <typename T>
struct Solved : Inverted<T> {
  static constexpr std::int64_t sides = 5;
  using W = typename Inverted<T>::W;

  Solved(LapackRoutine routine, Uplo uplo, Op op) : Inverted<T>(routine, uplo), b(n * sides) {
    std::mt19937_64 engine(9);
    for (T& element : b) element = random_value<T>(engine);
    LapackProblem& p = this->p;
    p.op = op;
    p.right_sides = sides;
    p.b = b.data();
    p.ldb = n;
  }
  void solve() {
    const std::vector<T> before = b;
    for (std::int64_t j = 0; j < sides; ++j)
      for (std::int64_t i = 0; i < n; ++i) {
        W sum = 0;
        for (std::int64_t k = 0; k < n; ++k) {
          const W x(this->p.op == Op::none ? this->x[at(i, k)] : this->x[at(k, i)]);
          sum += (this->p.op == Op::conj_transpose ? conj_of(x) : x) * W(before[at(k, j)]);
        }
        b[at(i, j)] = static_cast<T>(sum);
      }
  }
  std::vector<T> b;
};

TEST(SolveCheck, FindsAWrongElementAndNoRightOne) {
  struct Case {
    LapackRoutine routine;
    Uplo uplo;
    Op op;
  };
  for_all_types([](auto zero) {
    using T = decltype(zero);
    for (const Case& of : {Case{LapackRoutine::getrs, Uplo::upper, Op::none},
                           {LapackRoutine::getrs, Uplo::upper, Op::transpose},
                           {LapackRoutine::getrs, Uplo::upper, Op::conj_transpose},
                           {LapackRoutine::potrs, Uplo::lower, Op::none},
                           {LapackRoutine::potrs, Uplo::upper, Op::none}}) {
      Solved<T> solved(of.routine, of.uplo, of.op);
      const std::vector<T> before = solved.b;
      FactorisationCheck check(solved.p, 3, 1, threads_of(3));
      solved.solve();
      const CheckVerdict right = check.compare();
      EXPECT_FALSE(right.wrong) << check.describe(*right.wrong);
      EXPECT_EQ(right.suspected_rows, 0);
      solved.b[at(17, 2)] += T(Real<T>(1));
      const CheckVerdict wrong = check.compare();
      ASSERT_TRUE(wrong.wrong);
      EXPECT_EQ(wrong.wrong->column, 2);
      check.restore();
      EXPECT_EQ(solved.b, before);
    }
  });
}

TEST(SolveCheck, TakesNoSolutionThatOverflowsForWrong) {
  for_all_types([](auto zero) {
    using T = decltype(zero);
    for (const Op op : {Op::none, Op::transpose, Op::conj_transpose})
      for (const bool is_singular : {false, true}) {
        Solved<T> solved(LapackRoutine::getrs, Uplo::upper, op);
        const T whole = solved.a[at(20, 20)];
        const T pivot(is_singular ? Real<T>(0) : std::numeric_limits<Real<T>>::denorm_min());
        FactorisationCheck check(solved.p, 3, 1, threads_of(3));
        std::ranges::fill(solved.b, nan_value<T>());
        solved.a[at(20, 20)] = pivot;
        EXPECT_FALSE(check.compare().wrong);
        solved.a[at(20, 20)] = whole;
        EXPECT_TRUE(check.compare().wrong);
      }
  });
}

// The last line of X is subnormal, and U's last column large.
TEST(SolveCheck, TakesNoSolutionThatUnderflowsForWrong) {
  for_all_types([](auto zero) {
    using T = decltype(zero);
    Solved<T> solved(LapackRoutine::getrs, Uplo::upper, Op::none);
    for (std::int64_t i = 0; i < n; ++i) solved.a[at(i, n - 1)] *= std::ldexp(Real<T>(1), 40);
    for (std::int64_t j = 0; j < n; ++j) solved.invert_column(j);
    constexpr int small = std::numeric_limits<Real<T>>::min_exponent + 25;
    for (T& element : solved.b) element *= std::ldexp(Real<T>(1), small);
    FactorisationCheck check(solved.p, 3, 1);
    solved.solve();
    const CheckVerdict right = check.compare();
    EXPECT_FALSE(right.wrong) << check.describe(*right.wrong);
    solved.b[at(17, 2)] += T(std::ldexp(Real<T>(1), small + 40));
    EXPECT_TRUE(check.compare().wrong);
  });
}

TEST(SolveCheck, FindsAnInfiniteElement) {
  for_all_types([](auto zero) {
    using T = decltype(zero);
    for (const Op op : {Op::none, Op::transpose, Op::conj_transpose})
      for (const std::int64_t row : {std::int64_t{0}, std::int64_t{17}, n - 1}) {
        Solved<T> solved(LapackRoutine::getrs, Uplo::upper, op);
        FactorisationCheck check(solved.p, 3, 1);
        solved.solve();
        solved.b[at(row, 2)] = T(std::numeric_limits<Real<T>>::infinity());
        EXPECT_TRUE(check.compare().wrong) << row;
      }
  });
}

}  // namespace
}  // namespace duoblas::test
