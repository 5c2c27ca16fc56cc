// The rest of level 3 in the default context, as gemm.hpp for gemm.
#ifndef DUOBLAS_LEVEL3_HPP
#define DUOBLAS_LEVEL3_HPP

#include <cstdint>
#include <vector>

#include <duoblas/context.hpp>

// Each is Context::NAME of the process's default context: arguments, errors and threading as there.
namespace duoblas {

template <typename T>
void symm(Layout layout, Side side, Uplo uplo, std::int64_t m, std::int64_t n, Scalar<T> alpha,
          const T* a, std::int64_t lda, const T* b, std::int64_t ldb, Scalar<T> beta, T* c,
          std::int64_t ldc) {
  Context::process_default().symm(layout, side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc);
}

template <typename T>
void hemm(Layout layout, Side side, Uplo uplo, std::int64_t m, std::int64_t n, Scalar<T> alpha,
          const T* a, std::int64_t lda, const T* b, std::int64_t ldb, Scalar<T> beta, T* c,
          std::int64_t ldc) {
  Context::process_default().hemm(layout, side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc);
}

template <typename T>
void syrk(Layout layout, Uplo uplo, Op op, std::int64_t n, std::int64_t k, Scalar<T> alpha,
          const T* a, std::int64_t lda, Scalar<T> beta, T* c, std::int64_t ldc) {
  Context::process_default().syrk(layout, uplo, op, n, k, alpha, a, lda, beta, c, ldc);
}

template <typename T>
void herk(Layout layout, Uplo uplo, Op op, std::int64_t n, std::int64_t k, Real<T> alpha,
          const T* a, std::int64_t lda, Real<T> beta, T* c, std::int64_t ldc) {
  Context::process_default().herk(layout, uplo, op, n, k, alpha, a, lda, beta, c, ldc);
}

template <typename T>
void syr2k(Layout layout, Uplo uplo, Op op, std::int64_t n, std::int64_t k, Scalar<T> alpha,
           const T* a, std::int64_t lda, const T* b, std::int64_t ldb, Scalar<T> beta, T* c,
           std::int64_t ldc) {
  Context::process_default().syr2k(layout, uplo, op, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

template <typename T>
void her2k(Layout layout, Uplo uplo, Op op, std::int64_t n, std::int64_t k, Scalar<T> alpha,
           const T* a, std::int64_t lda, const T* b, std::int64_t ldb, Real<T> beta, T* c,
           std::int64_t ldc) {
  Context::process_default().her2k(layout, uplo, op, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

template <typename T>
void trmm(Layout layout, Side side, Uplo uplo, Op op, Diag diag, std::int64_t m, std::int64_t n,
          Scalar<T> alpha, const T* a, std::int64_t lda, T* b, std::int64_t ldb) {
  Context::process_default().trmm(layout, side, uplo, op, diag, m, n, alpha, a, lda, b, ldb);
}

template <typename T>
void trsm(Layout layout, Side side, Uplo uplo, Op op, Diag diag, std::int64_t m, std::int64_t n,
          Scalar<T> alpha, const T* a, std::int64_t lda, T* b, std::int64_t ldb) {
  Context::process_default().trsm(layout, side, uplo, op, diag, m, n, alpha, a, lda, b, ldb);
}

}  // namespace duoblas

#endif
