// Products through every name of gemm with the hybrid path forced: the program is linked against
// the drop-in alone, and says on standard error that both sides worked.
#include "conformance/forced_context.hpp"
#include "preload/forced_names.hpp"

namespace duoblas::test {
namespace {

char letter_of(Op op) {
  return op == Op::none ? 'n' : op == Op::transpose ? 'T' : 'C';
}

template <typename T, typename Integer, typename Routine>
Front<T> through_fortran(Routine* routine) {
  return [routine](const Call<T>& call, T* result, std::int64_t ldc) {
    const char op_a = letter_of(call.op_a), op_b = letter_of(call.op_b);
    const auto narrow = [](std::int64_t value) { return static_cast<Integer>(value); };
    const Integer m = narrow(call.m), n = narrow(call.n), k = narrow(call.k);
    const Integer lda = narrow(call.lda), ldb = narrow(call.ldb), ld = narrow(ldc);
    routine(&op_a, &op_b, &m, &n, &k, &call.alpha, call.a, &lda, call.b, &ldb, &call.beta, result,
            &ld);
  };
}

template <typename T, typename Integer, typename Routine>
Front<T> through_cblas(Routine* routine) {
  return [routine](const Call<T>& call, T* result, std::int64_t ldc) {
    const auto narrow = [](std::int64_t value) { return static_cast<Integer>(value); };
    routine(call.layout == Layout::row_major ? 101 : 102, cblas(call.op_a), cblas(call.op_b),
            narrow(call.m), narrow(call.n), narrow(call.k), passed(call.alpha), call.a,
            narrow(call.lda), call.b, narrow(call.ldb), passed(call.beta), result, narrow(ldc));
  };
}

template <typename T>
void expect_hybrid_and_right(const char* symbol, Layout layout, const Front<T>& front) {
  SCOPED_TRACE(symbol);
  CaseFactors factors;
  factors.layout = layout;
  factors.m = 37;
  factors.n = 29;
  factors.k = 41;
  factors.pad = 3;
  factors.alpha = 0.75;
  factors.beta = -1.5;
  for (const Op op_a : {Op::none, Op::conj_transpose}) {
    factors.op_a = op_a;
    factors.op_b = op_a == Op::none ? Op::transpose : Op::none;
    ::testing::internal::CaptureStderr();
    expect_right<T>(factors, front);
    const std::string said = ::testing::internal::GetCapturedStderr();
    EXPECT_NE(said.find(": hybrid, gpu "), std::string::npos) << said;
  }
}

class ForcedProducts : public ForcedNames {};

TEST_F(ForcedProducts, AreRightThroughEveryFortranName){FORTRAN_SCHEMES(FORTRAN_SCHEME)}

TEST_F(ForcedProducts, AreRightThroughEveryCblasName){CBLAS_SCHEMES(CBLAS_SCHEME)}

TEST_F(ForcedProducts, OfTheSmallestSizesAreRight) {
  for (std::int64_t m = 0; m <= 3; ++m)
    for (std::int64_t n = 0; n <= 3; ++n)
      for (std::int64_t k = 0; k <= 2; ++k) {
        CaseFactors factors;
        factors.layout = Layout::column_major;
        factors.m = m;
        factors.n = n;
        factors.k = k;
        factors.beta = 0.5;
        expect_right<double>(factors, through_fortran<double, std::int32_t>(dgemm_));
        expect_right<c>(factors, through_fortran<c, std::int64_t>(cgemm_64_));
      }
}

}  // namespace
}  // namespace duoblas::test
