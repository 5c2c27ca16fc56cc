// One product as a test case: made from factors, run through any front, checked whole.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <sstream>
#include <string>

#include "support/reference_gemm.hpp"
#include "support/test_matrix.hpp"

namespace duoblas::test {

/// The factors that are the same for all element types.
struct CaseFactors {
  Layout layout = Layout::row_major;
  Op op_a = Op::none, op_b = Op::none;
  std::int64_t m = 1, n = 1, k = 1;
  std::int64_t pad = 0;     ///< of every leading dimension
  std::int64_t offset = 0;  ///< elements past a 64-byte boundary, of every operand
  double alpha = 1, beta = 0;
  std::uint64_t seed = 1;
};

inline const char* letter(Op op) {
  return op == Op::none ? "n" : op == Op::transpose ? "t" : "c";
}

inline std::string text(const CaseFactors& f) {
  std::ostringstream out;
  out << (f.layout == Layout::row_major ? "row" : "column") << "-major " << letter(f.op_a)
      << letter(f.op_b) << " m=" << f.m << " n=" << f.n << " k=" << f.k << " pad=" << f.pad
      << " offset=" << f.offset << " alpha=" << f.alpha << " beta=" << f.beta;
  return out.str();
}

/// Runs ?gemm: (call, C, ldc).
template <typename T>
using Front = std::function<void(const Call<T>&, T*, std::int64_t)>;

/// Makes the operands, runs the front, and expects: the error within the bound, the guards around
/// and between the rows of A, B and C untouched, A and B unchanged. C starts as NaN where
/// beta == 0, so that reading it shows; A and B start as NaN where nothing may read them.
template <typename T>
void expect_right(const CaseFactors& f, const Front<T>& front) {
  SCOPED_TRACE(text(f));
  const bool rows = f.layout == Layout::row_major;
  const bool a_as_op = (f.op_a == Op::none) == rows;
  const bool b_as_op = (f.op_b == Op::none) == rows;
  TestMatrix<T> a(a_as_op ? f.m : f.k, a_as_op ? f.k : f.m, f.pad, f.offset);
  TestMatrix<T> b(b_as_op ? f.k : f.n, b_as_op ? f.n : f.k, f.pad, f.offset);
  TestMatrix<T> c(rows ? f.m : f.n, rows ? f.n : f.m, f.pad, f.offset);
  a.randomise(f.seed);
  b.randomise(f.seed + 1);
  c.randomise(f.seed + 2);
  if (f.alpha == 0) {
    a.fill(nan_value<T>);
    b.fill(nan_value<T>);
  }
  if (f.beta == 0) c.fill(nan_value<T>);
  const TestMatrix<T> a_before = a;
  const TestMatrix<T> b_before = b;

  Call<T> call{f.layout,
               f.op_a,
               f.op_b,
               f.m,
               f.n,
               f.k,
               T(static_cast<Real<T>>(f.alpha)),
               a.data(),
               a.ld(),
               b.data(),
               b.ld(),
               T(static_cast<Real<T>>(f.beta))};
  if constexpr (is_complex_type<T>) {  // an imaginary part, wherever the factor is a general value
    if (f.alpha != 0 && f.alpha != 1) call.alpha += T(0, Real<T>(0.3));
    if (f.beta != 0 && f.beta != 1) call.beta -= T(0, Real<T>(0.4));
  }
  const auto dense_c = [&] { return dense_op(c.data(), c.ld(), f.layout, Op::none, f.m, f.n); };
  const auto c0 = dense_c();
  front(call, c.data(), c.ld());

  EXPECT_LT(scaled_error(call, c0, dense_c()), 1.0);
  EXPECT_TRUE(c.guards_untouched()) << "written outside C";
  EXPECT_TRUE(a.guards_untouched() && b.guards_untouched()) << "written beside A or B";
  const auto same = [](const TestMatrix<T>& x, const TestMatrix<T>& y) {
    for (std::int64_t line = 0; line < x.lines(); ++line) {
      if (x.length() > 0 && std::memcmp(&x.at(line, 0), &y.at(line, 0),
                                        static_cast<std::size_t>(x.length()) * sizeof(T)) != 0) {
        return false;
      }
    }
    return true;
  };
  EXPECT_TRUE(same(a, a_before)) << "A was changed";
  EXPECT_TRUE(same(b, b_before)) << "B was changed";
}

}  // namespace duoblas::test
