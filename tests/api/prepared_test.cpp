// Matrices that several products share: right everywhere, on the device or not.
#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <vector>

#include <duoblas/duoblas.hpp>

#include "api/context_state.hpp"
#include "conformance/forced_context.hpp"
#include "support/refused_argument.hpp"
#include "support/staged_profile.hpp"

namespace duoblas::test {
namespace {

enum class Which { a, b, both };

template <typename T>
Front<T> with_prepared(Context& context, Which which, bool on_device) {
  return [&context, which, on_device](const Call<T>& g, T* c, std::int64_t ldc) {
    const auto prepare = [&](Op op, std::int64_t rows, std::int64_t columns, const T* data,
                             std::int64_t ld) {
      if (op != Op::none) std::swap(rows, columns);
      Prepared<T> prepared = context.prepare(g.layout, rows, columns, data, ld);
      EXPECT_EQ(prepared.on_device(), on_device);
      return prepared;
    };
    const Prepared<T> a = prepare(g.op_a, g.m, g.k, g.a, g.lda);
    const Prepared<T> b = prepare(g.op_b, g.k, g.n, g.b, g.ldb);
    const Operand<T> plain_a{g.a, g.lda}, plain_b{g.b, g.ldb};
    context.gemm(g.layout, g.op_a, g.op_b, g.m, g.n, g.k, g.alpha,
                 which == Which::b ? plain_a : Operand<T>(a),
                 which == Which::a ? plain_b : Operand<T>(b), g.beta, c, ldc);
  };
}

template <typename T>
struct PreparedOf : testing::Test {};
using ElementTypes = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(PreparedOf, ElementTypes);

// Small ones are staged whole, large ones go through the pipeline, in several panels of rows or of
// columns (the GPU's half of op(A) or op(B) has 7 MiB).
TYPED_TEST(PreparedOf, MultipliesRightForAllOpsAndLayoutsOnCopies) {
  Context context(forced_settings());
  ContextEngine::of(context).facts().adopt(staged_profile(ContextEngine::of(context)));
  constexpr std::int64_t deep = 1500;
  constexpr std::int64_t longer = (std::int64_t{14} << 20) / (deep * sizeof(TypeParam)) + 77;
  struct Sizes {
    std::int64_t m, n, k;
  };
  const Sizes sizes[] = {{31, 38, 28}, {longer, 9, deep}, {9, longer, deep}};
  struct PreparedCase {
    Layout layout;
    Op op_a, op_b;
    Which which;
  };
  constexpr PreparedCase cases[] = {
      {Layout::row_major, Op::none, Op::none, Which::a},
      {Layout::row_major, Op::transpose, Op::none, Which::b},
      {Layout::row_major, Op::conj_transpose, Op::transpose, Which::both},
      {Layout::row_major, Op::none, Op::transpose, Which::b},
      {Layout::column_major, Op::none, Op::conj_transpose, Which::both},
      {Layout::column_major, Op::transpose, Op::none, Which::a},
  };
  for (const PreparedCase& prepared : cases) {
    for (const auto& [m, n, k] : sizes) {
      CaseFactors factors;
      factors.layout = prepared.layout;
      factors.op_a = prepared.op_a;
      factors.op_b = prepared.op_b;
      factors.m = m;
      factors.n = n;
      factors.k = k;
      factors.pad = 1;
      factors.alpha = 0.5;
      factors.beta = prepared.which == Which::a ? -0.7 : 0;
      expect_right<TypeParam>(factors, with_prepared<TypeParam>(context, prepared.which, true));
    }
  }
  EXPECT_EQ(Context::last_call().strategy, Strategy::hybrid);
}

TEST(Prepared, IsAnOrdinaryOperandWhereNothingIsCopied) {
  Settings settings = forced_settings();
  settings.strategy = Strategy::cpu;
  settings.split.reset();
  Context cpu_only(settings);
  settings = forced_settings();
  settings.device = "none";
  Context without_device(settings);
  Context shares(forced_settings());
  const bool copies = ContextEngine::of(shares).machine().sharing != SharingMode::host_pointer;
  CaseFactors factors;
  factors.m = factors.n = factors.k = 200;
  expect_right<float>(factors, with_prepared<float>(cpu_only, Which::both, false));
  expect_right<float>(factors, with_prepared<float>(without_device, Which::both, false));
  expect_right<float>(factors, with_prepared<float>(shares, Which::both, copies));
}

TEST(Prepared, ServesSmallerProductsAndOtherContexts) {
  Context context(forced_settings()), other(forced_settings());
  ContextEngine::of(context).facts().adopt(staged_profile(ContextEngine::of(context)));
  ContextEngine::of(other).facts().adopt(staged_profile(ContextEngine::of(other)));
  const std::vector<double> values(500 * 600, 1);
  const auto a = context.prepare(Layout::row_major, 500, 600, values.data(), 600);
  for (Context* user : {&context, &other}) {
    std::vector<double> c(300 * 200);
    user->gemm<double>(Layout::row_major, Op::transpose, Op::none, 300, 200, 400, 1, a,
                       {values.data(), 200}, 0, c.data(), 200);
    EXPECT_EQ(c, std::vector<double>(c.size(), 400));
  }
}

TEST(Prepared, OutlivesItsContext) {
  Prepared<float> a;
  const std::vector<float> values(300 * 300, 1);
  {
    Context context(forced_settings());
    ContextEngine::of(context).facts().adopt(staged_profile(ContextEngine::of(context)));
    a = context.prepare(Layout::row_major, 300, 300, values.data(), 300);
  }
  EXPECT_TRUE(a.on_device());
  Context other(forced_settings());
  std::vector<float> c(300 * 300);
  other.gemm<float>(Layout::row_major, Op::none, Op::none, 300, 300, 300, 1, a,
                    {values.data(), 300}, 0, c.data(), 300);
  EXPECT_EQ(c, std::vector<float>(c.size(), 300));
}

TEST(Prepared, NamesWhatDoesNotFit) {
  Context context(forced_settings());
  const std::vector<float> x(100, 1);
  std::vector<float> c(100);
  const auto a = context.prepare(Layout::row_major, 4, 5, x.data(), 5);
  const auto multiply = [&](Layout layout, const Operand<float>& left) {
    context.gemm<float>(layout, Op::none, Op::none, 4, 4, 6, 1, left, {x.data(), 10}, 0, c.data(),
                        10);
  };
  const auto position = [](auto&& body) { return refused_position(body); };
  EXPECT_EQ(position([&] { multiply(Layout::row_major, a); }), 8) << "k is 5";
  EXPECT_EQ(position([&] { multiply(Layout::column_major, a); }), 8);
  EXPECT_EQ(position([&] { multiply(Layout::row_major, Prepared<float>()); }), 8);
  EXPECT_EQ(position([&] { context.prepare(Layout::row_major, 4, 5, x.data(), 4); }), 5);
  EXPECT_EQ(position([&] { context.prepare<float>(Layout::row_major, 4, 5, nullptr, 5); }), 4);
  EXPECT_EQ(position([&] { context.prepare(Layout::row_major, -1, 5, x.data(), 5); }), 2);
}

TEST(CPrepared, MultipliesAndIsFreed) {
  const double a[4] = {1, 2, 3, 4}, b[4] = {5, 6, 7, 8}, expected[4] = {19, 22, 43, 50};
  duoblas_prepared* prepared = nullptr;
  ASSERT_EQ(duoblas_dprepare(DUOBLAS_ROW_MAJOR, 2, 2, a, 2, &prepared), DUOBLAS_OK);
  double c[4] = {};
  const duoblas_operand left = {nullptr, 0, prepared}, right = {b, 2, nullptr};
  ASSERT_EQ(duoblas_dgemm_prepared(DUOBLAS_ROW_MAJOR, DUOBLAS_NO_TRANS, DUOBLAS_NO_TRANS, 2, 2, 2,
                                   1, left, right, 0, c, 2),
            DUOBLAS_OK);
  EXPECT_TRUE(std::equal(c, c + 4, expected));
  float f[4] = {};
  EXPECT_EQ(duoblas_sgemm_prepared(DUOBLAS_ROW_MAJOR, DUOBLAS_NO_TRANS, DUOBLAS_NO_TRANS, 2, 2, 2,
                                   1, left, right, 0, f, 2),
            DUOBLAS_INVALID_ARGUMENT);
  EXPECT_STREQ(duoblas_last_error(), "argument 8 (a) was prepared with another element type");
  EXPECT_EQ(duoblas_prepared_on_device(nullptr), 0);
  duoblas_prepared_free(prepared);
  duoblas_prepared_free(nullptr);
  EXPECT_EQ(duoblas_dprepare(DUOBLAS_ROW_MAJOR, 2, 2, a, 2, nullptr), DUOBLAS_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace duoblas::test
