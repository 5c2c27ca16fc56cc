// ger and axpy with their references in a wider type. Every element must be within a bound that
// holds for any order of the operations.
#pragma once

#include <cmath>
#include <functional>
#include <limits>
#include <ostream>
#include <type_traits>
#include <vector>

#include "problem/axpy_problem.hpp"
#include "problem/ger_problem.hpp"
#include "support/gemv_case.hpp"

namespace duoblas::test {

template <typename T>
using WideOf = std::conditional_t<is_complex_type<T>, std::complex<long double>, long double>;

/// old + alpha x y: three factors and a sum; of complex types seven roundings of each part.
template <typename T>
void expect_right_update(T old, double alpha, T x, T y, T now) {
  using Wide = WideOf<T>;
  const Wide product = static_cast<long double>(alpha) * Wide(x) * Wide(y);
  const Wide expected = Wide(old) + product;
  const auto unit = static_cast<long double>(std::numeric_limits<Real<T>>::epsilon()) / 2;
  const long double roundings = is_complex_type<T> ? 14 : 4;
  ASSERT_LE(std::abs(Wide(now) - expected),
            roundings * unit * (std::abs(Wide(old)) + std::abs(product)));
}

struct GerCase {
  Layout layout = Layout::row_major;
  bool conjugates = false;
  std::int64_t m = 1, n = 1, pad = 0, offset = 0, incx = 1, incy = 1;
  double alpha = 1;

  friend std::ostream& operator<<(std::ostream& out, const GerCase& c) {
    return out << (c.layout == Layout::row_major ? "row-major" : "column-major")
               << (c.conjugates ? ", conjugated, " : ", ") << c.m << " x " << c.n << ", pad "
               << c.pad << ", offset " << c.offset << ", incx " << c.incx << ", incy " << c.incy
               << ", alpha " << c.alpha;
  }
};

/// Calls `front` and compares.
template <typename T>
void expect_right_ger(const GerCase& c, const std::function<void(const CallerGer&)>& front) {
  SCOPED_TRACE(testing::Message() << c);
  const bool rows = c.layout == Layout::row_major;
  TestMatrix<T> a(rows ? c.m : c.n, rows ? c.n : c.m, c.pad, c.offset);
  a.randomise(1);
  const TestMatrix<T> old = a;
  TestVector<T> x(c.m, c.incx, 2), y(c.n, c.incy, 3);
  front({.layout = c.layout,
         .conjugates = c.conjugates,
         .precision = precision_of<T>,
         .m = c.m,
         .n = c.n,
         .alpha = c.alpha,
         .x = x.data(),
         .incx = c.incx,
         .y = y.data(),
         .incy = c.incy,
         .a = a.data(),
         .lda = a.ld()});
  EXPECT_TRUE(a.guards_untouched());
  for (std::int64_t i = 0; i < c.m; ++i)
    for (std::int64_t j = 0; j < c.n; ++j) {
      const std::int64_t line = rows ? i : j, at = rows ? j : i;
      T of_y = y[j];
      if constexpr (is_complex_type<T>)
        if (c.conjugates) of_y = std::conj(of_y);
      expect_right_update<T>(old.at(line, at), c.alpha, x[i], of_y, a.at(line, at));
      if (testing::Test::HasFatalFailure()) {
        ADD_FAILURE() << "element " << i << ", " << j;
        return;
      }
    }
}

/// Calls that cover layouts, conjugation, edges, paddings and increments of both signs.
inline std::vector<GerCase> covering_ger_cases() {
  std::vector<GerCase> cases;
  const std::int64_t sizes[][2] = {{1, 1},   {1, 7},     {9, 1},    {33, 47},
                                   {64, 64}, {130, 515}, {517, 129}};
  const std::int64_t increments[] = {1, 2, -1, -3, 1};
  int turn = 0;
  for (const auto layout : {Layout::row_major, Layout::column_major})
    for (const bool conjugates : {false, true})
      for (const auto& size : sizes)
        for (int again = 0; again < 2; ++again, ++turn)
          cases.push_back({layout, conjugates, size[0], size[1], turn % 3, turn % 2,
                           increments[turn % 5], increments[(turn / 2) % 5],
                           turn % 4 == 0 ? 1.0 : -0.3});
  return cases;
}

struct AxpyCase {
  std::int64_t n = 1, incx = 1, incy = 1;
  double alpha = 1;

  friend std::ostream& operator<<(std::ostream& out, const AxpyCase& c) {
    return out << "n " << c.n << ", incx " << c.incx << ", incy " << c.incy << ", alpha "
               << c.alpha;
  }
};

/// Calls `front` and compares. \pre incy is not 0.
template <typename T>
void expect_right_axpy(const AxpyCase& c, const std::function<void(const CallerAxpy&)>& front) {
  SCOPED_TRACE(testing::Message() << c);
  // With an increment of 0 there is one element.
  TestVector<T> x(c.incx == 0 ? 1 : c.n, c.incx == 0 ? 1 : c.incx, 2), y(c.n, c.incy, 3);
  std::vector<T> old;
  for (std::int64_t i = 0; i < c.n; ++i) old.push_back(y[i]);
  front({.precision = precision_of<T>,
         .n = c.n,
         .alpha = c.alpha,
         .x = x.data(),
         .incx = c.incx,
         .y = y.data(),
         .incy = c.incy});
  EXPECT_TRUE(y.guards_untouched());
  for (std::int64_t i = 0; i < c.n; ++i) {
    expect_right_update<T>(old[static_cast<std::size_t>(i)], c.alpha, x[c.incx == 0 ? 0 : i], T(1),
                           y[i]);
    if (testing::Test::HasFatalFailure()) {
      ADD_FAILURE() << "element " << i;
      return;
    }
  }
}

/// Calls that cover sizes around vectors and groups, and increments of both signs and 0.
inline std::vector<AxpyCase> covering_axpy_cases() {
  std::vector<AxpyCase> cases;
  const std::int64_t increments[][2] = {{1, 1}, {2, 1}, {1, 3}, {-1, 1}, {1, -2}, {-2, -1}, {0, 1}};
  int turn = 0;
  for (const std::int64_t n : {1, 2, 15, 64, 517, 9001})
    for (const auto& increment : increments)
      cases.push_back({n, increment[0], increment[1], turn++ % 3 == 0 ? 1.0 : -0.3});
  return cases;
}

}  // namespace duoblas::test
