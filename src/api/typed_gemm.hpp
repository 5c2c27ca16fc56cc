// Converts a template's arguments to a checked call.
#pragma once

#include <complex>
#include <cstdint>

#include "problem/caller_gemm.hpp"
#include "problem/precision.hpp"

namespace duoblas {

struct GemmSizes {
  std::int64_t m, n, k;
};
template <typename Element>
struct Strided {
  Element* data;
  std::int64_t ld;
};

template <typename T>
CallerGemm caller_gemm(Layout layout, Op op_a, Op op_b, const GemmSizes& sizes, T alpha,
                       Strided<const T> a, Strided<const T> b, T beta, Strided<T> c) {
  CallerGemm call{layout, {}};
  call.args = {.precision = precision_of<T>,
               .op_a = op_a,
               .op_b = op_b,
               .m = sizes.m,
               .n = sizes.n,
               .k = sizes.k,
               .alpha = std::complex<double>(alpha),
               .a = a.data,
               .lda = a.ld,
               .b = b.data,
               .ldb = b.ld,
               .beta = std::complex<double>(beta),
               .c = c.data,
               .ldc = c.ld};
  return call;
}

}  // namespace duoblas
