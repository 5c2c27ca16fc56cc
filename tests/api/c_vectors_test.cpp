// gemv from C: every function reaches the right type, and null scalars are named.
#include <gtest/gtest.h>

#include <complex>
#include <string>
#include <type_traits>
#include <vector>

#include <duoblas/duoblas.h>
#include <duoblas/vectors.h>

namespace {

template <typename T>
T unreal(double re, double im) {
  using R = decltype(std::abs(T()));
  if constexpr (std::is_same_v<T, R>)
    return static_cast<T>(re);
  else
    return T(static_cast<R>(re), static_cast<R>(im));
}

// y = alpha A x + beta y for a 1 x 2 matrix.
template <typename T, typename Gemv>
void expect_gemv(Gemv&& gemv) {
  const std::vector<T> a = {unreal<T>(1, 1), unreal<T>(2, -1)}, x = {unreal<T>(3, 2), T(2)};
  T y = unreal<T>(5, 1);
  const T alpha = unreal<T>(2, -1), beta = unreal<T>(0, 2);
  const T expected = alpha * (a[0] * x[0] + a[1] * x[1]) + beta * y;
  ASSERT_EQ(gemv(alpha, a.data(), x.data(), beta, &y), DUOBLAS_OK);
  EXPECT_EQ(y, expected);
}

TEST(CVectors, OfGemvReachTheirTypes) {
  const auto real = [](auto* gemv, auto zero) {
    using T = decltype(zero);
    expect_gemv<T>([&](T alpha, const T* a, const T* x, T beta, T* y) {
      return gemv(DUOBLAS_ROW_MAJOR, DUOBLAS_NO_TRANS, 1, 2, alpha, a, 2, x, 1, beta, y, 1);
    });
  };
  const auto complex = [](auto* gemv, auto zero) {
    using T = decltype(zero);
    expect_gemv<T>([&](T alpha, const T* a, const T* x, T beta, T* y) {
      return gemv(DUOBLAS_ROW_MAJOR, DUOBLAS_NO_TRANS, 1, 2, &alpha, a, 2, x, 1, &beta, y, 1);
    });
  };
  real(duoblas_sgemv, 0.0F);
  real(duoblas_dgemv, 0.0);
  complex(duoblas_cgemv, std::complex<float>());
  complex(duoblas_zgemv, std::complex<double>());
}

TEST(CVectors, NameTheArgumentThatIsIllegal) {
  const std::complex<double> one = 1;
  std::complex<double> y = 1;
  EXPECT_EQ(duoblas_zgemv(DUOBLAS_ROW_MAJOR, DUOBLAS_NO_TRANS, 1, 1, nullptr, &one, 1, &one, 1,
                          &one, &y, 1),
            DUOBLAS_INVALID_ARGUMENT);
  EXPECT_NE(std::string(duoblas_last_error()).find("alpha"), std::string::npos);
  EXPECT_EQ(duoblas_zgemv(DUOBLAS_ROW_MAJOR, DUOBLAS_NO_TRANS, 1, -1, &one, &one, 1, &one, 1, &one,
                          &y, 1),
            DUOBLAS_INVALID_ARGUMENT);
  EXPECT_NE(std::string(duoblas_last_error()).find("(n) is negative"), std::string::npos)
      << duoblas_last_error();
}

}  // namespace
