// Routines that memory bounds from C: every function reaches the right type, and null scalars are
// named.
#include <gtest/gtest.h>

#include <complex>
#include <string>
#include <type_traits>
#include <vector>

#include <duoblas/duoblas.h>
#include <duoblas/vectors.h>

namespace {

template <typename T>
using Numbers = std::vector<T>;

template <typename T>
T unreal(double re, double im) {
  using R = decltype(std::abs(T()));
  if constexpr (std::is_same_v<T, R>)
    return static_cast<T>(re);
  else
    return T(static_cast<R>(re), static_cast<R>(im));
}

// A 2 x 3 of ones, updated by alpha x y', or its conjugate.
template <typename T, typename Ger>
void expect_ger(Ger&& ger, bool conjugates) {
  const Numbers<T> x = {unreal<T>(1, 1), unreal<T>(2, -1)};
  const Numbers<T> y = {unreal<T>(3, 2), unreal<T>(0, 1), unreal<T>(-1, 0)};
  const T alpha = unreal<T>(2, -1);
  for (const duoblas_layout layout : {DUOBLAS_ROW_MAJOR, DUOBLAS_COLUMN_MAJOR}) {
    Numbers<T> a(6, T(1));
    ASSERT_EQ(ger(layout, 2, 3, alpha, x.data(), 1, y.data(), 1, a.data(),
                  layout == DUOBLAS_ROW_MAJOR ? 3 : 2),
              DUOBLAS_OK);
    for (std::size_t i = 0; i < 2; ++i)
      for (std::size_t j = 0; j < 3; ++j) {
        T of_y = y[j];
        if constexpr (!std::is_floating_point_v<T>)
          if (conjugates) of_y = std::conj(of_y);
        EXPECT_EQ(a[layout == DUOBLAS_ROW_MAJOR ? i * 3 + j : i + j * 2],
                  T(1) + alpha * x[i] * of_y);
      }
  }
}

template <typename T, typename Axpy>
void expect_axpy(Axpy&& axpy) {
  const Numbers<T> x = {unreal<T>(1, 1), unreal<T>(2, -1), unreal<T>(3, 0)};
  Numbers<T> y = {T(1), T(7), T(2), T(7), T(3)};
  const Numbers<T> old = y;
  const T alpha = unreal<T>(2, -1);
  ASSERT_EQ(axpy(3, alpha, x.data(), 1, y.data(), -2), DUOBLAS_OK);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(y[4 - 2 * i], old[4 - 2 * i] + alpha * x[i]);
  EXPECT_EQ(y[1], T(7));
}

// CBLAS's way with complex scalars.
template <typename Function>
auto by_address(Function* function) {
  return [function](auto layout, auto m, auto n, const auto& alpha, auto... others) {
    return function(layout, m, n, &alpha, others...);
  };
}

template <typename Function>
auto of_vectors_by_address(Function* function) {
  return [function](auto n, const auto& alpha, auto... others) {
    return function(n, &alpha, others...);
  };
}

// y = alpha A x + beta y for a 1 x 2 matrix, and B = alpha A'.
template <typename T, typename Gemv, typename Omatcopy>
void expect_gemv_and_omatcopy(Gemv&& gemv, Omatcopy&& omatcopy) {
  const Numbers<T> a = {unreal<T>(1, 1), unreal<T>(2, -1)}, x = {unreal<T>(3, 2), T(2)};
  T y = unreal<T>(5, 1);
  const T alpha = unreal<T>(2, -1), beta = unreal<T>(0, 2);
  const T expected = alpha * (a[0] * x[0] + a[1] * x[1]) + beta * y;
  ASSERT_EQ(gemv(alpha, a.data(), x.data(), beta, &y), DUOBLAS_OK);
  EXPECT_EQ(y, expected);
  Numbers<T> b(2);
  ASSERT_EQ(omatcopy(alpha, a.data(), b.data()), DUOBLAS_OK);
  EXPECT_EQ(b, (Numbers<T>{alpha * a[0], alpha * a[1]}));
}

TEST(CVectors, OfGemvAndOmatcopyReachTheirTypes) {
  const auto real = [](auto* gemv, auto* omatcopy, auto zero) {
    using T = decltype(zero);
    expect_gemv_and_omatcopy<T>(
        [&](T alpha, const T* a, const T* x, T beta, T* y) {
          return gemv(DUOBLAS_ROW_MAJOR, DUOBLAS_NO_TRANS, 1, 2, alpha, a, 2, x, 1, beta, y, 1);
        },
        [&](T alpha, const T* a, T* b) {
          return omatcopy(DUOBLAS_ROW_MAJOR, DUOBLAS_TRANS, 1, 2, alpha, a, 2, b, 1);
        });
  };
  const auto complex = [](auto* gemv, auto* omatcopy, auto zero) {
    using T = decltype(zero);
    expect_gemv_and_omatcopy<T>(
        [&](T alpha, const T* a, const T* x, T beta, T* y) {
          return gemv(DUOBLAS_ROW_MAJOR, DUOBLAS_NO_TRANS, 1, 2, &alpha, a, 2, x, 1, &beta, y, 1);
        },
        [&](T alpha, const T* a, T* b) {
          return omatcopy(DUOBLAS_ROW_MAJOR, DUOBLAS_TRANS, 1, 2, &alpha, a, 2, b, 1);
        });
  };
  real(duoblas_sgemv, duoblas_somatcopy, 0.0F);
  real(duoblas_dgemv, duoblas_domatcopy, 0.0);
  complex(duoblas_cgemv, duoblas_comatcopy, std::complex<float>());
  complex(duoblas_zgemv, duoblas_zomatcopy, std::complex<double>());
}

TEST(CVectors, OfGerReachTheirTypes) {
  expect_ger<float>(duoblas_sger, false);
  expect_ger<double>(duoblas_dger, false);
  expect_ger<std::complex<float>>(by_address(duoblas_cgeru), false);
  expect_ger<std::complex<double>>(by_address(duoblas_zgeru), false);
  expect_ger<std::complex<float>>(by_address(duoblas_cgerc), true);
  expect_ger<std::complex<double>>(by_address(duoblas_zgerc), true);
}

TEST(CVectors, OfAxpyReachTheirTypes) {
  expect_axpy<float>(duoblas_saxpy);
  expect_axpy<double>(duoblas_daxpy);
  expect_axpy<std::complex<float>>(of_vectors_by_address(duoblas_caxpy));
  expect_axpy<std::complex<double>>(of_vectors_by_address(duoblas_zaxpy));
}

TEST(CVectors, NameTheArgumentThatIsIllegal) {
  std::complex<double> one = 1;
  EXPECT_EQ(duoblas_zgerc(DUOBLAS_ROW_MAJOR, 1, 1, nullptr, &one, 1, &one, 1, &one, 1),
            DUOBLAS_INVALID_ARGUMENT);
  EXPECT_NE(std::string(duoblas_last_error()).find("alpha"), std::string::npos);
  EXPECT_EQ(duoblas_zaxpy(1, nullptr, &one, 1, &one, 1), DUOBLAS_INVALID_ARGUMENT);
  EXPECT_EQ(duoblas_zaxpy(-1, &one, &one, 1, &one, 1), DUOBLAS_INVALID_ARGUMENT);
  EXPECT_NE(std::string(duoblas_last_error()).find("(n) is negative"), std::string::npos)
      << duoblas_last_error();
}

}  // namespace
