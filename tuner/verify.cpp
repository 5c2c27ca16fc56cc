#include "tuner/verify.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <random>
#include <type_traits>

#include "problem/element_types.hpp"

namespace duoblas {
namespace {

template <typename T>
struct WideOf;
template <>
struct WideOf<float> {
  using type = double;
};
template <>
struct WideOf<double> {
  using type = long double;
};
template <typename R>
struct WideOf<std::complex<R>> {
  using type = std::complex<typename WideOf<R>::type>;
};
template <typename T>
using Wide = typename WideOf<T>::type;

long double square(double x) {
  return static_cast<long double>(x) * x;
}
long double square(long double x) {
  return x * x;
}
template <typename R>
long double square(const std::complex<R>& x) {
  return square(x.real()) + square(x.imag());
}

// Multiplied by hand: operator* of std::complex checks for infinities, element by element.
template <typename R>
void add_product(R& sum, R x, R y) {
  sum += x * y;
}
template <typename R>
void add_product(std::complex<R>& sum, std::complex<R> x, std::complex<R> y) {
  sum += std::complex<R>(x.real() * y.real() - x.imag() * y.imag(),
                         x.real() * y.imag() + x.imag() * y.real());
}

template <typename W>
W scalar(std::complex<double> x) {
  if constexpr (std::is_same_v<W, double> || std::is_same_v<W, long double>)
    return static_cast<W>(x.real());
  else
    return W(x);
}

// An element of op(X), widened.
template <typename T>
Wide<T> element(const void* data, std::int64_t ld, Op op, std::int64_t row, std::int64_t col) {
  const T* x = static_cast<const T*>(data);
  if (op == Op::none) return Wide<T>(x[row * ld + col]);
  const Wide<T> value(x[col * ld + row]);
  return op == Op::conj_transpose ? conjugate(value) : value;
}

template <typename T>
std::vector<Wide<T>> reference_row(const GemmProblem& p, std::int64_t i) {
  std::vector<Wide<T>> row(static_cast<std::size_t>(p.n), Wide<T>(0));
  if (p.op_b == Op::none) {
    for (std::int64_t l = 0; l < p.k; ++l) {
      const Wide<T> a = element<T>(p.a, p.lda, p.op_a, i, l);
      for (std::int64_t j = 0; j < p.n; ++j)
        add_product(row[static_cast<std::size_t>(j)], a, element<T>(p.b, p.ldb, p.op_b, l, j));
    }
  } else {
    for (std::int64_t j = 0; j < p.n; ++j)
      for (std::int64_t l = 0; l < p.k; ++l)
        add_product(row[static_cast<std::size_t>(j)], element<T>(p.a, p.lda, p.op_a, i, l),
                    element<T>(p.b, p.ldb, p.op_b, l, j));
  }
  return row;
}

struct Squares {
  long double error = 0;
  long double a = 0;
  long double b = 0;
  long double c = 0;
};

double scaled(const GemmProblem& p, const Squares& sums) {
  const long double bound = std::sqrt(static_cast<long double>(p.k) + 2) * std::abs(p.alpha) *
                                std::sqrt(sums.a) * std::sqrt(sums.b) +
                            2 * std::abs(p.beta) * std::sqrt(sums.c);
  const long double roundoff =
      (is_double(p.precision) ? std::numeric_limits<double>::epsilon()
                              : static_cast<double>(std::numeric_limits<float>::epsilon())) /
      2.0;
  const long double types = is_complex(p.precision) ? 2 * std::sqrt(2.0L) : 1.0L;
  const long double error = std::sqrt(sums.error);
  if (!std::isfinite(error)) return std::numeric_limits<double>::infinity();
  if (error == 0) return 0;
  return static_cast<double>(error / (bound * roundoff * types));
}

template <typename T>
long double squares_b(const GemmProblem& p) {
  long double sum = 0;
  for (std::int64_t r = 0; r < stored_rows_b(p); ++r)
    for (std::int64_t c = 0; c < stored_cols_b(p); ++c)
      sum += square(element<T>(p.b, p.ldb, Op::none, r, c));
  return sum;
}

template <typename T>
double error_of_rows(const GemmProblem& p, const void* old_c,
                     const std::vector<std::int64_t>& rows) {
  const auto alpha = scalar<Wide<T>>(p.alpha);
  const auto beta = scalar<Wide<T>>(p.beta);
  Squares sums;
  if (!p.only_scales_c()) sums.b = squares_b<T>(p);
  for (const std::int64_t i : rows) {
    auto row = p.only_scales_c() ? std::vector<Wide<T>>(static_cast<std::size_t>(p.n))
                                 : reference_row<T>(p, i);
    for (std::int64_t l = 0; l < p.k; ++l) sums.a += square(element<T>(p.a, p.lda, p.op_a, i, l));
    for (std::int64_t j = 0; j < p.n; ++j) {
      Wide<T> expected(0);
      add_product(expected, alpha, row[static_cast<std::size_t>(j)]);
      if (!p.overwrites_c()) {
        const auto c0 = element<T>(old_c, p.ldc, Op::none, i, j);
        add_product(expected, beta, c0);
        sums.c += square(c0);
      }
      sums.error += square(element<T>(p.c, p.ldc, Op::none, i, j) - expected);
    }
  }
  return scaled(p, sums);
}

template <typename T>
double difference(const GemmProblem& p, const void* trusted, const void* old_c) {
  Squares sums;
  sums.b = squares_b<T>(p);
  for (std::int64_t i = 0; i < p.m; ++i) {
    for (std::int64_t l = 0; l < p.k; ++l) sums.a += square(element<T>(p.a, p.lda, p.op_a, i, l));
    for (std::int64_t j = 0; j < p.n; ++j) {
      sums.error += square(element<T>(p.c, p.ldc, Op::none, i, j) -
                           element<T>(trusted, p.ldc, Op::none, i, j));
      if (!p.overwrites_c()) sums.c += square(element<T>(old_c, p.ldc, Op::none, i, j));
    }
  }
  return scaled(p, sums);
}

// About 20 ms of reference arithmetic in double.
constexpr double all_rows_work = 2e7;
constexpr int random_rows = 4;

}  // namespace

double scaled_error(const GemmProblem& p, const void* old_c,
                    const std::vector<std::int64_t>& rows) {
  return with_element_type(
      p.precision, [&](auto zero) { return error_of_rows<decltype(zero)>(p, old_c, rows); });
}

double scaled_difference(const GemmProblem& p, const void* trusted, const void* old_c) {
  return with_element_type(
      p.precision, [&](auto zero) { return difference<decltype(zero)>(p, trusted, old_c); });
}

bool is_finite_c(const GemmProblem& p) {
  const auto finite = [&](const auto* values, std::int64_t per_element) {
    for (std::int64_t i = 0; i < p.m; ++i)
      for (std::int64_t j = 0; j < p.n * per_element; ++j)
        if (!std::isfinite(values[i * p.ldc * per_element + j])) return false;
    return true;
  };
  const std::int64_t per_element = is_complex(p.precision) ? 2 : 1;
  return is_double(p.precision) ? finite(static_cast<const double*>(p.c), per_element)
                                : finite(static_cast<const float*>(p.c), per_element);
}

std::vector<std::int64_t> rows_to_verify(const GemmProblem& p, std::int64_t boundary,
                                         unsigned seed) {
  std::vector<std::int64_t> rows;
  if (flops(p) <= 2 * all_rows_work) {
    for (std::int64_t i = 0; i < p.m; ++i) rows.push_back(i);
    return rows;
  }
  for (const std::int64_t i : {std::int64_t{0}, p.m - 1, boundary - 1, boundary})
    if (i >= 0 && i < p.m) rows.push_back(i);
  std::mt19937_64 random(seed);
  for (int i = 0; i < random_rows; ++i)
    rows.push_back(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(p.m)));
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return rows;
}

}  // namespace duoblas
