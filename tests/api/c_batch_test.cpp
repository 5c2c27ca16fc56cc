// The C functions for batches.
#include <gtest/gtest.h>

#include <complex>
#include <vector>

#include <duoblas/duoblas.h>

#include "api/c_values.hpp"
#include "support/batch_case.hpp"

namespace duoblas::test {
namespace {

template <typename T>
struct CFunctions;

#define REAL_FUNCTIONS(T, letter)                                                                  \
  template <>                                                                                      \
  struct CFunctions<T> {                                                                           \
    static duoblas_status strided(const BatchCall<T>& b) {                                         \
      const Call<T>& s = b.shape;                                                                  \
      return duoblas_##letter##gemm_strided_batched(                                               \
          c_layout(s.layout), c_op(s.op_a), c_op(s.op_b), s.m, s.n, s.k, s.alpha, s.a, s.lda,      \
          b.stride_a, s.b, s.ldb, b.stride_b, s.beta, b.c, b.ldc, b.stride_c, b.count);            \
    }                                                                                              \
    static duoblas_status pointers(const BatchCall<T>& b) {                                        \
      const Call<T>& s = b.shape;                                                                  \
      return duoblas_##letter##gemm_batched(c_layout(s.layout), c_op(s.op_a), c_op(s.op_b), s.m,   \
                                            s.n, s.k, s.alpha, b.a_places.data(), s.lda,           \
                                            b.b_places.data(), s.ldb, s.beta, b.c_places.data(),   \
                                            b.ldc, b.count);                                       \
    }                                                                                              \
    static duoblas_status grouped(const BatchCall<T>& b) {                                         \
      const Call<T>& s = b.shape;                                                                  \
      const std::vector<duoblas_op> op_a(2, c_op(s.op_a)), op_b(2, c_op(s.op_b));                  \
      const std::vector<int64_t> m(2, s.m), n(2, s.n), k(2, s.k), lda(2, s.lda), ldb(2, s.ldb),    \
          ldc(2, b.ldc), sizes = {b.count / 3, b.count - b.count / 3};                             \
      const std::vector<T> alpha(2, s.alpha), beta(2, s.beta);                                     \
      return duoblas_##letter##gemm_grouped(                                                       \
          c_layout(s.layout), op_a.data(), op_b.data(), m.data(), n.data(), k.data(),              \
          alpha.data(), b.a_places.data(), lda.data(), b.b_places.data(), ldb.data(), beta.data(), \
          b.c_places.data(), ldc.data(), 2, sizes.data());                                         \
    }                                                                                              \
  }
REAL_FUNCTIONS(float, s);
REAL_FUNCTIONS(double, d);

#define COMPLEX_FUNCTIONS(T, letter)                                                             \
  template <>                                                                                    \
  struct CFunctions<T> {                                                                         \
    static const void* const* places(const std::vector<const T*>& of) {                          \
      return reinterpret_cast<const void* const*>(of.data());                                    \
    }                                                                                            \
    static void* const* places(const std::vector<T*>& of) {                                      \
      return reinterpret_cast<void* const*>(of.data());                                          \
    }                                                                                            \
    static duoblas_status strided(const BatchCall<T>& b) {                                       \
      const Call<T>& s = b.shape;                                                                \
      return duoblas_##letter##gemm_strided_batched(                                             \
          c_layout(s.layout), c_op(s.op_a), c_op(s.op_b), s.m, s.n, s.k, &s.alpha, s.a, s.lda,   \
          b.stride_a, s.b, s.ldb, b.stride_b, &s.beta, b.c, b.ldc, b.stride_c, b.count);         \
    }                                                                                            \
    static duoblas_status pointers(const BatchCall<T>& b) {                                      \
      const Call<T>& s = b.shape;                                                                \
      return duoblas_##letter##gemm_batched(c_layout(s.layout), c_op(s.op_a), c_op(s.op_b), s.m, \
                                            s.n, s.k, &s.alpha, places(b.a_places), s.lda,       \
                                            places(b.b_places), s.ldb, &s.beta,                  \
                                            places(b.c_places), b.ldc, b.count);                 \
    }                                                                                            \
    static duoblas_status grouped(const BatchCall<T>& b) {                                       \
      const Call<T>& s = b.shape;                                                                \
      const std::vector<duoblas_op> op_a(2, c_op(s.op_a)), op_b(2, c_op(s.op_b));                \
      const std::vector<int64_t> m(2, s.m), n(2, s.n), k(2, s.k), lda(2, s.lda), ldb(2, s.ldb),  \
          ldc(2, b.ldc), sizes = {b.count / 3, b.count - b.count / 3};                           \
      const std::vector<T> alpha(2, s.alpha), beta(2, s.beta);                                   \
      return duoblas_##letter##gemm_grouped(                                                     \
          c_layout(s.layout), op_a.data(), op_b.data(), m.data(), n.data(), k.data(),            \
          alpha.data(), places(b.a_places), lda.data(), places(b.b_places), ldb.data(),          \
          beta.data(), places(b.c_places), ldc.data(), 2, sizes.data());                         \
    }                                                                                            \
  }
COMPLEX_FUNCTIONS(std::complex<float>, c);
COMPLEX_FUNCTIONS(std::complex<double>, z);

template <typename T>
struct CBatches : testing::Test {};
using ElementTypes = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(CBatches, ElementTypes);

TYPED_TEST(CBatches, AreRightInEveryForm) {
  using T = TypeParam;
  using Functions = CFunctions<T>;
  ASSERT_EQ(duoblas_set_split(7, 16), DUOBLAS_OK);
  for (const auto function : {&Functions::strided, &Functions::pointers, &Functions::grouped}) {
    BatchFactors f;
    f.one = {.layout = Layout::column_major,
             .op_a = Op::conj_transpose,
             .m = 11,
             .n = 9,
             .k = 13,
             .pad = 1,
             .alpha = 0.5,
             .beta = -0.7};
    f.count = 10;
    f.shuffled = function != &Functions::strided;
    expect_batch_right<T>(f,
                          [&](const BatchCall<T>& call) { EXPECT_EQ(function(call), DUOBLAS_OK); });
  }
  EXPECT_EQ(duoblas_clear_split(), DUOBLAS_OK);
}

TEST(CBatchErrors, NameArgumentsByTheirPositions) {
  float numbers[64] = {};
  const auto strided = [&](int64_t lda, int64_t stride_c, int64_t count) {
    return duoblas_sgemm_strided_batched(DUOBLAS_ROW_MAJOR, DUOBLAS_NO_TRANS, DUOBLAS_NO_TRANS, 2,
                                         2, 2, 1, numbers, lda, 4, numbers, 2, 4, 0, numbers, 2,
                                         stride_c, count);
  };
  EXPECT_EQ(strided(1, 4, 3), DUOBLAS_INVALID_ARGUMENT);
  EXPECT_TRUE(last_error_names("argument 9 (lda)")) << duoblas_last_error();
  EXPECT_EQ(strided(2, 3, 3), DUOBLAS_INVALID_ARGUMENT);
  EXPECT_TRUE(last_error_names("argument 17 (stride_c)")) << duoblas_last_error();
  EXPECT_EQ(strided(2, 4, -1), DUOBLAS_INVALID_ARGUMENT);
  EXPECT_TRUE(last_error_names("argument 18 (count)")) << duoblas_last_error();
  EXPECT_EQ(strided(2, 0, 0), DUOBLAS_OK);

  const float* places[] = {numbers, nullptr};
  float* results[] = {numbers, numbers + 4};
  EXPECT_EQ(duoblas_sgemm_batched(DUOBLAS_ROW_MAJOR, DUOBLAS_NO_TRANS, DUOBLAS_NO_TRANS, 2, 2, 2, 1,
                                  places, 2, places, 2, 0, results, 2, 2),
            DUOBLAS_INVALID_ARGUMENT);
  EXPECT_TRUE(last_error_names("argument 8 (a) has a null pointer, number 1"))
      << duoblas_last_error();
  EXPECT_EQ(duoblas_zgemm_batched(DUOBLAS_ROW_MAJOR, DUOBLAS_NO_TRANS, DUOBLAS_NO_TRANS, 2, 2, 2,
                                  numbers, nullptr, 2, nullptr, 2, nullptr, nullptr, 2, 2),
            DUOBLAS_INVALID_ARGUMENT);
  EXPECT_TRUE(last_error_names("argument 12 (beta)")) << duoblas_last_error();
  EXPECT_EQ(duoblas_sgemm_grouped(DUOBLAS_ROW_MAJOR, nullptr, nullptr, nullptr, nullptr, nullptr,
                                  nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                                  nullptr, 1, nullptr),
            DUOBLAS_INVALID_ARGUMENT);
  EXPECT_TRUE(last_error_names("argument 2 (op_a)")) << duoblas_last_error();
  EXPECT_EQ(duoblas_sgemm_grouped(DUOBLAS_ROW_MAJOR, nullptr, nullptr, nullptr, nullptr, nullptr,
                                  nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                                  nullptr, 0, nullptr),
            DUOBLAS_OK);
}

}  // namespace
}  // namespace duoblas::test
