// A gemv with its reference in a wider type. Every element must be within a bound that holds for
// any order of additions.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <functional>
#include <limits>
#include <ostream>
#include <type_traits>
#include <vector>

#include <duoblas/types.hpp>

#include "problem/caller_gemv.hpp"
#include "support/test_matrix.hpp"

namespace duoblas::test {

struct GemvCase {
  Layout layout = Layout::row_major;
  Op op = Op::none;
  std::int64_t m = 1, n = 1, pad = 0, offset = 0, incx = 1, incy = 1;
  double alpha = 1, beta = 0;

  std::int64_t outputs() const { return op == Op::none ? m : n; }
  std::int64_t terms() const { return op == Op::none ? n : m; }

  friend std::ostream& operator<<(std::ostream& out, const GemvCase& c) {
    return out << (c.layout == Layout::row_major ? "row-major" : "column-major") << ", op "
               << static_cast<int>(c.op) << ", " << c.m << " x " << c.n << ", pad " << c.pad
               << ", offset " << c.offset << ", incx " << c.incx << ", incy " << c.incy
               << ", alpha " << c.alpha << ", beta " << c.beta;
  }
};

/// The elements of a vector with their distance, guards between and around them.
template <typename T>
class TestVector {
 public:
  TestVector(std::int64_t size, std::int64_t increment, std::uint64_t seed)
      : size_(size),
        step_(std::abs(increment)),
        backwards_(increment < 0),
        matrix_(std::max<std::int64_t>(size, 1), 1, step_ - 1) {
    matrix_.randomise(seed);
  }
  T* data() { return matrix_.data(); }
  T& operator[](std::int64_t i) { return matrix_.at(backwards_ ? size_ - 1 - i : i, 0); }
  bool guards_untouched() const { return matrix_.guards_untouched(); }

 private:
  std::int64_t size_, step_;
  bool backwards_;
  TestMatrix<T> matrix_;
};

template <typename T>
using GemvFront = std::function<void(const CallerGemv&)>;

/// Calls `front` and compares. y holds NaN before if beta is 0.
template <typename T>
void expect_right_gemv(const GemvCase& c, const GemvFront<T>& front) {
  SCOPED_TRACE(testing::Message() << c);
  using Wide = std::conditional_t<is_complex_type<T>, std::complex<long double>, long double>;
  const bool row_major = c.layout == Layout::row_major;
  TestMatrix<T> a(row_major ? c.m : c.n, row_major ? c.n : c.m, c.pad, c.offset);
  a.randomise(1);
  TestVector<T> x(c.terms(), c.incx, 2), y(c.outputs(), c.incy, 3);
  std::vector<T> old;
  for (std::int64_t i = 0; i < c.outputs(); ++i) {
    if (c.beta == 0) y[i] = nan_value<T>();
    old.push_back(y[i]);
  }
  front({.layout = c.layout,
         .op = c.op,
         .precision = precision_of<T>,
         .m = c.m,
         .n = c.n,
         .alpha = c.alpha,
         .a = a.data(),
         .lda = a.ld(),
         .x = x.data(),
         .incx = c.incx,
         .beta = c.beta,
         .y = y.data(),
         .incy = c.incy});
  EXPECT_TRUE(y.guards_untouched());
  const auto element = [&](std::int64_t output, std::int64_t term) {
    const std::int64_t row = c.op == Op::none ? output : term;
    const std::int64_t column = c.op == Op::none ? term : output;
    const T value = row_major ? a.at(row, column) : a.at(column, row);
    if constexpr (is_complex_type<T>) return c.op == Op::conj_transpose ? std::conj(value) : value;
    return value;
  };
  // Higham, Accuracy and Stability of Numerical Algorithms, section 3.1; twice for complex types,
  // whose products have two roundings more.
  const auto unit = static_cast<long double>(std::numeric_limits<Real<T>>::epsilon()) / 2;
  const long double relative =
      static_cast<long double>(c.terms() + 8) * unit * (is_complex_type<T> ? 4 : 1);
  for (std::int64_t i = 0; i < c.outputs(); ++i) {
    Wide sum{};
    long double magnitude = 0;
    for (std::int64_t j = 0; j < c.terms(); ++j) {
      const Wide product = Wide(element(i, j)) * Wide(x[j]);
      sum += product;
      magnitude += std::abs(product);
    }
    Wide expected = static_cast<long double>(c.alpha) * sum;
    magnitude *= std::abs(static_cast<long double>(c.alpha));
    if (c.beta != 0) {
      const Wide kept = Wide(old[static_cast<std::size_t>(i)]);
      expected += static_cast<long double>(c.beta) * kept;
      magnitude += std::abs(static_cast<long double>(c.beta)) * std::abs(kept);
    }
    const long double error = std::abs(Wide(y[i]) - expected);
    ASSERT_LE(error, relative * magnitude) << "element " << i;
  }
}

/// Calls that cover ops, layouts, edges, paddings, increments of both signs and scalars.
inline std::vector<GemvCase> covering_gemv_cases() {
  std::vector<GemvCase> cases;
  const std::int64_t sizes[][2] = {{1, 1},   {1, 7},     {9, 1},    {33, 47},
                                   {64, 64}, {130, 515}, {517, 129}};
  int turn = 0;
  for (const auto layout : {Layout::row_major, Layout::column_major})
    for (const auto op : {Op::none, Op::transpose, Op::conj_transpose})
      for (const auto& size : sizes)
        for (const double beta : {0.0, 1.0, -0.7}) {
          const std::int64_t increments[] = {1, 2, -1, -3, 1};
          cases.push_back({layout, op, size[0], size[1], turn % 3, turn % 2, increments[turn % 5],
                           increments[(turn / 2) % 5], turn % 4 == 0 ? 1.0 : -0.3, beta});
          ++turn;
        }
  return cases;
}

}  // namespace duoblas::test
