// The C functions for many triangular solves.
#include <gtest/gtest.h>

#include <complex>
#include <vector>

#include <duoblas/duoblas.h>

#include "api/c_values.hpp"
#include "support/trsm_batch_case.hpp"

namespace duoblas::test {
namespace {

template <typename T>
struct CSolves;

// `SCALAR` passes alpha; complex arrays hold pointers to void.
#define FUNCTIONS(T, ELEMENT, LETTER, SCALAR)                                                     \
  template <>                                                                                     \
  struct CSolves<T> {                                                                             \
    static const ELEMENT* const* a_of(const TrsmBatchCall<T>& c) {                                \
      return reinterpret_cast<const ELEMENT* const*>(c.a_places.data());                          \
    }                                                                                             \
    static ELEMENT* const* b_of(const TrsmBatchCall<T>& c) {                                      \
      return reinterpret_cast<ELEMENT* const*>(const_cast<T**>(c.b_places.data()));               \
    }                                                                                             \
    static duoblas_status strided(const TrsmBatchCall<T>& c) {                                    \
      return duoblas_##LETTER##trsm_strided_batched(                                              \
          c_layout(c.layout), c_side(c.side), c_uplo(c.uplo), c_op(c.op), c_diag(c.diag), c.m,    \
          c.n, SCALAR c.alpha, c.a, c.lda, c.stride_a, c.b, c.ldb, c.stride_b, c.count);          \
    }                                                                                             \
    static duoblas_status pointers(const TrsmBatchCall<T>& c) {                                   \
      return duoblas_##LETTER##trsm_batched(c_layout(c.layout), c_side(c.side), c_uplo(c.uplo),   \
                                            c_op(c.op), c_diag(c.diag), c.m, c.n, SCALAR c.alpha, \
                                            a_of(c), c.lda, b_of(c), c.ldb, c.count);             \
    }                                                                                             \
    static duoblas_status grouped(const TrsmBatchCall<T>& c) {                                    \
      const std::vector<duoblas_side> side(2, c_side(c.side));                                    \
      const std::vector<duoblas_uplo> uplo(2, c_uplo(c.uplo));                                    \
      const std::vector<duoblas_op> op(2, c_op(c.op));                                            \
      const std::vector<duoblas_diag> diag(2, c_diag(c.diag));                                    \
      const std::vector<int64_t> m(2, c.m), n(2, c.n), lda(2, c.lda), ldb(2, c.ldb),              \
          sizes = {c.count / 3, c.count - c.count / 3};                                           \
      const std::vector<T> alpha(2, c.alpha);                                                     \
      return duoblas_##LETTER##trsm_grouped(                                                      \
          c_layout(c.layout), side.data(), uplo.data(), op.data(), diag.data(), m.data(),         \
          n.data(), alpha.data(), a_of(c), lda.data(), b_of(c), ldb.data(), 2, sizes.data());     \
    }                                                                                             \
  }
FUNCTIONS(float, float, s, );
FUNCTIONS(double, double, d, );
FUNCTIONS(std::complex<float>, void, c, &);
FUNCTIONS(std::complex<double>, void, z, &);

template <typename T>
struct CTrsmBatches : testing::Test {};
using ElementTypes = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(CTrsmBatches, ElementTypes);

TYPED_TEST(CTrsmBatches, AreRightInEveryForm) {
  using T = TypeParam;
  using Functions = CSolves<T>;
  ASSERT_EQ(duoblas_set_split(7, 16), DUOBLAS_OK);
  for (const auto function : {&Functions::strided, &Functions::pointers, &Functions::grouped}) {
    TrsmBatchFactors f;
    f.one = {.layout = Layout::column_major,
             .side = Side::right,
             .op = Op::conj_transpose,
             .order = 21,
             .free = 9,
             .pad = 1,
             .alpha = 0.5};
    f.count = 10;
    f.shuffled = function != &Functions::strided;
    expect_trsm_batch_right<T>(
        f, [&](const TrsmBatchCall<T>& call) { EXPECT_EQ(function(call), DUOBLAS_OK); });
  }
  EXPECT_EQ(duoblas_clear_split(), DUOBLAS_OK);
}

TEST(CTrsmBatchErrors, NameArgumentsByTheirPositions) {
  float a[64] = {}, b[64] = {};
  const auto strided = [&](int64_t lda, int64_t stride_a, const float* of_a, int64_t ldb,
                           int64_t stride_b, int64_t count) {
    return duoblas_strsm_strided_batched(DUOBLAS_ROW_MAJOR, DUOBLAS_LEFT, DUOBLAS_UPPER,
                                         DUOBLAS_NO_TRANS, DUOBLAS_NON_UNIT, 2, 2, 0, of_a, lda,
                                         stride_a, b, ldb, stride_b, count);
  };
  EXPECT_EQ(strided(1, 4, a, 2, 4, 3), DUOBLAS_INVALID_ARGUMENT);
  EXPECT_TRUE(last_error_names("argument 10 (lda)")) << duoblas_last_error();
  EXPECT_EQ(strided(2, -1, a, 2, 4, 3), DUOBLAS_INVALID_ARGUMENT);
  EXPECT_TRUE(last_error_names("argument 11 (stride_a)")) << duoblas_last_error();
  EXPECT_EQ(strided(2, 4, a, 1, 4, 3), DUOBLAS_INVALID_ARGUMENT);
  EXPECT_TRUE(last_error_names("argument 13 (ldb)")) << duoblas_last_error();
  EXPECT_EQ(strided(2, 4, a, 2, 3, 3), DUOBLAS_INVALID_ARGUMENT);
  EXPECT_TRUE(last_error_names("argument 14 (stride_b) lets the matrices B overlap"))
      << duoblas_last_error();
  EXPECT_EQ(strided(2, 4, a, 2, 4, -1), DUOBLAS_INVALID_ARGUMENT);
  EXPECT_TRUE(last_error_names("argument 15 (count)")) << duoblas_last_error();
  EXPECT_EQ(strided(2, 4, nullptr, 2, 4, 3), DUOBLAS_OK) << "alpha is 0: no A is read";
  EXPECT_EQ(strided(2, 0, nullptr, 2, 0, 0), DUOBLAS_OK);

  const float* places[] = {a, nullptr};
  float* results[] = {b, b + 4};
  const auto pointers = [&](duoblas_side side, const float* const* of_a, float* const* of_b,
                            int64_t count) {
    return duoblas_strsm_batched(DUOBLAS_ROW_MAJOR, side, DUOBLAS_UPPER, DUOBLAS_NO_TRANS,
                                 DUOBLAS_UNIT, 2, 2, 1, of_a, 2, of_b, 2, count);
  };
  EXPECT_EQ(pointers(DUOBLAS_LEFT, places, results, 2), DUOBLAS_INVALID_ARGUMENT);
  EXPECT_TRUE(last_error_names("argument 9 (a) has a null pointer, number 1"))
      << duoblas_last_error();
  EXPECT_EQ(pointers(DUOBLAS_LEFT, places, nullptr, 2), DUOBLAS_INVALID_ARGUMENT);
  EXPECT_TRUE(last_error_names("argument 11 (b)")) << duoblas_last_error();
  EXPECT_EQ(pointers(DUOBLAS_LEFT, places, results, -2), DUOBLAS_INVALID_ARGUMENT);
  EXPECT_TRUE(last_error_names("argument 13 (count)")) << duoblas_last_error();
  EXPECT_EQ(pointers(static_cast<duoblas_side>(7), places, results, 1), DUOBLAS_INVALID_ARGUMENT);
  EXPECT_TRUE(last_error_names("argument 2 (side)")) << duoblas_last_error();

  EXPECT_EQ(duoblas_ztrsm_batched(DUOBLAS_ROW_MAJOR, DUOBLAS_LEFT, DUOBLAS_UPPER, DUOBLAS_NO_TRANS,
                                  DUOBLAS_UNIT, 2, 2, nullptr, nullptr, 2, nullptr, 2, 2),
            DUOBLAS_INVALID_ARGUMENT);
  EXPECT_TRUE(last_error_names("argument 8 (alpha)")) << duoblas_last_error();
  const auto grouped = [&](int64_t groups, const int64_t* sizes) {
    const duoblas_side side[] = {DUOBLAS_LEFT};
    const duoblas_uplo uplo[] = {DUOBLAS_UPPER};
    const duoblas_op op[] = {DUOBLAS_NO_TRANS};
    const duoblas_diag diag[] = {DUOBLAS_UNIT};
    const int64_t m[] = {2}, n[] = {3}, ld[] = {2};
    const float alpha[] = {1};
    return duoblas_strsm_grouped(DUOBLAS_ROW_MAJOR, side, uplo, op, diag, m, n, alpha, places, ld,
                                 results, ld, groups, sizes);
  };
  const int64_t one[] = {1}, negative[] = {-1};
  EXPECT_EQ(grouped(1, one), DUOBLAS_INVALID_ARGUMENT);
  EXPECT_TRUE(last_error_names("argument 12 (ldb of group 0)")) << duoblas_last_error();
  EXPECT_EQ(grouped(1, negative), DUOBLAS_INVALID_ARGUMENT);
  EXPECT_TRUE(last_error_names("argument 14 (group_sizes of group 0)")) << duoblas_last_error();
  EXPECT_EQ(grouped(1, nullptr), DUOBLAS_INVALID_ARGUMENT);
  EXPECT_TRUE(last_error_names("argument 14 (group_sizes)")) << duoblas_last_error();
  EXPECT_EQ(grouped(-1, one), DUOBLAS_INVALID_ARGUMENT);
  EXPECT_TRUE(last_error_names("argument 13 (group_count)")) << duoblas_last_error();
  EXPECT_EQ(grouped(0, nullptr), DUOBLAS_OK);
}

}  // namespace
}  // namespace duoblas::test
