// A matrix by a vector, on the default context.
#ifndef DUOBLAS_VECTORS_HPP
#define DUOBLAS_VECTORS_HPP

#include <cstdint>

#include <duoblas/context.hpp>

namespace duoblas {

/// y = alpha op(A) x + beta y on the process's default context; as Context::gemv.
template <typename T>
void gemv(Layout layout, Op op, std::int64_t m, std::int64_t n, Scalar<T> alpha, const T* a,
          std::int64_t lda, const T* x, std::int64_t incx, Scalar<T> beta, T* y,
          std::int64_t incy) {
  Context::process_default().gemv(layout, op, m, n, alpha, a, lda, x, incx, beta, y, incy);
}

/// Likewise with a prepared A.
template <typename T>
void gemv(Layout layout, Op op, std::int64_t m, std::int64_t n, Scalar<T> alpha, OperandOf<T> a,
          const T* x, std::int64_t incx, Scalar<T> beta, T* y, std::int64_t incy) {
  Context::process_default().gemv(layout, op, m, n, alpha, a, x, incx, beta, y, incy);
}

}  // namespace duoblas

#endif
