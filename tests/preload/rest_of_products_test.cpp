// Where the engine does a part of a product, every name of gemm passes on what is left of it, and
// the other arguments as they are. Runs with the drop-in preloaded, in a folder with an engine that
// computes nothing, and is linked against next_blas.
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "preload/declared_names.h"

extern "C" {
extern char next_blas_call[];
extern int next_blas_calls;
}

namespace {

// Nobody reads or writes the matrices.
struct Arguments {
  int order = 102, transa_choice = 112, transb_choice = 111;
  char transa = 'T', transb = 'N';
  int m = 2003, n = 2111, k = 1999, lda = 3001, ldb = 3011, ldc = 3023;
  double alpha[2] = {1.25, 0}, beta[2] = {-0.5, 0};
  char a[64]{}, b[64]{}, c[64]{};
};

std::string at(const void* address) {
  std::ostringstream text;
  text << '@' << std::hex << reinterpret_cast<std::uintptr_t>(address);
  return text.str();
}

// As timing_engine.c changes it.
std::string rest(const Arguments& of, const std::string& alpha, const std::string& beta) {
  std::ostringstream text;
  text << " m=" << of.m - 1 << " n=" << of.n - 2 << " k=" << of.k << " alpha" << alpha << " a"
       << at(of.a + 8) << " lda=" << of.lda << " b" << at(of.b + 16) << " ldb=" << of.ldb << " beta"
       << beta << " c" << at(of.c + 24) << " ldc=" << of.ldc;
  return text.str();
}

#define VALUE_f(scalar) static_cast<float>(*given.scalar)
#define VALUE_d(scalar) *given.scalar
#define VALUE_p(scalar) given.scalar
#define TEXT_f(scalar) (std::ostringstream() << "=" << *given.scalar).str()
#define TEXT_d TEXT_f
#define TEXT_p(scalar) at(given.scalar)

#define FORTRAN_ROUTINE(shape, routine, name, precision, alpha_kind, beta_kind, convention,    \
                        integer, prefix, suffix)                                               \
  OF_##shape(TEST(RestOfProducts, prefix##name##suffix) {                                      \
    Arguments given;                                                                           \
    const integer m = given.m, n = given.n, k = given.k, lda = given.lda, ldb = given.ldb,     \
                  ldc = given.ldc;                                                             \
    const int before = next_blas_calls;                                                        \
    prefix##name##suffix(&given.transa, &given.transb, &m, &n, &k, given.alpha, given.a, &lda, \
                         given.b, &ldb, given.beta, given.c, &ldc);                            \
    EXPECT_EQ(next_blas_calls, before + 1);                                                    \
    EXPECT_EQ(next_blas_call, #prefix #name #suffix " transa=T transb=N" +                     \
                                  rest(given, at(given.alpha), at(given.beta)));               \
  })
#define CBLAS_ROUTINE(shape, routine, name, precision, alpha_kind, beta_kind, convention, integer, \
                      prefix, suffix)                                                              \
  OF_##shape(TEST(RestOfProducts, prefix##name##suffix) {                                          \
    Arguments given;                                                                               \
    const int before = next_blas_calls;                                                            \
    prefix##name##suffix(given.order, given.transa_choice, given.transb_choice, given.m, given.n,  \
                         given.k, VALUE_##alpha_kind(alpha), given.a, given.lda, given.b,          \
                         given.ldb, VALUE_##beta_kind(beta), given.c, given.ldc);                  \
    EXPECT_EQ(next_blas_calls, before + 1);                                                        \
    EXPECT_EQ(next_blas_call, #prefix #name #suffix " order=102 transa=112 transb=111" +           \
                                  rest(given, TEXT_##alpha_kind(alpha), TEXT_##beta_kind(beta)));  \
  })
FORTRAN_SCHEMES(FORTRAN_SCHEME)
CBLAS_SCHEMES(CBLAS_SCHEME)

}  // namespace
