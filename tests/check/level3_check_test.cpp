// The identity of each routine: right results pass it, wrong elements do not.
#include "check/level3_check.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "check/plain_threads.hpp"
#include "support/plain_level3.hpp"

namespace duoblas::test {
namespace {

constexpr std::int64_t leaf = 8;

std::vector<Interval> leaves(const Level3Problem& p) {
  std::vector<Interval> all;
  for (std::int64_t first = 0; first < order(p); first += leaf)
    all.push_back({first, std::min(leaf, order(p) - first)});
  return all;
}

/// Every flag, of matrices that have more lines than a block of a triangle is made whole of.
template <typename T, typename Body>
void for_all_calls(Body&& body) {
  std::uint64_t seed = 1;
  for (const Routine routine : all_routines)
    for (const Side side : {Side::left, Side::right})
      for (const Uplo uplo : {Uplo::upper, Uplo::lower})
        for (const Op op : {Op::none, Op::transpose, Op::conj_transpose})
          for (const Diag diag : {Diag::non_unit, Diag::unit}) {
            if (updates_triangle(routine) && side == Side::right) continue;
            if (!is_in_place(routine) && diag == Diag::unit) continue;
            if (!updates_triangle(routine) && !is_in_place(routine) && op != Op::none) continue;
            Level3Factors f{routine, Layout::row_major, side, uplo, op, diag};
            f.order = seed % 4 == 0 ? 139 : 21;
            f.free = 9;
            f.pad = 2;
            f.alpha = -0.7;
            f.seed = ++seed;
            f.beta = seed % 3 == 0 ? 0 : 0.6;
            if (exists<T>(f)) body(f);
          }
}

template <typename T>
struct CheckedCall {
  explicit CheckedCall(const Level3Factors& f)
      : matrices(f),
        problem(to_row_major(matrices.call(f))),
        check(problem, f.seed, 1, leaves(problem), threads_of(f.seed / 2)),
        before(matrices.c) {
    plain_level3<T>(problem);
  }

  T& at(std::int64_t i, std::int64_t j) { return static_cast<T*>(problem.c)[i * problem.ldc + j]; }

  Level3Matrices<T> matrices;
  const Level3Problem problem;
  Level3Check check;
  const TestMatrix<T> before;
};

template <typename T>
void expect_right_results_to_pass() {
  for_all_calls<T>([](const Level3Factors& f) {
    SCOPED_TRACE(text(f));
    CheckedCall<T> call(f);
    const CheckVerdict verdict = call.check.compare();
    EXPECT_FALSE(verdict.wrong);
    EXPECT_EQ(verdict.suspected_rows, 0);
  });
}

TEST(Level3Check, PassesRightResults) {
  expect_right_results_to_pass<float>();
  expect_right_results_to_pass<double>();
  expect_right_results_to_pass<std::complex<float>>();
  expect_right_results_to_pass<std::complex<double>>();
}

/// A stored element, at random.
template <typename T>
std::pair<std::int64_t, std::int64_t> some_place(const Level3Problem& p, std::mt19937_64& engine) {
  std::pair<std::int64_t, std::int64_t> at;
  do {
    at.first = static_cast<std::int64_t>(engine() % static_cast<std::uint64_t>(stored_c(p).rows));
    at.second = static_cast<std::int64_t>(engine() % static_cast<std::uint64_t>(p.n));
  } while (updates_triangle(p.routine) && !is_stored(p.uplo, at.first, at.second));
  return at;
}

template <typename T, typename Spoil>
void expect_to_be_found(Spoil&& spoil) {
  std::mt19937_64 engine(3);
  for_all_calls<T>([&](const Level3Factors& f) {
    SCOPED_TRACE(text(f));
    CheckedCall<T> call(f);
    const auto [i, j] = some_place<T>(call.problem, engine);
    spoil(call.at(i, j));
    const CheckVerdict verdict = call.check.compare();
    ASSERT_TRUE(verdict.wrong) << i << ", " << j;
    if (f.routine != Routine::trsm) {  // whose residual shows it in other lines as well
      EXPECT_EQ(verdict.wrong->row, i);
      EXPECT_EQ(verdict.wrong->column, j);
    }
    EXPECT_NE(call.check.describe(*verdict.wrong).find("element ("), std::string::npos);
    if (!needs_old_c(call.problem)) return;
    call.check.restore();
    for (std::int64_t line = 0; line < call.before.lines(); ++line)
      for (std::int64_t at = 0; at < call.before.length(); ++at)
        ASSERT_TRUE(same_bits(call.matrices.c.at(line, at), call.before.at(line, at)));
  });
}

TEST(Level3Check, FindsAnElementThatIsWrongAndPutsBackWhatCWas) {
  expect_to_be_found<float>([](float& x) { x += 0.02F; });
  expect_to_be_found<double>([](double& x) { x += 1e-9; });
  expect_to_be_found<std::complex<float>>([](auto& x) { x += std::complex<float>(0, 0.02F); });
  expect_to_be_found<std::complex<double>>([](auto& x) { x -= std::complex<double>(1e-9, 0); });
}

TEST(Level3Check, FindsAnElementThatIsNotFinite) {
  expect_to_be_found<float>([](float& x) { x = std::numeric_limits<float>::quiet_NaN(); });
  expect_to_be_found<double>([](double& x) { x = std::numeric_limits<double>::infinity(); });
}

// As a job does.
template <typename T>
void solve_by_inverses(const Level3Problem& p) {
  auto* const c = static_cast<T*>(p.c);
  const auto* const a = static_cast<const T*>(p.a);
  for (const Interval& lines : leaves(p)) {
    std::vector<double> inverse(leaf * leaf, 0);
    const auto x = [&](std::int64_t i, std::int64_t j) -> double& {
      return inverse[static_cast<std::size_t>(i * leaf + j)];
    };
    for (std::int64_t i = 0; i < lines.count; ++i)
      for (std::int64_t j = 0; j <= i; ++j) {
        double rest = i == j ? 1 : 0;
        for (std::int64_t l = j; l < i; ++l)
          rest -= static_cast<double>(a[(lines.first + i) * p.lda + lines.first + l]) * x(l, j);
        x(i, j) = rest / a[(lines.first + i) * p.lda + lines.first + i];
      }
    for (std::int64_t rhs = 0; rhs < p.n; ++rhs) {
      std::vector<T> known;
      for (std::int64_t i = lines.first; i < lines.first + lines.count; ++i) {
        T value = static_cast<T>(p.alpha.real()) * c[i * p.ldc + rhs];
        for (std::int64_t l = 0; l < lines.first; ++l)
          value -= a[i * p.lda + l] * c[l * p.ldc + rhs];
        known.push_back(value);
      }
      for (std::int64_t i = 0; i < lines.count; ++i) {
        T value(0);
        for (std::int64_t l = 0; l <= i; ++l)
          value += static_cast<T>(x(i, l)) * known[static_cast<std::size_t>(l)];
        c[(lines.first + i) * p.ldc + rhs] = value;
      }
    }
  }
}

TEST(Level3Check, AllowsForTheConditionOfBlocksThatWereInverted) {
  int over_the_bound_of_substitution = 0;
  for (std::uint64_t seed = 1; seed < 60; ++seed) {
    Level3Factors f{Routine::trsm, Layout::row_major, Side::left, Uplo::lower};
    f.order = 40;
    f.free = 12;
    f.seed = seed;
    Level3Matrices<float> matrices(f);
    std::mt19937_64 engine(seed);
    std::uniform_real_distribution<double> exponents(-3, 1);
    for (std::int64_t i = 0; i < f.order; ++i)
      for (std::int64_t j = 0; j <= i; ++j)
        matrices.a.at(i, j) =
            i == j ? static_cast<float>(std::pow(10, exponents(engine))) : matrices.a.at(i, j) * 10;
    const Level3Problem p = to_row_major(matrices.call(f));
    // A solution of ordinary size, though the inverse is large.
    for (std::int64_t i = f.order - 1; i >= 0; --i)
      for (std::int64_t j = 0; j < f.free; ++j) {
        double sum = 0;
        for (std::int64_t l = 0; l <= i; ++l)
          sum += static_cast<double>(matrices.a.at(i, l)) * matrices.c.at(l, j);
        matrices.c.at(i, j) = static_cast<float>(sum);
      }
    Level3Check check(p, seed, 1, leaves(p)), strict(p, seed, 1, {});
    solve_by_inverses<float>(p);
    EXPECT_FALSE(check.compare().wrong) << seed;
    over_the_bound_of_substitution += strict.compare().wrong.has_value();
  }
  EXPECT_GT(over_the_bound_of_substitution, 5) << "there is something to allow for";
}

TEST(Level3Check, SaysNothingOfASystemThatIsSingular) {
  Level3Factors f{Routine::trsm, Layout::row_major, Side::left, Uplo::lower};
  f.order = 40;
  f.free = 12;
  Level3Matrices<double> matrices(f);
  matrices.a.at(20, 20) = 0;
  const Level3Problem p = to_row_major(matrices.call(f));
  Level3Check check(p, 1, 1, leaves(p));
  plain_level3<double>(p);
  EXPECT_FALSE(check.compare().wrong);
}

TEST(Level3Check, SaysNothingOfOperandsThatAreNotFinite) {
  for_all_calls<double>([&](const Level3Factors& f) {
    SCOPED_TRACE(text(f));
    Level3Matrices<double> matrices(f);
    const Level3Problem p = to_row_major(matrices.call(f));
    auto* const of_a = const_cast<double*>(static_cast<const double*>(p.a));
    if (!updates_triangle(f.routine))
      of_a[(p.uplo == Uplo::lower ? 7 * p.lda + 2 : 2 * p.lda + 7)] =
          std::numeric_limits<double>::infinity();
    else
      of_a[p.lda + 2] = std::numeric_limits<double>::infinity();
    Level3Check check(p, f.seed, 1, leaves(p));
    plain_level3<double>(p);
    EXPECT_FALSE(check.compare().wrong);
  });
}

// Of what is finite where it is scaled, the sum before that may not be.
TEST(Level3Check, SaysNothingWhereSumsOverflow) {
  Level3Factors f{Routine::syrk, Layout::row_major, Side::left, Uplo::lower};
  f.order = 12;
  f.free = 20;
  f.alpha = 1e-3;
  Level3Matrices<float> matrices(f);
  for (std::int64_t i = 0; i < 12; ++i)
    for (std::int64_t l = 0; l < 20; ++l) matrices.a.at(i, l) = 1e19F;
  const Level3Problem p = to_row_major(matrices.call(f));
  Level3Check check(p, 1, 1, {});
  plain_level3<float>(p);
  EXPECT_FALSE(check.compare().wrong);
  static_cast<float*>(p.c)[4 * p.ldc + 2] = std::numeric_limits<float>::infinity();
  EXPECT_FALSE(check.compare().wrong);
}

TEST(Level3Check, CannotSayMuchWhereNothingIsMultiplied) {
  Level3Problem p;
  p.routine = Routine::trmm;
  p.m = p.n = 4;
  EXPECT_TRUE(can_check(p));
  p.alpha = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(can_check(p));
  p.alpha = 0;
  EXPECT_FALSE(can_check(p));
}

}  // namespace
}  // namespace duoblas::test
