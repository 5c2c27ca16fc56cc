// Linear equations and QR in the default context, as gemm.hpp for gemm.
#ifndef DUOBLAS_LAPACK_HPP
#define DUOBLAS_LAPACK_HPP

#include <complex>
#include <cstdint>

#include <duoblas/context.hpp>

// Each is Context::NAME of the process's default context: arguments, results, errors and threading
// as there.
namespace duoblas {

template <typename T>
[[nodiscard]] std::int64_t getrf(std::int64_t m, std::int64_t n, T* a, std::int64_t lda,
                                 std::int64_t* pivots) {
  return Context::process_default().getrf(m, n, a, lda, pivots);
}

template <typename T>
[[nodiscard]] std::int64_t potrf(Uplo uplo, std::int64_t n, T* a, std::int64_t lda) {
  return Context::process_default().potrf(uplo, n, a, lda);
}

template <typename T>
[[nodiscard]] std::int64_t gesv(std::int64_t n, std::int64_t right_sides, T* a, std::int64_t lda,
                                std::int64_t* pivots, T* b, std::int64_t ldb) {
  return Context::process_default().gesv(n, right_sides, a, lda, pivots, b, ldb);
}

template <typename T>
[[nodiscard]] std::int64_t posv(Uplo uplo, std::int64_t n, std::int64_t right_sides, T* a,
                                std::int64_t lda, T* b, std::int64_t ldb) {
  return Context::process_default().posv(uplo, n, right_sides, a, lda, b, ldb);
}

template <typename T>
void getrs(Op op, std::int64_t n, std::int64_t right_sides, const T* a, std::int64_t lda,
           const std::int64_t* pivots, T* b, std::int64_t ldb) {
  Context::process_default().getrs(op, n, right_sides, a, lda, pivots, b, ldb);
}

template <typename T>
void potrs(Uplo uplo, std::int64_t n, std::int64_t right_sides, const T* a, std::int64_t lda, T* b,
           std::int64_t ldb) {
  Context::process_default().potrs(uplo, n, right_sides, a, lda, b, ldb);
}

template <typename T>
void geqrf(std::int64_t m, std::int64_t n, T* a, std::int64_t lda, T* tau) {
  Context::process_default().geqrf(m, n, a, lda, tau);
}

template <typename T>
void orgqr(std::int64_t m, std::int64_t n, std::int64_t k, T* a, std::int64_t lda, const T* tau) {
  Context::process_default().orgqr(m, n, k, a, lda, tau);
}

template <typename T>
void ormqr(Side side, Op op, std::int64_t m, std::int64_t n, std::int64_t k, const T* a,
           std::int64_t lda, const T* tau, T* c, std::int64_t ldc) {
  Context::process_default().ormqr(side, op, m, n, k, a, lda, tau, c, ldc);
}

template <typename T>
[[nodiscard]] std::int64_t getri(std::int64_t n, T* a, std::int64_t lda,
                                 const std::int64_t* pivots) {
  return Context::process_default().getri(n, a, lda, pivots);
}

#define DUOBLAS_LAPACK_OF(T)                                                                      \
  extern template DUOBLAS_API std::int64_t Context::getrf<T>(std::int64_t, std::int64_t, T*,      \
                                                             std::int64_t, std::int64_t*);        \
  extern template DUOBLAS_API std::int64_t Context::potrf<T>(Uplo, std::int64_t, T*,              \
                                                             std::int64_t);                       \
  extern template DUOBLAS_API std::int64_t Context::gesv<T>(                                      \
      std::int64_t, std::int64_t, T*, std::int64_t, std::int64_t*, T*, std::int64_t);             \
  extern template DUOBLAS_API std::int64_t Context::posv<T>(Uplo, std::int64_t, std::int64_t, T*, \
                                                            std::int64_t, T*, std::int64_t);      \
  extern template DUOBLAS_API std::int64_t Context::getri<T>(std::int64_t, T*, std::int64_t,      \
                                                             const std::int64_t*);                \
  extern template DUOBLAS_API void Context::getrs<T>(Op, std::int64_t, std::int64_t, const T*,    \
                                                     std::int64_t, const std::int64_t*, T*,       \
                                                     std::int64_t);                               \
  extern template DUOBLAS_API void Context::potrs<T>(Uplo, std::int64_t, std::int64_t, const T*,  \
                                                     std::int64_t, T*, std::int64_t)
DUOBLAS_LAPACK_OF(float);
DUOBLAS_LAPACK_OF(double);
DUOBLAS_LAPACK_OF(std::complex<float>);
DUOBLAS_LAPACK_OF(std::complex<double>);
#undef DUOBLAS_LAPACK_OF
#define DUOBLAS_QR_OF(T)                                                                           \
  extern template DUOBLAS_API void Context::geqrf<T>(std::int64_t, std::int64_t, T*, std::int64_t, \
                                                     T*);                                          \
  extern template DUOBLAS_API void Context::orgqr<T>(std::int64_t, std::int64_t, std::int64_t, T*, \
                                                     std::int64_t, const T*);                      \
  extern template DUOBLAS_API void Context::ormqr<T>(Side, Op, std::int64_t, std::int64_t,         \
                                                     std::int64_t, const T*, std::int64_t,         \
                                                     const T*, T*, std::int64_t)
DUOBLAS_QR_OF(float);
DUOBLAS_QR_OF(double);
DUOBLAS_QR_OF(std::complex<float>);
DUOBLAS_QR_OF(std::complex<double>);
#undef DUOBLAS_QR_OF

}  // namespace duoblas

#endif
