// The verification that stands between a wrong kernel and a user.
#include "tuner/verify.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <type_traits>

#include <gtest/gtest.h>

#include "tuner/measured_problem.hpp"

namespace duoblas {
namespace {

template <typename T>
T element(const void* data, std::int64_t ld, Op op, std::int64_t row, std::int64_t col) {
  const T* x = static_cast<const T*>(data);
  if (op == Op::none) return x[row * ld + col];
  const T value = x[col * ld + row];
  if constexpr (std::is_floating_point_v<T>)
    return value;
  else
    return op == Op::conj_transpose ? std::conj(value) : value;
}

template <typename T>
T scalar(std::complex<double> x) {
  if constexpr (std::is_floating_point_v<T>)
    return static_cast<T>(x.real());
  else
    return T(x);
}

// Plain loops in the element type itself: a right, but rounded result.
template <typename T>
void multiply(const GemmProblem& p) {
  T* c = static_cast<T*>(p.c);
  for (std::int64_t i = 0; i < p.m; ++i)
    for (std::int64_t j = 0; j < p.n; ++j) {
      T sum{};
      for (std::int64_t l = 0; l < p.k; ++l)
        sum += element<T>(p.a, p.lda, p.op_a, i, l) * element<T>(p.b, p.ldb, p.op_b, l, j);
      T& out = c[i * p.ldc + j];
      out = scalar<T>(p.alpha) * sum + (p.overwrites_c() ? T{} : scalar<T>(p.beta) * out);
    }
}

template <typename T>
class Verification : public ::testing::Test {};
using Types = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(Verification, Types);

constexpr Op all_ops[] = {Op::none, Op::transpose, Op::conj_transpose};

template <typename T>
MeasuredProblem problem(Op op_a, Op op_b, bool beta, Layout layout = Layout::row_major) {
  CallerGemm call = row_major_call(precision_of<T>, op_a, op_b, 37, 29, 41);
  call.layout = layout;
  call.args.alpha = {-0.7, is_complex(precision_of<T>) ? 0.4 : 0.0};
  if (beta) call.args.beta = {1.3, is_complex(precision_of<T>) ? -0.2 : 0.0};
  return MeasuredProblem(call, 5, 2);
}

TYPED_TEST(Verification, AcceptsARoundedResultForAllOps) {
  for (const Op op_a : all_ops)
    for (const Op op_b : all_ops)
      for (const bool beta : {false, true})
        for (const Layout layout : {Layout::row_major, Layout::column_major}) {
          MeasuredProblem measured = problem<TypeParam>(op_a, op_b, beta, layout);
          if (!beta) measured.poison_c();
          multiply<TypeParam>(measured.problem());
          EXPECT_TRUE(is_finite_c(measured.problem()));
          const double error = scaled_error(measured.problem(), measured.old_c(),
                                            rows_to_verify(measured.problem(), 18, 1));
          EXPECT_LT(error, 1.0);
          EXPECT_GE(error, 0.0);
        }
}

TYPED_TEST(Verification, SeesOneElementThatIsOffByOnePercent) {
  MeasuredProblem measured = problem<TypeParam>(Op::none, Op::transpose, true);
  multiply<TypeParam>(measured.problem());
  static_cast<TypeParam*>(measured.c())[3] += TypeParam(0.01f);
  EXPECT_GT(
      scaled_error(measured.problem(), measured.old_c(), rows_to_verify(measured.problem(), 18, 1)),
      1.0);
}

TYPED_TEST(Verification, SeesWhatWasNeverWritten) {
  MeasuredProblem measured = problem<TypeParam>(Op::none, Op::none, false);
  measured.poison_c();
  EXPECT_FALSE(is_finite_c(measured.problem()));
  EXPECT_TRUE(std::isinf(scaled_error(measured.problem(), nullptr, {0})));
}

TYPED_TEST(Verification, ComparesWithATrustedResult) {
  MeasuredProblem measured = problem<TypeParam>(Op::none, Op::none, false);
  multiply<TypeParam>(measured.problem());
  const auto* c = static_cast<const TypeParam*>(measured.c());
  std::vector<TypeParam> trusted(c, c + measured.c_bytes() / sizeof(TypeParam));
  EXPECT_EQ(scaled_difference(measured.problem(), trusted.data(), nullptr), 0.0);
  trusted[7] += TypeParam(0.01f);
  EXPECT_GT(scaled_difference(measured.problem(), trusted.data(), nullptr), 1.0);
}

TEST(RowsToVerify, AreAllWhereTheProductIsSmall) {
  GemmProblem p;
  p.m = 40;
  p.n = p.k = 30;
  EXPECT_EQ(rows_to_verify(p, 10, 1).size(), 40u);
}

TEST(RowsToVerify, HoldBothSidesOfTheCutAndBothEnds) {
  GemmProblem p;
  p.m = p.n = p.k = 2048;
  const auto rows = rows_to_verify(p, 1024, 1);
  for (const std::int64_t row : {0, 1023, 1024, 2047})
    EXPECT_NE(std::find(rows.begin(), rows.end(), row), rows.end()) << row;
  EXPECT_LE(rows.size(), 8u);
  EXPECT_EQ(rows_to_verify(p, 1024, 1), rows);
  for (const std::int64_t edge : {0, 2048})
    for (const std::int64_t row : rows_to_verify(p, edge, 2)) {
      EXPECT_GE(row, 0);
      EXPECT_LT(row, 2048);
    }
}

}  // namespace
}  // namespace duoblas
