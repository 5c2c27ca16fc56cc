// The memory-bound routines, on the default context.
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

/// B = alpha op(A) on the process's default context; as Context::omatcopy.
template <typename T>
void omatcopy(Layout layout, Op op, std::int64_t m, std::int64_t n, Scalar<T> alpha, const T* a,
              std::int64_t lda, T* b, std::int64_t ldb) {
  Context::process_default().omatcopy(layout, op, m, n, alpha, a, lda, b, ldb);
}

/// A += alpha x y^T on the process's default context; as Context::ger.
template <typename T>
void ger(Layout layout, std::int64_t m, std::int64_t n, Scalar<T> alpha, const T* x,
         std::int64_t incx, const T* y, std::int64_t incy, T* a, std::int64_t lda) {
  Context::process_default().ger(layout, m, n, alpha, x, incx, y, incy, a, lda);
}

/// A += alpha x y^H; as Context::gerc.
template <typename T>
void gerc(Layout layout, std::int64_t m, std::int64_t n, Scalar<T> alpha, const T* x,
          std::int64_t incx, const T* y, std::int64_t incy, T* a, std::int64_t lda) {
  Context::process_default().gerc(layout, m, n, alpha, x, incx, y, incy, a, lda);
}

/// y += alpha x on the process's default context; as Context::axpy.
template <typename T>
void axpy(std::int64_t n, Scalar<T> alpha, const T* x, std::int64_t incx, T* y, std::int64_t incy) {
  Context::process_default().axpy(n, alpha, x, incx, y, incy);
}

}  // namespace duoblas

#endif
