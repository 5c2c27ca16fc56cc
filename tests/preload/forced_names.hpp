// What tests have in common that make calls through every name of a routine with both sides forced
// to work. An including file says what FORTRAN_SCHEME and CBLAS_SCHEME call: its own
// expect_hybrid_and_right(), through_fortran() and through_cblas().
#pragma once

#include <gtest/gtest.h>

#include <complex>
#include <cstdlib>

#include <duoblas/types.hpp>

#include "preload/declared_names.h"
#include "support/test_matrix.hpp"

namespace duoblas::test {

// As the table of names has them.
using s = float;
using d = double;
using c = std::complex<float>;
using z = std::complex<double>;

inline int cblas(Op op) {
  return op == Op::none ? 111 : op == Op::transpose ? 112 : 113;
}

/// A scalar as CBLAS takes it.
template <typename T>
auto passed(const T& value) {
  if constexpr (is_complex_type<T>)
    return static_cast<const void*>(&value);
  else
    return value;
}

// The drop-in reads the environment at its first call.
class ForcedNames : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    ::setenv("DUOBLAS_STRATEGY", "hybrid", 1);
    ::setenv("DUOBLAS_SPLIT", "5/16", 1);
    ::setenv("DUOBLAS_VERBOSE", "2", 1);
  }
};

}  // namespace duoblas::test

#define FORTRAN_ROUTINE(shape, routine, name, precision, alpha, beta, convention, integer, prefix, \
                        suffix)                                                                    \
  OF_##shape(expect_hybrid_and_right<precision>(                                                   \
                 #prefix #name #suffix, Layout::column_major,                                      \
                 through_fortran<precision, integer>(prefix##name##suffix));)
#define CBLAS_ROUTINE(shape, routine, name, precision, alpha, beta, convention, integer, prefix, \
                      suffix)                                                                    \
  OF_##shape(for (const Layout layout                                                            \
                  : {Layout::row_major, Layout::column_major})                                   \
                 expect_hybrid_and_right<precision>(                                             \
                     #prefix #name #suffix, layout,                                              \
                     through_cblas<precision, integer>(prefix##name##suffix));)
