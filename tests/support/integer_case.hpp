// Products of doubles whose exponents spread, as doubles by integers are tried with, and whether a
// result is within gemm's bound, element by element, by quadruple precision.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include <duoblas/settings.hpp>

#include "problem/gemm_problem.hpp"

namespace duoblas::test {

#if __LDBL_MANT_DIG__ == 113
using Quad = long double;
#else
__extension__ using Quad = __float128;
#endif

/// A device as if it had no doubles.
inline Settings by_integers(Settings settings) {
  settings.fp64 = Fp64Mode::integers;
  return settings;
}

/// How the exponents of a matrix spread: +-`by`, drawn for each row, column or element.
struct Spread {
  enum class Of { rows, columns, elements } of = Of::rows;
  int by = 0;
};

/// Of double, or std::complex<double>.
template <typename T>
struct IntegerCase {
  std::int64_t m = 1, n = 1, k = 1;
  Op op_a = Op::none, op_b = Op::none;
  T alpha = 1, beta = 0;
  Spread spread = {};
  bool whole = false, cancels = false;
  bool has_zeros = false;  ///< row 0 of op(A) and column 0 of op(B)
};

template <typename T>
class IntegerMatrix {
 public:
  IntegerMatrix(std::int64_t rows, std::int64_t columns)
      : columns_(columns), values_(static_cast<std::size_t>(rows * columns)) {}
  T& at(std::int64_t row, std::int64_t column) {
    return values_[static_cast<std::size_t>(row * columns_ + column)];
  }
  T* data() { return values_.data(); }
  std::int64_t columns() const { return columns_; }
  std::int64_t rows() const { return static_cast<std::int64_t>(values_.size()) / columns_; }
  void fill(T value) { values_.assign(values_.size(), value); }
  /// Bit for bit, so that numbers that are not finite count.
  friend bool operator==(const IntegerMatrix& x, const IntegerMatrix& y) {
    return x.values_.size() == y.values_.size() &&
           std::memcmp(x.values_.data(), y.values_.data(), x.values_.size() * sizeof(T)) == 0;
  }

  void draw(std::mt19937_64& engine, const Spread& spread, bool whole) {
    std::normal_distribution<double> fraction;
    std::uniform_int_distribution<int> exponent(-spread.by, spread.by);
    std::vector<int> of_row(static_cast<std::size_t>(rows())),
        of_column(static_cast<std::size_t>(columns_));
    for (int& e : of_row) e = spread.of == Spread::Of::rows ? exponent(engine) : 0;
    for (int& e : of_column) e = spread.of == Spread::Of::columns ? exponent(engine) : 0;
    for (std::int64_t i = 0; i < rows(); ++i)
      for (std::int64_t j = 0; j < columns_; ++j) {
        const int of_lines =
            of_row[static_cast<std::size_t>(i)] + of_column[static_cast<std::size_t>(j)];
        const auto number = [&] {
          const int e = of_lines + (spread.of == Spread::Of::elements ? exponent(engine) : 0);
          const double value = fraction(engine);
          return std::ldexp(whole ? std::round(100 * value) : value, e);
        };
        at(i, j) = number();
        if constexpr (!std::is_same_v<T, double>) at(i, j).imag(number());
      }
  }

 private:
  std::int64_t columns_;
  std::vector<T> values_;
};

template <typename T>
struct IntegerOperands {
  IntegerCase<T> of;
  IntegerMatrix<T> a, b, c;

  explicit IntegerOperands(const IntegerCase<T>& given)
      : of(given),
        a(is_turned(of.op_a) ? of.k : of.m, is_turned(of.op_a) ? of.m : of.k),
        b(is_turned(of.op_b) ? of.n : of.k, is_turned(of.op_b) ? of.k : of.n),
        c(of.m, of.n) {}

  static bool is_turned(Op op) { return op != Op::none; }
  /// Elements of op(A) and op(B), but for conjugation.
  T& of_a(std::int64_t i, std::int64_t h) { return is_turned(of.op_a) ? a.at(h, i) : a.at(i, h); }
  T& of_b(std::int64_t h, std::int64_t j) { return is_turned(of.op_b) ? b.at(j, h) : b.at(h, j); }

  void draw(std::mt19937_64& engine) {
    a.draw(engine, of.spread, of.whole);
    b.draw(engine, of.spread, of.whole);
    c.draw(engine, {}, of.whole);
    for (std::int64_t h = 0; of.has_zeros && h < of.k; ++h) of_a(0, h) = of_b(h, 0) = 0;
    // The second of each two terms takes most of the first one away.
    for (std::int64_t h = 0; of.cancels && h + 1 < of.k; h += 2) {
      for (std::int64_t i = 0; i < of.m; ++i)
        of_a(i, h + 1) = -of_a(i, h) * (T(1) + 0x1p-40 * of_a(i, h + 1));
      for (std::int64_t j = 0; j < of.n; ++j) of_b(h + 1, j) = of_b(h, j);
    }
  }

  GemmProblem problem() {
    GemmProblem p;
    p.precision = std::is_same_v<T, double> ? Precision::d : Precision::z;
    p.op_a = of.op_a;
    p.op_b = of.op_b;
    p.m = of.m;
    p.n = of.n;
    p.k = of.k;
    p.alpha = of.alpha;
    p.beta = of.beta;
    p.a = a.data();
    p.lda = a.columns();
    p.b = b.data();
    p.ldb = b.columns();
    p.c = c.data();
    p.ldc = c.columns();
    return p;
  }

  /// Expects every element to be within the bound, and rows and columns of zeros to be exact.
  void expect_right(IntegerMatrix<T> old) {
    for (std::int64_t i = 0; i < of.m; ++i)
      for (std::int64_t j = 0; j < of.n; ++j) {
        Number sum, want;
        Quad magnitudes = 0;
        for (std::int64_t h = 0; h < of.k; ++h) {
          const T x = conjugated(of.op_a, of_a(i, h)), y = conjugated(of.op_b, of_b(h, j));
          sum.add(number_of(x), y);
          magnitudes += static_cast<Quad>(std::abs(x)) * std::abs(y);
        }
        want.add(sum, of.alpha);
        Quad size = magnitudes * std::abs(of.alpha);
        if (of.beta != T(0)) {
          want.add(number_of(old.at(i, j)), of.beta);
          size += static_cast<Quad>(std::abs(of.beta)) * std::abs(old.at(i, j));
        }
        const Number is = number_of(c.at(i, j));
        const std::complex<double> error(static_cast<double>(is.re - want.re),
                                         static_cast<double>(is.im - want.im));
        const auto bound = static_cast<double>(0x1p-53 * static_cast<Quad>(of.k + 8) * size);
        EXPECT_LE(std::abs(error), bound + 1e-323)
            << i << ' ' << j << " of " << of.m << 'x' << of.n << 'x' << of.k << " spread "
            << of.spread.by << ", it is " << c.at(i, j);
        EXPECT_TRUE(error == 0.0 || !of.has_zeros || (i > 0 && j > 0));
      }
  }

 private:
  struct Number {
    Quad re = 0, im = 0;
    void add(const Number& x, const std::complex<double>& y) {
      re += x.re * y.real() - x.im * y.imag();
      im += x.re * y.imag() + x.im * y.real();
    }
  };
  static Number number_of(const std::complex<double>& x) { return {x.real(), x.imag()}; }
  static T conjugated(Op op, const T& x) {
    if constexpr (std::is_same_v<T, double>)
      return x;
    else
      return op == Op::conj_transpose ? std::conj(x) : x;
  }
};

/// Whether the product was certified. Then every element is within the bound; else C is as it was.
/// `multiply` says whether it was.
template <typename T, typename Multiply>
bool is_certified(const IntegerCase<T>& of, std::mt19937_64& engine, Multiply&& multiply) {
  IntegerOperands<T> operands(of);
  operands.draw(engine);
  const IntegerMatrix<T> old = operands.c;
  if (of.beta == T(0)) operands.c.fill(T(std::numeric_limits<double>::quiet_NaN()));
  const IntegerMatrix<T> before = operands.c;
  const bool is = multiply(operands.problem());
  if (is)
    operands.expect_right(old);
  else
    EXPECT_EQ(operands.c == before, true);
  return is;
}

}  // namespace duoblas::test
