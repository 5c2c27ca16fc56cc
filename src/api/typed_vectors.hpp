// Converts a template's arguments to a checked gemv or ger.
#pragma once

#include <complex>
#include <cstdint>

#include "problem/caller_gemv.hpp"
#include "problem/ger_problem.hpp"
#include "problem/precision.hpp"

namespace duoblas {

template <typename Element>
struct Spaced {
  Element* data;
  std::int64_t increment;
};

struct MatrixSizes {
  std::int64_t m, n;
};

template <typename T>
CallerGemv caller_gemv(Layout layout, Op op, const MatrixSizes& sizes, T alpha, const T* a,
                       std::int64_t lda, Spaced<const T> x, T beta, Spaced<T> y) {
  return {.layout = layout,
          .op = op,
          .precision = precision_of<T>,
          .m = sizes.m,
          .n = sizes.n,
          .alpha = std::complex<double>(alpha),
          .a = a,
          .lda = lda,
          .x = x.data,
          .incx = x.increment,
          .beta = std::complex<double>(beta),
          .y = y.data,
          .incy = y.increment};
}

template <typename T>
CallerGer caller_ger(Layout layout, bool conjugates, const MatrixSizes& sizes, T alpha,
                     Spaced<const T> x, Spaced<const T> y, T* a, std::int64_t lda) {
  return {.layout = layout,
          .conjugates = conjugates,
          .precision = precision_of<T>,
          .m = sizes.m,
          .n = sizes.n,
          .alpha = std::complex<double>(alpha),
          .x = x.data,
          .incx = x.increment,
          .y = y.data,
          .incy = y.increment,
          .a = a,
          .lda = lda};
}

}  // namespace duoblas
