// The matrix product of the default context: the shortest way in.
#ifndef DUOBLAS_GEMM_HPP
#define DUOBLAS_GEMM_HPP

#include <cstdint>

#include <duoblas/context.hpp>

namespace duoblas {

/// C = alpha op(A) op(B) + beta C on the process's default context, which is made from the
/// environment at the first call. Arguments, errors and threading as in Context::gemm.
template <typename T>
void gemm(Layout layout, Op op_a, Op op_b, std::int64_t m, std::int64_t n, std::int64_t k,
          Scalar<T> alpha, const T* a, std::int64_t lda, const T* b, std::int64_t ldb,
          Scalar<T> beta, T* c, std::int64_t ldc) {
  Context::process_default().gemm(layout, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

}  // namespace duoblas

#endif
