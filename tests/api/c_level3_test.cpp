// The C functions of level 3 beside gemm: each calls its own routine with its own arguments.
#include <gtest/gtest.h>

#include <cstring>
#include <type_traits>

#include <duoblas/duoblas.h>

#include "support/level3_case.hpp"

namespace duoblas::test {
namespace {

struct CFlags {
  duoblas_layout layout;
  duoblas_side side;
  duoblas_uplo uplo;
  duoblas_op op;
  duoblas_diag diag;
};

CFlags c_flags(const CallerLevel3& call) {
  const Level3Problem& p = call.args;
  return {call.layout == Layout::row_major ? DUOBLAS_ROW_MAJOR : DUOBLAS_COLUMN_MAJOR,
          p.side == Side::left ? DUOBLAS_LEFT : DUOBLAS_RIGHT,
          p.uplo == Uplo::upper ? DUOBLAS_UPPER : DUOBLAS_LOWER,
          p.op == Op::none        ? DUOBLAS_NO_TRANS
          : p.op == Op::transpose ? DUOBLAS_TRANS
                                  : DUOBLAS_CONJ_TRANS,
          p.diag == Diag::non_unit ? DUOBLAS_NON_UNIT : DUOBLAS_UNIT};
}

// `S` turns a scalar into what the function takes: a value, or an address.
#define DUOBLAS_TEST_SYMMETRIC(X, T, S)                                                            \
  case Routine::symm:                                                                              \
    return duoblas_##X##symm(g.layout, g.side, g.uplo, p.m, p.n, S(alpha), a, p.lda, b, p.ldb,     \
                             S(beta), c, p.ldc);                                                   \
  case Routine::syrk:                                                                              \
    return duoblas_##X##syrk(g.layout, g.uplo, g.op, p.n, p.k, S(alpha), a, p.lda, S(beta), c,     \
                             p.ldc);                                                               \
  case Routine::syr2k:                                                                             \
    return duoblas_##X##syr2k(g.layout, g.uplo, g.op, p.n, p.k, S(alpha), a, p.lda, b, p.ldb,      \
                              S(beta), c, p.ldc);                                                  \
  case Routine::trmm:                                                                              \
    return duoblas_##X##trmm(g.layout, g.side, g.uplo, g.op, g.diag, p.m, p.n, S(alpha), a, p.lda, \
                             c, p.ldc);                                                            \
  case Routine::trsm:                                                                              \
    return duoblas_##X##trsm(g.layout, g.side, g.uplo, g.op, g.diag, p.m, p.n, S(alpha), a, p.lda, \
                             c, p.ldc);
#define DUOBLAS_TEST_HERMITIAN(X)                                                            \
  case Routine::hemm:                                                                        \
    return duoblas_##X##hemm(g.layout, g.side, g.uplo, p.m, p.n, &alpha, a, p.lda, b, p.ldb, \
                             &beta, c, p.ldc);                                               \
  case Routine::herk:                                                                        \
    return duoblas_##X##herk(g.layout, g.uplo, g.op, p.n, p.k, alpha.real(), a, p.lda,       \
                             beta.real(), c, p.ldc);                                         \
  case Routine::her2k:                                                                       \
    return duoblas_##X##her2k(g.layout, g.uplo, g.op, p.n, p.k, &alpha, a, p.lda, b, p.ldb,  \
                              beta.real(), c, p.ldc);
#define DUOBLAS_TEST_VALUE(x) x
#define DUOBLAS_TEST_ADDRESS(x) &x

template <typename T>
duoblas_status call_c(const CallerLevel3& call) {
  const CFlags g = c_flags(call);
  const Level3Problem& p = call.args;
  const auto* a = static_cast<const T*>(p.a);
  const auto* b = static_cast<const T*>(p.b);
  auto* c = static_cast<T*>(p.c);
  if constexpr (is_complex_type<T>) {
    const T alpha(p.alpha), beta(p.beta);
    if constexpr (std::is_same_v<T, std::complex<float>>) {
      switch (p.routine) {
        DUOBLAS_TEST_SYMMETRIC(c, T, DUOBLAS_TEST_ADDRESS)
        DUOBLAS_TEST_HERMITIAN(c)
      }
    } else {
      switch (p.routine) {
        DUOBLAS_TEST_SYMMETRIC(z, T, DUOBLAS_TEST_ADDRESS)
        DUOBLAS_TEST_HERMITIAN(z)
      }
    }
  } else {
    const T alpha = static_cast<T>(p.alpha.real()), beta = static_cast<T>(p.beta.real());
    if constexpr (std::is_same_v<T, float>) {
      switch (p.routine) {
        DUOBLAS_TEST_SYMMETRIC(s, T, DUOBLAS_TEST_VALUE)
        default: break;
      }
    } else {
      switch (p.routine) {
        DUOBLAS_TEST_SYMMETRIC(d, T, DUOBLAS_TEST_VALUE)
        default: break;
      }
    }
  }
  return DUOBLAS_INTERNAL_ERROR;
}

template <typename T>
class CLevel3 : public ::testing::Test {};
using Types = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(CLevel3, Types);

TYPED_TEST(CLevel3, GivesEveryRoutineOnBothSidesAndOnTheCpuAlone) {
  for (const bool forced : {false, true}) {
    ASSERT_EQ(forced ? duoblas_set_split(7, 16) : duoblas_clear_split(), DUOBLAS_OK);
    std::uint64_t seed = 1;
    for (const Routine routine : all_routines)
      for (const Layout layout : {Layout::row_major, Layout::column_major})
        for (const Side side : {Side::left, Side::right})
          for (const Uplo uplo : {Uplo::upper, Uplo::lower})
            for (const Op op : {Op::none, Op::transpose, Op::conj_transpose}) {
              Level3Factors f{routine, layout, side, uplo, op};
              f.diag = uplo == Uplo::upper ? Diag::unit : Diag::non_unit;
              f.order = 29;
              f.free = 18;
              f.pad = 2;
              f.alpha = 1.25;
              f.beta = -0.5;
              f.seed = ++seed;
              if (!exists<TypeParam>(f)) continue;
              expect_right<TypeParam>(f, [](const CallerLevel3& call) {
                EXPECT_EQ(call_c<TypeParam>(call), DUOBLAS_OK) << duoblas_last_error();
              });
            }
  }
  ASSERT_EQ(duoblas_clear_split(), DUOBLAS_OK);
}

TEST(CLevel3Errors, NumberAndNameTheArgumentAndWriteNothing) {
  double a[4] = {1, 2, 3, 4}, b[4] = {5, 6, 7, 8}, c[4] = {-1, -2, -3, -4};
  const double before[4] = {-1, -2, -3, -4};
  const auto expect_refused = [&](duoblas_status status, const char* words) {
    EXPECT_EQ(status, DUOBLAS_INVALID_ARGUMENT);
    EXPECT_NE(std::string(duoblas_last_error()).find(words), std::string::npos)
        << duoblas_last_error();
    EXPECT_EQ(std::memcmp(c, before, sizeof c), 0);
  };
  const auto row = DUOBLAS_ROW_MAJOR;
  const auto up = DUOBLAS_UPPER;
  const auto no = DUOBLAS_NO_TRANS;
  expect_refused(duoblas_dsymm(row, static_cast<duoblas_side>(1), up, 2, 2, 1, a, 2, b, 2, 0, c, 2),
                 "argument 2 (side)");
  expect_refused(duoblas_dsyrk(row, static_cast<duoblas_uplo>(1), no, 2, 2, 1, a, 2, 0, c, 2),
                 "argument 2 (uplo)");
  expect_refused(duoblas_dsyrk(row, up, no, 2, 2, 1, a, 2, 0, c, 1), "argument 11 (ldc)");
  expect_refused(duoblas_zherk(row, up, DUOBLAS_TRANS, 1, 1, 1, a, 1, 0, c, 1), "argument 3 (op)");
  expect_refused(
      duoblas_dtrsm(row, DUOBLAS_LEFT, up, no, static_cast<duoblas_diag>(0), 2, 2, 1, a, 2, c, 2),
      "argument 5 (diag)");
  expect_refused(duoblas_dtrmm(row, DUOBLAS_RIGHT, up, no, DUOBLAS_UNIT, 2, 2, 1, a, 2, c, 1),
                 "argument 12 (ldb)");
  expect_refused(duoblas_zsymm(row, DUOBLAS_LEFT, up, 1, 1, nullptr, a, 1, b, 1, a, c, 1),
                 "argument 6 (alpha) is a null pointer");
  expect_refused(duoblas_zsymm(row, DUOBLAS_LEFT, up, 1, 1, nullptr, a, 1, b, 1, nullptr, c, 1),
                 "argument 6 (alpha) is a null pointer");
  expect_refused(duoblas_csyrk(row, up, no, 1, 1, a, a, 1, nullptr, c, 1),
                 "argument 9 (beta) is a null pointer");
}

}  // namespace
}  // namespace duoblas::test
