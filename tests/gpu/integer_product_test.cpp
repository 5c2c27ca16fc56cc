// Products of doubles by integers, whole, on the GPU's side: within gemm's bound element by
// element, or nothing of C is changed.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "gpu/device/unsuited_numbers.hpp"
#include "gpu/integers/integer_blocks.hpp"
#include "gpu/side_front.hpp"

namespace duoblas {
namespace {

__extension__ using Quad = __float128;

GpuSide& side() {
  static auto* const once = new GpuSide(test::first_device(), {});
  return *once;
}

// How the exponents of a matrix spread: +-`by`, drawn for each row, column or element.
struct Spread {
  enum class Of { rows, columns, elements } of = Of::rows;
  int by = 0;
};

struct Case {
  std::int64_t m = 1, n = 1, k = 1;
  Op op_a = Op::none, op_b = Op::none;
  double alpha = 1, beta = 0;
  Spread spread;
  bool whole = false, cancels = false;
  bool has_zeros = false;  ///< row 0 of op(A) and column 0 of op(B)
};

class Numbers {
 public:
  Numbers(std::int64_t rows, std::int64_t columns)
      : columns_(columns), values_(static_cast<std::size_t>(rows * columns)) {}
  double& at(std::int64_t row, std::int64_t column) {
    return values_[static_cast<std::size_t>(row * columns_ + column)];
  }
  double at(std::int64_t row, std::int64_t column) const {
    return values_[static_cast<std::size_t>(row * columns_ + column)];
  }
  double* data() { return values_.data(); }
  std::int64_t columns() const { return columns_; }
  std::int64_t rows() const { return static_cast<std::int64_t>(values_.size()) / columns_; }
  friend bool operator==(const Numbers&, const Numbers&) = default;

  void draw(std::mt19937_64& engine, const Spread& spread, bool whole) {
    std::normal_distribution<double> fraction;
    std::uniform_int_distribution<int> exponent(-spread.by, spread.by);
    std::vector<int> of_row(static_cast<std::size_t>(rows())),
        of_column(static_cast<std::size_t>(columns_));
    for (int& e : of_row) e = spread.of == Spread::Of::rows ? exponent(engine) : 0;
    for (int& e : of_column) e = spread.of == Spread::Of::columns ? exponent(engine) : 0;
    for (std::int64_t i = 0; i < rows(); ++i)
      for (std::int64_t j = 0; j < columns_; ++j) {
        const int e = of_row[static_cast<std::size_t>(i)] + of_column[static_cast<std::size_t>(j)] +
                      (spread.of == Spread::Of::elements ? exponent(engine) : 0);
        const double value = fraction(engine);
        at(i, j) = std::ldexp(whole ? std::round(100 * value) : value, e);
      }
  }

 private:
  std::int64_t columns_;
  std::vector<double> values_;
};

class IntegerProduct : public testing::Test {
 protected:
  std::mt19937_64 engine{23};

  static void multiply(GpuSide& on, const Case& of, Numbers& a, Numbers& b, Numbers& c) {
    GemmProblem p;
    p.precision = Precision::d;
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
    on.submit(p, integers_kernel(on.limits()), on.best_sharing()).wait();
  }

  /// Whether it was certified. Then every element is within the bound; else C is as it was.
  bool is_done(const Case& of, GpuSide& on = side()) {
    const bool a_as_stored = of.op_a == Op::none, b_as_stored = of.op_b == Op::none;
    Numbers a(a_as_stored ? of.m : of.k, a_as_stored ? of.k : of.m),
        b(b_as_stored ? of.k : of.n, b_as_stored ? of.n : of.k), c(of.m, of.n);
    a.draw(engine, of.spread, of.whole);
    b.draw(engine, of.spread, of.whole);
    c.draw(engine, {}, of.whole);
    const auto element_a = [&](std::int64_t i, std::int64_t h) {
      return a_as_stored ? a.at(i, h) : a.at(h, i);
    };
    const auto element_b = [&](std::int64_t h, std::int64_t j) {
      return b_as_stored ? b.at(h, j) : b.at(j, h);
    };
    for (std::int64_t h = 0; of.has_zeros && h < of.k; ++h)
      (a_as_stored ? a.at(0, h) : a.at(h, 0)) = (b_as_stored ? b.at(h, 0) : b.at(0, h)) = 0;
    if (of.cancels)  // the second half of each row takes most of the first one away
      for (std::int64_t h = 0; 2 * h + 1 < of.k; ++h) {
        for (std::int64_t i = 0; i < of.m; ++i) {
          double& other = a_as_stored ? a.at(i, 2 * h + 1) : a.at(2 * h + 1, i);
          other = -element_a(i, 2 * h) * (1 + 0x1p-40 * other);
        }
        for (std::int64_t j = 0; j < of.n; ++j)
          (b_as_stored ? b.at(2 * h + 1, j) : b.at(j, 2 * h + 1)) = element_b(2 * h, j);
      }
    const Numbers old = c;
    if (of.beta == 0)
      for (std::int64_t i = 0; i < of.m; ++i)
        for (std::int64_t j = 0; j < of.n; ++j)
          c.at(i, j) = std::numeric_limits<double>::quiet_NaN();
    Numbers before = c;
    try {
      multiply(on, of, a, b, c);
    } catch (const UnsuitedNumbers&) {
      EXPECT_EQ(std::memcmp(before.data(), c.data(),
                            sizeof(double) * static_cast<std::size_t>(of.m * of.n)),
                0);
      return false;
    }
    for (std::int64_t i = 0; i < of.m; ++i)
      for (std::int64_t j = 0; j < of.n; ++j) {
        Quad sum = 0, magnitudes = 0;
        for (std::int64_t h = 0; h < of.k; ++h) {
          const Quad term = static_cast<Quad>(element_a(i, h)) * element_b(h, j);
          sum += term;
          magnitudes += term < 0 ? -term : term;
        }
        const Quad update = static_cast<Quad>(of.beta) * old.at(i, j);
        const Quad want = static_cast<Quad>(of.alpha) * sum + update;
        const Quad size =
            static_cast<Quad>(std::fabs(of.alpha)) * magnitudes + (update < 0 ? -update : update);
        const Quad bound =
            static_cast<Quad>(0x1p-53) * (static_cast<double>(of.k) + 8) * size + 5e-324;
        const Quad error = c.at(i, j) - want;
        EXPECT_LE(static_cast<double>((error < 0 ? -error : error) / bound), 1.0)
            << i << ' ' << j << " of " << of.m << 'x' << of.n << 'x' << of.k << " spread "
            << of.spread.by;
      }
    return true;
  }
};

TEST_F(IntegerProduct, IsRightForAllOpsSizesAndScalars) {
  const Op ops[] = {Op::none, Op::transpose};
  for (const Op op_a : ops)
    for (const Op op_b : ops)
      for (const auto& [m, n, k] : {std::array{1, 1, 1}, {1, 70, 5}, {33, 31, 32}, {65, 40, 100}})
        for (const auto& [alpha, beta] : {std::pair(1.0, 0.0), {-0.3, 1.0}, {1e-3, -1.7}})
          EXPECT_TRUE(is_done({m, n, k, op_a, op_b, alpha, beta, {}, false, false}));
}

TEST_F(IntegerProduct, IsRightWhateverTheSpread) {
  int done = 0, all = 0;
  for (const auto of : {Spread::Of::rows, Spread::Of::columns, Spread::Of::elements})
    for (const int by : {0, 2, 10, 50, 300})
      for (const int k : {1, 7, 64, 300}) {
        const bool is = is_done({40, 35, k, Op::none, Op::none, 1, 0.5, {of, by}, k == 7, k == 64});
        done += is;
        ++all;
        // Scales take up what all of a line have in common.
        const bool by_lines = of != Spread::Of::elements && k != 7;
        EXPECT_TRUE(is || by > (by_lines ? 10 : 2)) << by << ' ' << k;
      }
  std::printf("%d of %d products were certified\n", done, all);
}

TEST_F(IntegerProduct, IsCertifiedWhereARowAndAColumnAreZero) {
  for (const int k : {64, 256})
    EXPECT_TRUE(is_done(
        {12, 12, k, Op::none, Op::none, 1, 1, {Spread::Of::columns, 10}, false, false, true}));
}

TEST_F(IntegerProduct, IsRightForDeepSums) {
  for (const std::int64_t k : {1024, 4097, 16384}) {
    EXPECT_TRUE(is_done({5, 3, k, Op::none, Op::transpose, 1, 0, {}, false, false}));
    EXPECT_TRUE(
        is_done({3, 5, k, Op::none, Op::transpose, 1, 1, {Spread::Of::elements, 2}, false, true}));
  }
}

TEST_F(IntegerProduct, TakesBlocksWhereMemoryIsShort) {
  constexpr std::size_t bytes = 3 << 18;  // 492,000 are copies of the matrices
  GpuSide small(test::first_device(), {}, false, bytes);
  GemmProblem p;
  p.m = 150;
  p.n = 90;
  p.k = 200;
  const IntegerBlocks blocks = integer_blocks(p, small.limits());
  EXPECT_TRUE(blocks.m < p.m || blocks.n < p.n || blocks.planes < integer_moduli);
  EXPECT_LE(integer_bytes(blocks, p.k).sum(), bytes);
  EXPECT_TRUE(is_done({150, 90, 200, Op::none, Op::none, 1, 1, {}, false, false}, small));
}

// Each is certified by itself, and added to C in the device's memory.
TEST_F(IntegerProduct, TakesDeepSumsInPieces) {
  DeviceLimits limits;
  GemmProblem p;
  p.m = p.n = 3;
  p.k = (1 << 17) + 5;
  EXPECT_EQ(integer_blocks(p, limits).k, 1 << 17);
  limits.loop_turns = 53'000;
  EXPECT_EQ(integer_blocks(p, limits).k, 47'104);
  // A tile of 32 x 32 takes more at this depth, even where A and B are not copied.
  constexpr std::size_t bytes = 280 << 10;
  GpuSide small(test::first_device(), {}, false, bytes);
  p.m = p.n = 2;
  p.k = 4096;
  EXPECT_LT(integer_blocks(p, small.limits()).k, p.k);
  for (const double beta : {0.0, -0.3})
    EXPECT_TRUE(is_done({2, 2, 4096, Op::none, Op::transpose, 0.7, beta, {}, false, false}, small));
  EXPECT_TRUE(is_done(
      {2, 2, 4096, Op::transpose, Op::none, 1, 1, {Spread::Of::columns, 10}, false, false}, small));
  // A piece that is not certified ends all of them.
  EXPECT_FALSE(is_done(
      {2, 2, 4096, Op::none, Op::none, 1, 1, {Spread::Of::elements, 300}, false, false}, small));
}

TEST_F(IntegerProduct, IsRightInLaunchesOfFewModuli) {
  GemmProblem p;
  p.m = p.n = 70;
  p.k = 50;
  for (const double seconds : {5e-6, 3e-5}) {
    GpuBounds bounds;
    bounds.launch_seconds = seconds;
    GpuSide bounded(test::first_device(), {}, false, 0, bounds);
    const IntegerBlocks blocks = integer_blocks(p, bounded.limits(), seconds);
    EXPECT_EQ(blocks.m < p.m, seconds == 5e-6);
    EXPECT_EQ(blocks.planes_of_launch, seconds == 5e-6 ? 1 : 2);
    EXPECT_TRUE(is_done({70, 70, 50, Op::none, Op::none, 1, 1, {}, false, false}, bounded));
  }
}

TEST_F(IntegerProduct, LeavesCAsItIsWhereAnElementCannotBeCertified) {
  // Whatever the scale of a row: its first number leaves no bit to the second.
  const double e = 0x1p-300;
  Case of{2, 2, 2, Op::none, Op::none, 1, 1, {}, false, false};
  Numbers a(2, 2), b(2, 2), c(2, 2);
  a.at(0, 0) = b.at(1, 0) = 1;
  a.at(0, 1) = b.at(0, 0) = e / 3;
  c.at(0, 0) = 5;
  const Numbers before = c;
  EXPECT_THROW(multiply(side(), of, a, b, c), UnsuitedNumbers);
  EXPECT_EQ(c, before);
}

TEST_F(IntegerProduct, LeavesCAsItIsWhereNumbersAreNotFinite) {
  for (const double odd : {HUGE_VAL, std::nan("")})
    for (const int place : {0, 1, 2, 3}) {
      Case of{3,  4,     5,    Op::none, Op::none, place == 2 ? odd : 1.0, place == 3 ? odd : 1.0,
              {}, false, false};
      Numbers a(3, 5), b(5, 4), c(3, 4);
      a.draw(engine, {}, false);
      b.draw(engine, {}, false);
      if (place < 2) (place == 0 ? a : b).at(2, 3) = odd;
      const Numbers before = c;
      EXPECT_THROW(multiply(side(), of, a, b, c), UnsuitedNumbers);
      EXPECT_EQ(c, before);
    }
}

TEST_F(IntegerProduct, IsExactWhereRowsAndColumnsAreZeroAndForWholeNumbers) {
  Case of{6, 7, 50, Op::none, Op::none, 1, 1, {}, false, false};
  Numbers a(6, 50), b(50, 7), c(6, 7);
  a.draw(engine, {}, true);
  b.draw(engine, {}, true);
  c.draw(engine, {}, true);
  for (int h = 0; h < 50; ++h) a.at(2, h) = b.at(h, 3) = 0;
  for (int h = 0; h < 50; ++h) a.at(4, h) = std::ldexp(a.at(4, h), -900);
  Numbers want = c;
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 7; ++j)
      if (i != 4)
        for (int h = 0; h < 50; ++h) want.at(i, j) += a.at(i, h) * b.at(h, j);
  multiply(side(), of, a, b, c);
  for (int j = 0; j < 7; ++j) want.at(4, j) = c.at(4, j);
  EXPECT_EQ(c, want);
}

}  // namespace
}  // namespace duoblas
