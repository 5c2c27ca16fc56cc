// gemv through every one of its names with the hybrid path forced, as forced_products_test has it.
#include <algorithm>
#include <complex>
#include <string>
#include <vector>

#include "preload/forced_names.hpp"
#include "support/gemv_case.hpp"

#undef OF_GEMM
#undef OF_GEMV
#define OF_GEMM(...)
#define OF_GEMV(...) __VA_ARGS__

namespace duoblas::test {
namespace {

char letter_of(Op op) {
  return op == Op::none ? 'n' : op == Op::transpose ? 'T' : 'c';
}

template <typename T>
T scalar_of(const std::complex<double>& value) {
  if constexpr (is_complex_type<T>)
    return T(value);
  else
    return static_cast<T>(value.real());
}

template <typename T, typename Integer, typename Routine>
GemvFront<T> through_fortran(Routine* routine) {
  return [routine](const CallerGemv& call) {
    const char op = letter_of(call.op);
    const auto narrow = [](std::int64_t value) { return static_cast<Integer>(value); };
    const Integer m = narrow(call.m), n = narrow(call.n), lda = narrow(call.lda);
    const Integer incx = narrow(call.incx), incy = narrow(call.incy);
    const T alpha = scalar_of<T>(call.alpha), beta = scalar_of<T>(call.beta);
    routine(&op, &m, &n, &alpha, call.a, &lda, call.x, &incx, &beta, call.y, &incy);
  };
}

template <typename T, typename Integer, typename Routine>
GemvFront<T> through_cblas(Routine* routine) {
  return [routine](const CallerGemv& call) {
    const auto narrow = [](std::int64_t value) { return static_cast<Integer>(value); };
    const T alpha = scalar_of<T>(call.alpha), beta = scalar_of<T>(call.beta);
    routine(call.layout == Layout::row_major ? 101 : 102, cblas(call.op), narrow(call.m),
            narrow(call.n), passed(alpha), call.a, narrow(call.lda), call.x, narrow(call.incx),
            passed(beta), call.y, narrow(call.incy));
  };
}

template <typename T>
void expect_hybrid_and_right(const char* symbol, Layout layout, const GemvFront<T>& front) {
  SCOPED_TRACE(symbol);
  for (const Op op : {Op::none, Op::transpose, Op::conj_transpose}) {
    ::testing::internal::CaptureStderr();
    expect_right_gemv<T>({layout, op, 37, 29, 3, 0, -2, 3, 0.75, -1.5}, front);
    expect_right_gemv<T>({layout, op, 37, 29, 3, 0, 1, -1, 0.75, 0}, front);
    const std::string said = ::testing::internal::GetCapturedStderr();
    EXPECT_NE(said.find(": hybrid, gpu "), std::string::npos) << said;
  }
}

class ForcedVectors : public ForcedNames {};

TEST_F(ForcedVectors, AreRightThroughEveryFortranName){FORTRAN_SCHEMES(FORTRAN_SCHEME)}

TEST_F(ForcedVectors, AreRightThroughEveryCblasName){CBLAS_SCHEMES(CBLAS_SCHEME)}

TEST_F(ForcedVectors, OfTheSmallestSizesAreRight) {
  for (std::int64_t m = 1; m <= 3; ++m)
    for (std::int64_t n = 1; n <= 3; ++n)
      for (const Op op : {Op::none, Op::conj_transpose}) {
        const GemvCase of{Layout::column_major, op, m, n, 0, 0, -1, 2, 0.75, 0};
        expect_right_gemv<double>(of, through_fortran<double, std::int32_t>(dgemv_));
        expect_right_gemv<c>(of, through_fortran<c, std::int64_t>(cgemv_64_));
      }
}

// The reference BLAS returns at once: not even beta is applied.
TEST_F(ForcedVectors, WithoutARowOrAColumnAreLeftAlone) {
  const double one = 1, zero = 0;
  const int none = 0, some = 3, step = 1;
  std::vector<double> a(9, 1), x(3, 1), y(3, 5);
  const std::vector<double> before = y;
  for (const char op : {'N', 'T', 'C'}) {
    dgemv_(&op, &some, &none, &one, a.data(), &some, x.data(), &step, &zero, y.data(), &step);
    dgemv_(&op, &none, &some, &one, a.data(), &some, x.data(), &step, &zero, y.data(), &step);
    EXPECT_EQ(y, before);
  }
  cblas_dgemv(101, 111, some, none, one, a.data(), some, x.data(), step, zero, y.data(), step);
  EXPECT_EQ(y, before);
}

TEST_F(ForcedVectors, WithAlphaZeroReadNoMatrix) {
  const double zero = 0, half = 0.5;
  const int some = 3, step = 1, back = -1;
  std::vector<double> y(3, 4);
  dgemv_("N", &some, &some, &zero, nullptr, &some, nullptr, &step, &half, y.data(), &back);
  EXPECT_EQ(y, std::vector<double>(3, 2));
  std::fill(y.begin(), y.end(), nan_value<double>());
  dgemv_("T", &some, &some, &zero, nullptr, &some, nullptr, &step, &zero, y.data(), &step);
  EXPECT_EQ(y, std::vector<double>(3, 0));
}

}  // namespace
}  // namespace duoblas::test
