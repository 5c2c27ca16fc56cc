// With nothing to do for the engine, every name reaches its next symbol, argument by argument:
// at its first call, when that is looked for, and after it. This program runs with the drop-in
// preloaded and is linked against next_blas.
#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>
#include <string>

#include "preload/declared_names.h"

extern "C" {
extern char next_blas_call[];
extern int next_blas_calls, next_blas_questions;
const char* duoblas_dropin_version() __attribute__((weak));
}

namespace {

// Values that no two arguments of a routine share; sizes over 32 bits where they may be.
struct Values {
  char transa = 'T', transb = 'C', side = 'R', uplo = 'L', trans = 'N', diag = 'U';
  int order = 101;
};

template <typename Integer>
struct Sizes {
  static constexpr Integer beyond =
      sizeof(Integer) == 8 ? static_cast<Integer>(INT64_C(1) << 33) : 0;
  Integer m = beyond + 3, n = beyond + 5, k = beyond + 7;
  Integer lda = beyond + 11, ldb = beyond + 13, ldc = beyond + 17;
  Integer incx = beyond + 19, incy = -(beyond + 23);
};

struct Memory {
  double alpha[2] = {1.25, 0}, beta[2] = {-0.5, 0}, a[1], b[1], c[1], x[1], y[1];
};

std::string at(const void* address) {
  std::ostringstream text;
  text << '@' << std::hex << reinterpret_cast<std::uintptr_t>(address);
  return text.str();
}

void expect_passed_on(const std::string& expected, int calls_before) {
  EXPECT_EQ(next_blas_calls, calls_before + 1);
  EXPECT_EQ(std::string(next_blas_call), expected);
}

TEST(PassedOn, ComesFromTheDropInWhichIsPreloaded) {
  ASSERT_NE(&duoblas_dropin_version, nullptr);
}

// Each name is asked once whether it leads back.
void expect_asked(int call, int questions_before) {
  EXPECT_EQ(next_blas_questions, questions_before + (call == 0 ? 1 : 0)) << next_blas_call;
}

#define ARGUMENT_LETTER(name) &values.name
#define ARGUMENT_ADDRESS(name) &sizes.name
#define ARGUMENT_SIZE(name) sizes.name
#define ARGUMENT_POINTER(name) memory.name
#define ARGUMENT_CHOICE(name) values.name
#define ARGUMENT_f(name) static_cast<float>(*memory.name)
#define ARGUMENT_d(name) *memory.name
#define ARGUMENT_p(name) memory.name
#define TEXT_LETTER(name) text << " " #name "=" << values.name;
#define TEXT_SIZE(name) text << " " #name "=" << sizes.name;
#define TEXT_POINTER(name) text << " " #name << at(memory.name);
#define TEXT_CHOICE(name) text << " " #name "=" << static_cast<int>(values.name);
#define TEXT_f(name) text << " " #name "=" << *memory.name;
#define TEXT_d(name) text << " " #name "=" << *memory.name;
#define TEXT_p(name) text << " " #name << at(memory.name);

#define FORTRAN_ROUTINE(shape, routine, name, precision, alpha, beta, convention, integer, prefix, \
                        suffix)                                                                    \
  void check_##prefix##name##suffix() {                                                            \
    [[maybe_unused]] const Values values;                                                          \
    const Sizes<integer> sizes;                                                                    \
    Memory memory;                                                                                 \
    std::ostringstream text;                                                                       \
    text << #prefix #name #suffix;                                                                 \
    FORTRAN_##shape(TEXT_LETTER, TEXT_SIZE, TEXT_POINTER, );                                       \
    for (int call = 0; call < 2; ++call) {                                                         \
      const int before = next_blas_calls, asked = next_blas_questions;                             \
      prefix##name##suffix(                                                                        \
          FORTRAN_##shape(ARGUMENT_LETTER, ARGUMENT_ADDRESS, ARGUMENT_POINTER, COMMA));            \
      expect_passed_on(text.str(), before);                                                        \
      expect_asked(call, asked);                                                                   \
    }                                                                                              \
  }
#define CBLAS_ROUTINE(shape, routine, name, precision, alpha, beta, convention, integer, prefix, \
                      suffix)                                                                    \
  void check_##prefix##name##suffix() {                                                          \
    [[maybe_unused]] const Values values;                                                        \
    const Sizes<integer> sizes;                                                                  \
    Memory memory;                                                                               \
    std::ostringstream text;                                                                     \
    text << #prefix #name #suffix;                                                               \
    CBLAS_##shape(TEXT_CHOICE, TEXT_SIZE, TEXT_POINTER, TEXT_##alpha, TEXT_##beta, );            \
    for (int call = 0; call < 2; ++call) {                                                       \
      const int before = next_blas_calls, asked = next_blas_questions;                           \
      prefix##name##suffix(CBLAS_##shape(ARGUMENT_CHOICE, ARGUMENT_SIZE, ARGUMENT_POINTER,       \
                                         ARGUMENT_##alpha, ARGUMENT_##beta, COMMA));             \
      expect_passed_on(text.str(), before);                                                      \
      expect_asked(call, asked);                                                                 \
    }                                                                                            \
  }
FORTRAN_SCHEMES(FORTRAN_SCHEME)
CBLAS_SCHEMES(CBLAS_SCHEME)
#undef FORTRAN_ROUTINE
#undef CBLAS_ROUTINE

#define FORTRAN_ROUTINE(shape, routine, name, precision, alpha, beta, convention, integer, prefix, \
                        suffix)                                                                    \
  check_##prefix##name##suffix();
#define CBLAS_ROUTINE FORTRAN_ROUTINE

TEST(PassedOn, IsEveryArgumentOfEveryName) {
  ::setenv("DUOBLAS_STRATEGY", "cpu", 1);
  FORTRAN_SCHEMES(FORTRAN_SCHEME)
  CBLAS_SCHEMES(CBLAS_SCHEME)
}

}  // namespace
