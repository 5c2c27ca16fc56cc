// Complex products by integers: within gemm's bound element by element, or nothing of C is changed.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "gpu/device/unsuited_numbers.hpp"
#include "gpu/integers/integer_blocks.hpp"
#include "gpu/side_front.hpp"
#include "kernel_space/device_blocks.hpp"

namespace duoblas {
namespace {

__extension__ using Quad = __float128;
using Complex = std::complex<double>;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

GpuSide& side() {
  static auto* const once = new GpuSide(test::first_device(), {});
  return *once;
}

struct Matrix {
  Matrix(std::int64_t of_rows, std::int64_t of_columns)
      : columns(of_columns), values(static_cast<std::size_t>(of_rows * of_columns)) {}
  Complex& at(std::int64_t row, std::int64_t column) {
    return values[static_cast<std::size_t>(row * columns + column)];
  }
  std::int64_t columns;
  std::vector<Complex> values;
};

struct Case {
  std::int64_t m, n, k;
  Op op_a = Op::none, op_b = Op::none;
  Complex alpha = 1, beta = 0;
  int spread_of_rows = 0, spread_of_elements = 0;  ///< of exponents, +-
  bool has_zeros = false;                          ///< row 0 of op(A), column 0 of op(B)
};

class IntegerComplex : public testing::Test {
 protected:
  std::mt19937_64 engine{31};

  void draw(Matrix& x, const Case& of) {
    std::normal_distribution<double> fraction;
    std::uniform_int_distribution<int> of_row(-of.spread_of_rows, of.spread_of_rows),
        of_element(-of.spread_of_elements, of.spread_of_elements);
    for (std::int64_t i = 0; i * x.columns < static_cast<std::int64_t>(x.values.size()); ++i) {
      const int e = of_row(engine);
      const auto number = [&] { return std::ldexp(fraction(engine), e + of_element(engine)); };
      for (std::int64_t j = 0; j < x.columns; ++j) x.at(i, j) = {number(), number()};
    }
  }

  static GemmProblem problem_of(const Case& of, Matrix& a, Matrix& b, Matrix& c) {
    GemmProblem p;
    p.precision = Precision::z;
    p.op_a = of.op_a;
    p.op_b = of.op_b;
    p.m = of.m;
    p.n = of.n;
    p.k = of.k;
    p.alpha = of.alpha;
    p.beta = of.beta;
    p.a = a.values.data();
    p.lda = a.columns;
    p.b = b.values.data();
    p.ldb = b.columns;
    p.c = c.values.data();
    p.ldc = c.columns;
    return p;
  }
  static void multiply(GpuSide& on, const GemmProblem& p) {
    on.submit(p, integers_kernel(on.limits()), on.best_sharing()).wait();
  }

  /// Whether it was certified. Then every element is within the bound; else C is as it was.
  bool is_done(const Case& of, GpuSide& on = side()) {
    const bool plain_a = of.op_a == Op::none, plain_b = of.op_b == Op::none;
    Matrix a(plain_a ? of.m : of.k, plain_a ? of.k : of.m),
        b(plain_b ? of.k : of.n, plain_b ? of.n : of.k), c(of.m, of.n);
    for (Matrix* x : {&a, &b, &c}) draw(*x, of);
    const auto place_a = [&](std::int64_t i, std::int64_t h) -> Complex& {
      return plain_a ? a.at(i, h) : a.at(h, i);
    };
    const auto place_b = [&](std::int64_t h, std::int64_t j) -> Complex& {
      return plain_b ? b.at(h, j) : b.at(j, h);
    };
    for (std::int64_t h = 0; of.has_zeros && h < of.k; ++h) place_a(0, h) = place_b(h, 0) = 0;
    Matrix old = c;
    if (of.beta == 0.0)
      for (Complex& x : c.values) x = {nan, nan};
    const Matrix before = c;
    try {
      multiply(on, problem_of(of, a, b, c));
    } catch (const UnsuitedNumbers&) {
      for (std::size_t i = 0; i < c.values.size(); ++i)
        EXPECT_TRUE(c.values[i] == before.values[i] || of.beta == 0.0);
      return false;
    }
    const auto conjugated = [](Op op, const Complex& x) {
      return op == Op::conj_transpose ? std::conj(x) : x;
    };
    for (std::int64_t i = 0; i < of.m; ++i)
      for (std::int64_t j = 0; j < of.n; ++j) {
        Quad re = 0, im = 0;
        double magnitudes = 0;
        const auto add = [](Quad& to_re, Quad& to_im, Quad xr, Quad xi, const Complex& y) {
          to_re += xr * y.real() - xi * y.imag();
          to_im += xr * y.imag() + xi * y.real();
        };
        for (std::int64_t h = 0; h < of.k; ++h) {
          const Complex x = conjugated(of.op_a, place_a(i, h)),
                        y = conjugated(of.op_b, place_b(h, j));
          add(re, im, x.real(), x.imag(), y);
          magnitudes += std::abs(x) * std::abs(y);
        }
        Quad want_re = 0, want_im = 0;
        add(want_re, want_im, re, im, of.alpha);
        if (of.beta != 0.0)
          add(want_re, want_im, old.at(i, j).real(), old.at(i, j).imag(), of.beta);
        const double update = of.beta == 0.0 ? 0 : std::abs(of.beta) * std::abs(old.at(i, j));
        const double bound =
            0x1p-53 * (static_cast<double>(of.k) + 8) * (std::abs(of.alpha) * magnitudes + update) +
            1e-323;
        const Complex error(static_cast<double>(c.at(i, j).real() - want_re),
                            static_cast<double>(c.at(i, j).imag() - want_im));
        EXPECT_LE(std::abs(error), bound)
            << i << ' ' << j << " k " << of.k << ' ' << c.at(i, j) << " off by " << error;
        EXPECT_TRUE(std::abs(error) == 0 || !of.has_zeros || (i > 0 && j > 0));
      }
    return true;
  }
};

TEST_F(IntegerComplex, IsRightForAllOpsSizesAndScalars) {
  const Op ops[] = {Op::none, Op::transpose, Op::conj_transpose};
  const Complex scalars[][2] = {{1, 0}, {{-0.3, 1.7}, {0.5, -2}}, {{0, 1e-3}, 1}};
  int next = 0;
  for (const Op op_a : ops)
    for (const Op op_b : ops)
      for (const auto& [m, n, k] : {std::array{1, 1, 1}, {33, 17, 40}, {7, 35, 9}}) {
        SCOPED_TRACE(next);
        const auto& [alpha, beta] = scalars[(next + next / 3) % 3];
        EXPECT_TRUE(is_done({m, n, k, op_a, op_b, alpha, beta}));
        ++next;
      }
  for (const auto& [alpha, beta] : scalars)
    EXPECT_TRUE(is_done({5, 3, 7, Op::none, Op::conj_transpose, alpha, beta}));
}

TEST_F(IntegerComplex, IsWithinTheBoundOrLeftWhateverTheSpread) {
  for (const int by : {2, 10, 300})
    for (const int k : {1, 7, 64}) {
      EXPECT_TRUE(is_done({9, 12, k, Op::none, Op::transpose, 1, 0.5, by}) || by > 10) << by;
      is_done({9, 12, k, Op::conj_transpose, Op::none, {0, 1}, 0, 0, by});
    }
  EXPECT_FALSE(is_done({9, 12, 20, Op::none, Op::none, 1, 0, 0, 300}));
  EXPECT_TRUE(is_done({9, 12, 20, Op::none, Op::none, {1, 2}, 0, 0, 0, true}));
}

TEST_F(IntegerComplex, TakesBlocksAndPiecesWhereMemoryIsShort) {
  constexpr std::size_t bytes = 1 << 20;  // 3/8 of it are copies of A and B, of 48 x 256
  GpuSide small(test::first_device(), {}, false, bytes);
  EXPECT_TRUE(is_done({48, 48, 256, Op::none, Op::conj_transpose, {1, -1}, 1}, small));
}

TEST_F(IntegerComplex, LeavesCAsItIsWhereNumbersAreNotFinite) {
  for (int place = 0; place < 5; ++place) {
    Matrix a(3, 5), b(5, 4), c(3, 4);
    for (Matrix* x : {&a, &b, &c}) draw(*x, {});
    Case of{3, 4, 5};
    of.beta = {0, 1};
    const Complex odd(1, place % 2 == 0 ? HUGE_VAL : nan);
    if (place < 3) (place == 0 ? a : place == 1 ? b : c).at(1, 2) = odd;
    if (place == 3) of.alpha = odd;
    if (place == 4) of.beta = odd;
    const Matrix before = c;
    EXPECT_THROW(multiply(side(), problem_of(of, a, b, c)), UnsuitedNumbers) << place;
    for (std::size_t i = 0; i < c.values.size(); ++i)
      EXPECT_TRUE(c.values[i] == before.values[i] || place == 2);
  }
}

// Which is found out when they are read, after the block was certified.
TEST_F(IntegerComplex, FinishesTheBlocksBeforeOneWhoseOldValuesAreNotFinite) {
  constexpr std::int64_t m = 600, n = 2, k = 1024, odd = 590;
  const Case of{m, n, k, Op::none, Op::none, {0.5, 1}, 1};
  Matrix a(m, k), b(k, n), c(m, n);
  for (Matrix* x : {&a, &b, &c}) draw(*x, of);
  c.at(odd, 1) = {HUGE_VAL, 0};
  Matrix before = c;
  const GemmProblem p = problem_of(of, a, b, c);
  const KernelParams kernel = integers_kernel(side().limits());
  GpuJob job = side().submit(p, kernel, SharingMode::staged);
  EXPECT_THROW(job.wait(), UnsuitedNumbers);
  const std::int64_t rows = device_blocks(p, kernel, {}, side().limits())->m,
                     done = odd / rows * rows;
  ASSERT_EQ(job.unfinished().size(), 1U);
  EXPECT_EQ(job.unfinished()[0].m, m - done);
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      Complex want = before.at(i, j);
      for (std::int64_t h = 0; i < done && h < k; ++h) want += of.alpha * a.at(i, h) * b.at(h, j);
      EXPECT_TRUE(c.at(i, j) == want || std::abs(c.at(i, j) - want) < 1e-9) << i;
      EXPECT_EQ(c.at(i, j) == before.at(i, j), i >= done) << i;
    }
}

}  // namespace
}  // namespace duoblas
