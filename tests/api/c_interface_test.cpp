// The C interface: results, error numbers and names, choices, versions.
#include <gtest/gtest.h>

#include <complex>
#include <cstring>
#include <string>
#include <thread>

#include <duoblas/duoblas.h>

#include "api/c_values.hpp"
#include "support/gemm_case.hpp"

namespace duoblas::test {
namespace {

void c_gemm(const Call<float>& g, float* c, std::int64_t ldc) {
  EXPECT_EQ(duoblas_sgemm(c_layout(g.layout), c_op(g.op_a), c_op(g.op_b), g.m, g.n, g.k, g.alpha,
                          g.a, g.lda, g.b, g.ldb, g.beta, c, ldc),
            DUOBLAS_OK)
      << duoblas_last_error();
}
void c_gemm(const Call<double>& g, double* c, std::int64_t ldc) {
  EXPECT_EQ(duoblas_dgemm(c_layout(g.layout), c_op(g.op_a), c_op(g.op_b), g.m, g.n, g.k, g.alpha,
                          g.a, g.lda, g.b, g.ldb, g.beta, c, ldc),
            DUOBLAS_OK)
      << duoblas_last_error();
}
void c_gemm(const Call<std::complex<float>>& g, std::complex<float>* c, std::int64_t ldc) {
  EXPECT_EQ(duoblas_cgemm(c_layout(g.layout), c_op(g.op_a), c_op(g.op_b), g.m, g.n, g.k, &g.alpha,
                          g.a, g.lda, g.b, g.ldb, &g.beta, c, ldc),
            DUOBLAS_OK)
      << duoblas_last_error();
}
void c_gemm(const Call<std::complex<double>>& g, std::complex<double>* c, std::int64_t ldc) {
  EXPECT_EQ(duoblas_zgemm(c_layout(g.layout), c_op(g.op_a), c_op(g.op_b), g.m, g.n, g.k, &g.alpha,
                          g.a, g.lda, g.b, g.ldb, &g.beta, c, ldc),
            DUOBLAS_OK)
      << duoblas_last_error();
}

template <typename T>
class CInterface : public ::testing::Test {};
using Types = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(CInterface, Types);

TYPED_TEST(CInterface, MultipliesInBothLayoutsWithAllOps) {
  for (const bool forced : {false, true}) {
    if (forced) {
      ASSERT_EQ(duoblas_set_split(7, 16), DUOBLAS_OK);
    }
    for (const Layout layout : {Layout::row_major, Layout::column_major}) {
      for (const Op op_a : {Op::none, Op::transpose, Op::conj_transpose}) {
        for (const Op op_b : {Op::none, Op::transpose, Op::conj_transpose}) {
          CaseFactors factors;
          factors.layout = layout;
          factors.op_a = op_a;
          factors.op_b = op_b;
          factors.m = 40;
          factors.n = 29;
          factors.k = 17;
          factors.pad = 2;
          factors.alpha = 1.25;
          factors.beta = -0.5;
          expect_right<TypeParam>(factors, [](const auto& call, TypeParam* c, std::int64_t ldc) {
            c_gemm(call, c, ldc);
          });
        }
      }
    }
    ASSERT_EQ(duoblas_clear_split(), DUOBLAS_OK);
  }
}

TEST(CInterfaceErrors, NumberAndNameTheArgumentAndWriteNothing) {
  float a[4] = {1, 2, 3, 4};
  float b[4] = {5, 6, 7, 8};
  float c[4] = {-1, -2, -3, -4};
  const float before[4] = {-1, -2, -3, -4};
  const auto expect_refused = [&](duoblas_status status, const char* words) {
    EXPECT_EQ(status, DUOBLAS_INVALID_ARGUMENT);
    EXPECT_NE(std::string(duoblas_last_error()).find(words), std::string::npos)
        << duoblas_last_error();
    EXPECT_EQ(std::memcmp(c, before, sizeof c), 0);
  };
  const auto layout = DUOBLAS_ROW_MAJOR;
  const auto no = DUOBLAS_NO_TRANS;
  expect_refused(
      duoblas_sgemm(static_cast<duoblas_layout>(5), no, no, 2, 2, 2, 1, a, 2, b, 2, 0, c, 2),
      "argument 1 (layout)");
  expect_refused(
      duoblas_sgemm(layout, static_cast<duoblas_op>(0), no, 2, 2, 2, 1, a, 2, b, 2, 0, c, 2),
      "argument 2 (op_a)");
  expect_refused(duoblas_sgemm(layout, no, no, -2, 2, 2, 1, a, 2, b, 2, 0, c, 2), "argument 4 (m)");
  expect_refused(duoblas_sgemm(layout, no, no, 2, 2, 2, 1, a, 1, b, 2, 0, c, 2),
                 "argument 9 (lda) must be at least 2, is 1");
  expect_refused(duoblas_sgemm(layout, no, no, 2, 2, 2, 1, nullptr, 2, b, 2, 0, c, 2),
                 "argument 8 (a)");
  expect_refused(duoblas_cgemm(layout, no, no, 1, 1, 1, nullptr, a, 1, b, 1, a, c, 1),
                 "argument 7 (alpha)");
  expect_refused(duoblas_zgemm(layout, no, no, 1, 1, 1, a, a, 1, b, 1, nullptr, c, 1),
                 "argument 12 (beta)");
}

TEST(CInterfaceErrors, BelongToTheThreadThatMadeThem) {
  EXPECT_EQ(duoblas_set_split(3, 2), DUOBLAS_INVALID_SETTING);
  const std::string mine = duoblas_last_error();
  EXPECT_NE(mine.find("3/2"), std::string::npos);
  std::string others = "unset";
  std::thread([&] { others = duoblas_last_error(); }).join();
  EXPECT_EQ(others, "");
}

TEST(CInterfaceChoices, TellWhatTheLastCallDidAndWhoIsToDoTheNext) {
  float a = 2, c = 0;
  const auto multiply = [&] {
    duoblas_call_summary did{};
    EXPECT_EQ(duoblas_sgemm(DUOBLAS_ROW_MAJOR, DUOBLAS_NO_TRANS, DUOBLAS_NO_TRANS, 1, 1, 1, 1, &a,
                            1, &a, 1, 0, &c, 1),
              DUOBLAS_OK);
    EXPECT_EQ(c, 4);
    EXPECT_EQ(duoblas_last_call(&did), DUOBLAS_OK);
    return did;
  };
  std::thread([&] {
    duoblas_call_summary none{};
    EXPECT_EQ(duoblas_last_call(&none), DUOBLAS_OK);
    EXPECT_STREQ(none.reason, "");
  }).join();
  EXPECT_EQ(duoblas_set_strategy(DUOBLAS_STRATEGY_CPU), DUOBLAS_OK);
  const duoblas_call_summary by_cpu = multiply();
  EXPECT_EQ(by_cpu.strategy, DUOBLAS_STRATEGY_CPU);
  EXPECT_STREQ(by_cpu.reason, "the CPU was asked for");
  EXPECT_EQ(duoblas_set_strategy(DUOBLAS_STRATEGY_GPU), DUOBLAS_OK);
  EXPECT_EQ(multiply().strategy, DUOBLAS_STRATEGY_GPU);
  EXPECT_EQ(duoblas_set_strategy(DUOBLAS_STRATEGY_AUTO), DUOBLAS_OK);
  EXPECT_EQ(multiply().passed_on, 0);
  duoblas_strategy wrong;
  const int number = 4;
  std::memcpy(&wrong, &number, sizeof wrong);  // as C may
  EXPECT_EQ(duoblas_set_strategy(wrong), DUOBLAS_INVALID_ARGUMENT);
  EXPECT_EQ(duoblas_last_call(nullptr), DUOBLAS_INVALID_ARGUMENT);
  EXPECT_STREQ(duoblas_summary(), "");  // no call of the drop-in was counted
}

TEST(CInterfaceMemory, IsPageAlignedAndFreeTakesNull) {
  for (const std::size_t bytes : {1u, 4095u, 4096u, 1000000u}) {
    void* memory = duoblas_malloc(bytes);
    ASSERT_NE(memory, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 4096, 0u);
    std::memset(memory, 1, bytes);
    duoblas_free(memory);
  }
  duoblas_free(nullptr);
  EXPECT_EQ(duoblas_malloc(SIZE_MAX), nullptr);
}

TEST(CInterfaceVersion, IsThatOfTheHeader) {
  const std::string expected = std::to_string(DUOBLAS_VERSION_MAJOR) + "." +
                               std::to_string(DUOBLAS_VERSION_MINOR) + "." +
                               std::to_string(DUOBLAS_VERSION_PATCH);
  EXPECT_EQ(duoblas_version(), expected);
}

}  // namespace
}  // namespace duoblas::test
