// The arguments of the C functions for gemm, so that four element types share one body.
#pragma once

#include <cstdint>

#include <duoblas/duoblas.h>
#include <duoblas/error.hpp>

namespace duoblas {

template <typename T>
struct CGemm {
  duoblas_layout layout;
  duoblas_op op_a, op_b;
  std::int64_t m, n, k;
  T alpha;
  const T* a;
  std::int64_t lda;
  const T* b;
  std::int64_t ldb;
  T beta;
  T* c;
  std::int64_t ldc;
};

/// Complex arguments as C programs pass them.
struct CComplexGemm {
  duoblas_layout layout;
  duoblas_op op_a, op_b;
  std::int64_t m, n, k;
  const void* alpha;
  const void* a;
  std::int64_t lda;
  const void* b;
  std::int64_t ldb;
  const void* beta;
  void* c;
  std::int64_t ldc;
};

/// \throws ArgumentError if a scalar is missing. T: std::complex.
template <typename T>
CGemm<T> typed(const CComplexGemm& g) {
  if (g.alpha == nullptr) throw ArgumentError(7, "alpha", "is a null pointer");
  if (g.beta == nullptr) throw ArgumentError(12, "beta", "is a null pointer");
  return {g.layout,
          g.op_a,
          g.op_b,
          g.m,
          g.n,
          g.k,
          *static_cast<const T*>(g.alpha),
          static_cast<const T*>(g.a),
          g.lda,
          static_cast<const T*>(g.b),
          g.ldb,
          *static_cast<const T*>(g.beta),
          static_cast<T*>(g.c),
          g.ldc};
}

}  // namespace duoblas
