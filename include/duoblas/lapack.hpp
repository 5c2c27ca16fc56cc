// Linear equations in the default context: what gemm.hpp is for gemm.
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

#define DUOBLAS_LAPACK_OF(T)                                                                      \
  extern template DUOBLAS_API std::int64_t Context::getrf<T>(std::int64_t, std::int64_t, T*,      \
                                                             std::int64_t, std::int64_t*);        \
  extern template DUOBLAS_API std::int64_t Context::potrf<T>(Uplo, std::int64_t, T*,              \
                                                             std::int64_t);                       \
  extern template DUOBLAS_API std::int64_t Context::gesv<T>(                                      \
      std::int64_t, std::int64_t, T*, std::int64_t, std::int64_t*, T*, std::int64_t);             \
  extern template DUOBLAS_API std::int64_t Context::posv<T>(Uplo, std::int64_t, std::int64_t, T*, \
                                                            std::int64_t, T*, std::int64_t);      \
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

}  // namespace duoblas

#endif
