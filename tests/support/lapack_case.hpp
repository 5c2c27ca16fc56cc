// Matrices to factorise, and the errors of their factors by the measures of LAPACK's own tests,
// which allow 30 (LAPACK Working Note 41).
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "lapack/lapack_call.hpp"
#include "support/element_types.hpp"
#include "support/forced_settings.hpp"
#include "support/test_matrix.hpp"

namespace duoblas::test {

inline constexpr double most_error = 30;

inline Settings forced_lapack(CheckMode check = forced_settings().check) {
  Settings settings = forced_settings();
  settings.check = check;
  return settings;
}

/// The type in which references are computed.
template <typename T>
using InDoubles = std::conditional_t<is_complex_type<T>, std::complex<double>, double>;

template <typename T>
T conj_of(T x) {
  if constexpr (is_complex_type<T>) return std::conj(x);
  return x;
}
template <typename T>
bool is_nan(T x) {
  return std::isnan(std::abs(x));
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
                  static_cast<double>(std::numeric_limits<Real<T>>::epsilon()));
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
    InDoubles<T> sum = i <= j ? InDoubles<T>(factors.at(j, i)) : InDoubles<T>(0);
    for (std::int64_t k = 0; k < std::min({i, j + 1, least}); ++k)
      sum += InDoubles<T>(factors.at(k, i)) * InDoubles<T>(factors.at(j, k));
    return sum - InDoubles<T>(a.at(j, row_of[static_cast<std::size_t>(i)]));
  };
  const double of_a = norm(rows, columns, [&](auto i, auto j) { return InDoubles<T>(a.at(j, i)); });
  return scaled<T>(norm(rows, columns, error), columns, of_a);
}

/// ||B - A X|| / (||A|| ||X|| n eps)
template <typename T>
double residual(const Columns<T>& a, const Columns<T>& x, const Columns<T>& b) {
  const std::int64_t n = a.lines(), sides = b.lines();
  const auto difference = [&](std::int64_t i, std::int64_t j) {
    InDoubles<T> sum = -InDoubles<T>(b.at(j, i));
    for (std::int64_t k = 0; k < n; ++k) sum += InDoubles<T>(a.at(k, i)) * InDoubles<T>(x.at(j, k));
    return sum;
  };
  const auto of = [](const Columns<T>& matrix) {
    return [&matrix](std::int64_t i, std::int64_t j) { return InDoubles<T>(matrix.at(j, i)); };
  };
  const double largest = norm(n, n, of(a)) * norm(n, sides, of(x));
  return scaled<T>(norm(n, sides, difference), n, largest);
}

template <typename T>
void with_right_sides(LapackProblem& p, Columns<T>& b) {
  p.right_sides = b.lines();
  p.b = b.data();
  p.ldb = b.ld();
}

/// Symmetric or Hermitian, of which one triangle is stored and the other full of NaN.
template <typename T>
struct Definite {
  Definite(std::int64_t order, Uplo of, std::int64_t pad, std::uint64_t seed)
      : n(order), uplo(of), whole(order, order), stored(order, order, pad, 3) {
    Columns<T> x(order, order);
    x.randomise(seed);
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i <= j; ++i) {
        whole.at(j, i) = (x.at(j, i) + conj_of(x.at(i, j))) / Real<T>(2) +
                         (i == j ? static_cast<T>(static_cast<Real<T>>(n)) : T(0));
        whole.at(i, j) = conj_of(whole.at(j, i));
      }
    store();
  }
  bool is_stored(std::int64_t i, std::int64_t j) const {
    return uplo == Uplo::lower ? i >= j : i <= j;
  }
  void store() {
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < n; ++i)
        stored.at(j, i) = is_stored(i, j) ? whole.at(j, i) : nan_value<T>();
    // Imaginary parts of a Hermitian diagonal are not read.
    if constexpr (is_complex_type<T>)
      for (std::int64_t i = 0; i < n; ++i)
        stored.at(i, i).imag(std::numeric_limits<Real<T>>::quiet_NaN());
  }
  bool other_triangle_is_as_it_was() const {
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < n; ++i)
        if (!is_stored(i, j) && !is_nan(stored.at(j, i))) return false;
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
  double error() const { return error_of_leading(n); }
  /// The same of the first lines and columns, where the matrix behind them is not definite.
  double error_of_leading(std::int64_t order) const {
    const auto factor = [&](std::int64_t i, std::int64_t k) {  // of L
      return InDoubles<T>(uplo == Uplo::lower ? stored.at(k, i) : conj_of(stored.at(i, k)));
    };
    const auto difference = [&](std::int64_t i, std::int64_t j) {
      InDoubles<T> sum = 0;
      for (std::int64_t k = 0; k <= std::min(i, j); ++k)
        sum += factor(i, k) * conj_of(factor(j, k));
      return sum - InDoubles<T>(whole.at(j, i));
    };
    const double of_a =
        norm(order, order, [&](auto i, auto j) { return InDoubles<T>(whole.at(j, i)); });
    return scaled<T>(norm(order, order, difference), order, of_a);
  }

  std::int64_t n;
  Uplo uplo;
  Columns<T> whole, stored;
};

/// A matrix for getrf, and its factors.
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
  std::vector<std::int32_t> pivots;  ///< and one more, which must stay unwritten
};

/// The extents of a matrix.
struct Shape {
  std::int64_t rows, columns;
};

template <typename Body>
void for_real_types(Body&& body) {
  body(float());
  body(double());
}

/// The same for the types that the device supports.
template <typename Body>
void for_types_of_device(Engine& engine, Body&& body) {
  ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
  body(float());
  body(std::complex<float>());
  if (!engine.gpu()->info().has_fp64) return;
  body(double());
  body(std::complex<double>());
}
/// The same for the most exact one of them.
template <typename Body>
void for_a_type_of_device(Engine& engine, Body&& body) {
  ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
  if (engine.gpu()->info().has_fp64)
    body(double());
  else
    body(float());
}

inline LapackOutcome run(Engine& engine, const LapackProblem& p,
                         MatrixHome home = MatrixHome::any) {
  EXPECT_TRUE(can_do(engine, p));
  return carry_out(engine, p, decide(engine, p, home));
}

}  // namespace duoblas::test
