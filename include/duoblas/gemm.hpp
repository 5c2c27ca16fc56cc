// The matrix product of the default context: the simplest interface.
#ifndef DUOBLAS_GEMM_HPP
#define DUOBLAS_GEMM_HPP

#include <cstdint>
#include <vector>

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

/// Likewise for Context::gemm_async.
template <typename T>
Job gemm_async(Layout layout, Op op_a, Op op_b, std::int64_t m, std::int64_t n, std::int64_t k,
               Scalar<T> alpha, const T* a, std::int64_t lda, const T* b, std::int64_t ldb,
               Scalar<T> beta, T* c, std::int64_t ldc) {
  return Context::process_default().gemm_async(layout, op_a, op_b, m, n, k, alpha, a, lda, b, ldb,
                                               beta, c, ldc);
}

/// Likewise for Context::prepare.
template <typename T>
Prepared<T> prepare(Layout layout, std::int64_t rows, std::int64_t columns, const T* data,
                    std::int64_t ld) {
  return Context::process_default().prepare(layout, rows, columns, data, ld);
}

/// Likewise for the product with prepared operands.
template <typename T>
void gemm(Layout layout, Op op_a, Op op_b, std::int64_t m, std::int64_t n, std::int64_t k,
          Scalar<T> alpha, OperandOf<T> a, OperandOf<T> b, Scalar<T> beta, T* c, std::int64_t ldc) {
  Context::process_default().gemm(layout, op_a, op_b, m, n, k, alpha, a, b, beta, c, ldc);
}

/// Likewise for batches: Context::gemm_strided_batched, gemm_batched and gemm_grouped.
template <typename T>
void gemm_strided_batched(Layout layout, Op op_a, Op op_b, std::int64_t m, std::int64_t n,
                          std::int64_t k, Scalar<T> alpha, const T* a, std::int64_t lda,
                          std::int64_t stride_a, const T* b, std::int64_t ldb,
                          std::int64_t stride_b, Scalar<T> beta, T* c, std::int64_t ldc,
                          std::int64_t stride_c, std::int64_t count) {
  Context::process_default().gemm_strided_batched(layout, op_a, op_b, m, n, k, alpha, a, lda,
                                                  stride_a, b, ldb, stride_b, beta, c, ldc,
                                                  stride_c, count);
}
template <typename T>
void gemm_batched(Layout layout, Op op_a, Op op_b, std::int64_t m, std::int64_t n, std::int64_t k,
                  Scalar<T> alpha, const T* const* a, std::int64_t lda, const T* const* b,
                  std::int64_t ldb, Scalar<T> beta, T* const* c, std::int64_t ldc,
                  std::int64_t count) {
  Context::process_default().gemm_batched(layout, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta,
                                          c, ldc, count);
}
template <typename T>
void gemm_grouped(Layout layout, const std::vector<GemmGroup<T>>& groups) {
  Context::process_default().gemm_grouped(layout, groups);
}

}  // namespace duoblas

#endif
