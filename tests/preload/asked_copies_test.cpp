// Which calls of ?copy the engine is asked to do: those of many elements that lie far apart, under
// every name. The others reach the next symbol. Runs with the drop-in preloaded, in a folder with
// an engine that says of copies with an odd number of elements that they are done, and is linked
// against next_blas with threads.
#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>
#include <string>

#include "preload/declared_names.h"

#undef OF_GEMM
#undef OF_COPY
#define OF_GEMM(...)
#define OF_COPY(...) __VA_ARGS__

extern "C" {
extern int next_blas_calls, next_blas_threads;
}

namespace {

constexpr int bytes_of(char precision) {
  return precision == 's' ? 4 : precision == 'z' ? 16 : 8;
}

struct Seen {
  std::string engine;  // what it said
  int passed_on = 0;
};

template <typename Call>
Seen seen(Call&& call) {
  const int before = next_blas_calls;
  ::testing::internal::CaptureStderr();
  call();
  return {::testing::internal::GetCapturedStderr(), next_blas_calls - before};
}

// Nobody reads or writes the vectors.
template <typename Copy>
void expect_far_ones_asked(const char* symbol, char precision, const Copy& copy) {
  SCOPED_TRACE(symbol);
  const int far = 512 / bytes_of(precision);
  const auto said = [&](int n, int incx, int incy) {
    return (std::ostringstream() << n << " elements of " << bytes_of(precision) << " bytes, "
                                 << incx << " and " << incy << " apart\n")
        .str();
  };
  copy(1, 1, 1);  // the first one looks for the next symbol
  const Seen done = seen([&] { copy(1025, far, 1); });
  EXPECT_EQ(done.engine, said(1025, far, 1));
  EXPECT_EQ(done.passed_on, 0);
  const Seen left = seen([&] { copy(1024, 2, 3 * far); });
  EXPECT_EQ(left.engine, said(1024, 2, 3 * far));
  EXPECT_EQ(left.passed_on, 1);

  const int not_asked[][3] = {{1023, far, far},  {1025, far - 1, 1}, {1025, -far, far},
                              {1025, far, -far}, {1025, 0, far},     {1025, far, 0},
                              {-1025, far, far}, {0, far, far}};
  for (const auto& call : not_asked) {
    const int n = call[0], incx = call[1], incy = call[2];
    const Seen passed = seen([&] { copy(n, incx, incy); });
    EXPECT_EQ(passed.engine, "") << n << ' ' << incx << ' ' << incy;
    EXPECT_EQ(passed.passed_on, 1) << n << ' ' << incx << ' ' << incy;
  }
}

#define FORTRAN_ROUTINE(shape, routine, name, precision, alpha, beta, convention, integer, prefix, \
                        suffix)                                                                    \
  OF_##shape(expect_far_ones_asked(#prefix #name #suffix, *#precision,                             \
                                   [](integer n, integer incx, integer incy) {                     \
                                     prefix##name##suffix(&n, nullptr, &incx, nullptr, &incy);     \
                                   });)
#define CBLAS_ROUTINE(shape, routine, name, precision, alpha, beta, convention, integer, prefix, \
                      suffix)                                                                    \
  OF_##shape(expect_far_ones_asked(#prefix #name #suffix, *#precision,                           \
                                   [](integer n, integer incx, integer incy) {                   \
                                     prefix##name##suffix(n, nullptr, incx, nullptr, incy);      \
                                   });)

// The drop-in reads the environment at its first call.
class AskedCopies : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { ::setenv("DUOBLAS_STRATEGY", "hybrid", 1); }
};

TEST_F(AskedCopies, AreTheFarOnesOfEveryFortranName){FORTRAN_SCHEMES(FORTRAN_SCHEME)}

TEST_F(AskedCopies, AreTheFarOnesOfEveryCblasName){CBLAS_SCHEMES(CBLAS_SCHEME)}

TEST_F(AskedCopies, AreNoneOfAProgramThatAllowsOneThread) {
  const std::int32_t n = 1025, far = 64, near = 1;
  const auto copy = [&] { dcopy_(&n, nullptr, &far, nullptr, &near); };
  copy();  // looks for the next symbol
  next_blas_threads = 1;
  const Seen left = seen(copy);
  next_blas_threads = 4;
  EXPECT_EQ(left.engine, "");
  EXPECT_EQ(left.passed_on, 1);
  EXPECT_NE(seen(copy).engine, "");
}

}  // namespace
