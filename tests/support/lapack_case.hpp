// Matrices to factorise, and how far factors are from them: LAPACK's own tests' measure, of which
// they take 30 for the most (LAPACK Working Note 41).
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "lapack/lapack_call.hpp"
#include "support/test_matrix.hpp"

namespace duoblas::test {

inline constexpr double most_error = 30;

/// The settings of the environment (device, kernel cache), both sides at every size.
inline Settings forced_lapack() {
  Settings settings = Settings::from_environment();
  settings.strategy = Strategy::hybrid;
  settings.split = Share{8, 16};
  settings.profile_dir.clear();
  return settings;
}

/// Column-major: lines are columns. Guards around it show writes out of place.
template <typename T>
using Columns = TestMatrix<T>;

/// The largest sum of a column's magnitudes.
template <typename Element>
double norm(std::int64_t rows, std::int64_t columns, Element&& element) {
  double largest = 0;
  for (std::int64_t j = 0; j < columns; ++j) {
    double sum = 0;
    for (std::int64_t i = 0; i < rows; ++i) sum += std::abs(element(i, j));
    largest = std::isnan(sum) ? sum : std::max(largest, sum);
  }
  return largest;
}

template <typename T>
double scaled(double error, std::int64_t extent, double of_matrix) {
  if (error == 0) return 0;
  return error / (static_cast<double>(extent) * of_matrix *
                  static_cast<double>(std::numeric_limits<T>::epsilon()));
}

/// ||A - P L U|| / (n ||A|| eps)
template <typename T>
double lu_error(const Columns<T>& a, const Columns<T>& factors,
                const std::vector<std::int32_t>& pivots) {
  const std::int64_t rows = a.length(), columns = a.lines(), least = std::min(rows, columns);
  if (least == 0) return 0;
  std::vector<std::int64_t> row_of(static_cast<std::size_t>(rows));
  for (std::size_t i = 0; i < row_of.size(); ++i) row_of[i] = static_cast<std::int64_t>(i);
  for (std::size_t i = 0; i < static_cast<std::size_t>(least); ++i)
    std::swap(row_of[i], row_of[static_cast<std::size_t>(pivots[i] - 1)]);
  const auto error = [&](std::int64_t i, std::int64_t j) {
    double sum = i <= j ? static_cast<double>(factors.at(j, i)) : 0;
    for (std::int64_t k = 0; k < std::min({i, j + 1, least}); ++k)
      sum += static_cast<double>(factors.at(k, i)) * static_cast<double>(factors.at(j, k));
    return sum - static_cast<double>(a.at(j, row_of[static_cast<std::size_t>(i)]));
  };
  const double of_a =
      norm(rows, columns, [&](auto i, auto j) { return static_cast<double>(a.at(j, i)); });
  return scaled<T>(norm(rows, columns, error), columns, of_a);
}

/// Symmetric, of which one triangle is stored and the other full of NaN.
template <typename T>
struct Definite {
  Definite(std::int64_t order, Uplo of, std::int64_t pad, std::uint64_t seed)
      : n(order), uplo(of), whole(order, order), stored(order, order, pad, 3) {
    Columns<T> x(order, order);
    x.randomise(seed);
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i <= j; ++i)
        whole.at(j, i) = whole.at(i, j) =
            (x.at(j, i) + x.at(i, j)) / 2 + (i == j ? static_cast<T>(n) : T(0));
    store();
  }
  bool is_stored(std::int64_t i, std::int64_t j) const {
    return uplo == Uplo::lower ? i >= j : i <= j;
  }
  void store() {
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < n; ++i)
        stored.at(j, i) = is_stored(i, j) ? whole.at(j, i) : nan_value<T>();
  }
  bool other_triangle_is_as_it_was() const {
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < n; ++i)
        if (!is_stored(i, j) && !std::isnan(stored.at(j, i))) return false;
    return true;
  }
  LapackProblem problem(LapackRoutine routine) {
    LapackProblem p;
    p.routine = routine;
    p.precision = precision_of<T>;
    p.uplo = uplo;
    p.n = n;
    p.a = stored.data();
    p.lda = stored.ld();
    return p;
  }
  /// ||A - L L'|| / (n ||A|| eps)
  double error() const {
    const auto factor = [&](std::int64_t i, std::int64_t k) {  // of L
      return static_cast<double>(uplo == Uplo::lower ? stored.at(k, i) : stored.at(i, k));
    };
    const auto difference = [&](std::int64_t i, std::int64_t j) {
      double sum = 0;
      for (std::int64_t k = 0; k <= std::min(i, j); ++k) sum += factor(i, k) * factor(j, k);
      return sum - static_cast<double>(whole.at(j, i));
    };
    const double of_a =
        norm(n, n, [&](auto i, auto j) { return static_cast<double>(whole.at(j, i)); });
    return scaled<T>(norm(n, n, difference), n, of_a);
  }

  std::int64_t n;
  Uplo uplo;
  Columns<T> whole, stored;
};

/// A matrix for getrf, and what was made of it.
template <typename T>
struct General {
  General(std::int64_t rows, std::int64_t columns, std::int64_t pad, std::uint64_t seed)
      : a(columns, rows, pad, 1),
        factors(a),
        pivots(static_cast<std::size_t>(std::min(rows, columns)) + 1, -77) {
    a.randomise(seed);
    restore();
  }
  void restore() { factors = a; }
  LapackProblem problem(LapackRoutine routine = LapackRoutine::getrf) {
    LapackProblem p;
    p.routine = routine;
    p.precision = precision_of<T>;
    p.m = factors.length();
    p.n = factors.lines();
    p.a = factors.data();
    p.lda = factors.ld();
    p.pivots = pivots.data();
    return p;
  }
  double error() const { return lu_error(a, factors, pivots); }

  Columns<T> a, factors;
  std::vector<std::int32_t> pivots;  ///< and one more, which nobody writes
};

inline LapackOutcome run(Engine& engine, const LapackProblem& p,
                         MatrixHome home = MatrixHome::any) {
  EXPECT_TRUE(can_do(engine, p));
  return carry_out(engine, p, decide(engine, p, home));
}

}  // namespace duoblas::test
