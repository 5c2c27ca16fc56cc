// The C functions of lapack.h.
#include <complex>

#include <duoblas/duoblas.h>
#include <duoblas/lapack.h>
#include <duoblas/lapack.hpp>

#include "api/c_arguments.hpp"
#include "api/c_lapack.hpp"

namespace {

using duoblas::Context;
using duoblas::guarded;
using duoblas::op_of;
using duoblas::uplo_of;
using duoblas::with_info;

Context& context() {
  return Context::process_default();
}

constexpr const char* zero_pivot =
    "the matrix is singular: element %lld of the diagonal of U is exactly zero";
constexpr const char* not_positive =
    "the matrix is not positive definite: its leading minor of order %lld is not positive";

template <typename T>
duoblas_status getrf(int64_t m, int64_t n, void* a, int64_t lda, int64_t* pivots, int64_t* info) {
  return with_info(info, zero_pivot,
                   [&] { return context().getrf(m, n, static_cast<T*>(a), lda, pivots); });
}

template <typename T>
duoblas_status potrf(duoblas_uplo uplo, int64_t n, void* a, int64_t lda, int64_t* info) {
  return with_info(info, not_positive,
                   [&] { return context().potrf(uplo_of(uplo), n, static_cast<T*>(a), lda); });
}

constexpr const char* zero_in_factor =
    "the matrix has no inverse: element %lld of the diagonal of its factor is exactly zero";

template <typename T>
duoblas_status getri(int64_t n, void* a, int64_t lda, const int64_t* pivots, int64_t* info) {
  return with_info(info, zero_in_factor,
                   [&] { return context().getri(n, static_cast<T*>(a), lda, pivots); });
}

template <typename T>
duoblas_status potri(duoblas_uplo uplo, int64_t n, void* a, int64_t lda, int64_t* info) {
  return with_info(info, zero_in_factor,
                   [&] { return context().potri(uplo_of(uplo), n, static_cast<T*>(a), lda); });
}

struct Sides {
  int64_t count;
  void* b;
  int64_t ldb;
};

template <typename T>
duoblas_status gesv(int64_t n, void* a, int64_t lda, int64_t* pivots, const Sides& x,
                    int64_t* info) {
  return with_info(info, zero_pivot, [&] {
    return context().gesv(n, x.count, static_cast<T*>(a), lda, pivots, static_cast<T*>(x.b), x.ldb);
  });
}

template <typename T>
duoblas_status posv(duoblas_uplo uplo, int64_t n, void* a, int64_t lda, const Sides& x,
                    int64_t* info) {
  return with_info(info, not_positive, [&] {
    return context().posv(uplo_of(uplo), n, x.count, static_cast<T*>(a), lda, static_cast<T*>(x.b),
                          x.ldb);
  });
}

template <typename T>
duoblas_status getrs(duoblas_op op, int64_t n, const void* a, int64_t lda, const int64_t* pivots,
                     const Sides& x) {
  return guarded([&] {
    context().getrs(op_of(op), n, x.count, static_cast<const T*>(a), lda, pivots,
                    static_cast<T*>(x.b), x.ldb);
  });
}

template <typename T>
duoblas_status potrs(duoblas_uplo uplo, int64_t n, const void* a, int64_t lda, const Sides& x) {
  return guarded([&] {
    context().potrs(uplo_of(uplo), n, x.count, static_cast<const T*>(a), lda, static_cast<T*>(x.b),
                    x.ldb);
  });
}

}  // namespace

// E: the element type in the header.
#define DUOBLAS_LAPACK_OF(X, T, E)                                                                 \
  duoblas_status duoblas_##X##getrf(int64_t m, int64_t n, E* a, int64_t lda, int64_t* pivots,      \
                                    int64_t* info) {                                               \
    return getrf<T>(m, n, a, lda, pivots, info);                                                   \
  }                                                                                                \
  duoblas_status duoblas_##X##potrf(duoblas_uplo uplo, int64_t n, E* a, int64_t lda,               \
                                    int64_t* info) {                                               \
    return potrf<T>(uplo, n, a, lda, info);                                                        \
  }                                                                                                \
  duoblas_status duoblas_##X##gesv(int64_t n, int64_t right_sides, E* a, int64_t lda,              \
                                   int64_t* pivots, E* b, int64_t ldb, int64_t* info) {            \
    return gesv<T>(n, a, lda, pivots, {right_sides, b, ldb}, info);                                \
  }                                                                                                \
  duoblas_status duoblas_##X##posv(duoblas_uplo uplo, int64_t n, int64_t right_sides, E* a,        \
                                   int64_t lda, E* b, int64_t ldb, int64_t* info) {                \
    return posv<T>(uplo, n, a, lda, {right_sides, b, ldb}, info);                                  \
  }                                                                                                \
  duoblas_status duoblas_##X##getrs(duoblas_op op, int64_t n, int64_t right_sides, const E* a,     \
                                    int64_t lda, const int64_t* pivots, E* b, int64_t ldb) {       \
    return getrs<T>(op, n, a, lda, pivots, {right_sides, b, ldb});                                 \
  }                                                                                                \
  duoblas_status duoblas_##X##getri(int64_t n, E* a, int64_t lda, const int64_t* pivots,           \
                                    int64_t* info) {                                               \
    return getri<T>(n, a, lda, pivots, info);                                                      \
  }                                                                                                \
  duoblas_status duoblas_##X##potri(duoblas_uplo uplo, int64_t n, E* a, int64_t lda,               \
                                    int64_t* info) {                                               \
    return potri<T>(uplo, n, a, lda, info);                                                        \
  }                                                                                                \
  duoblas_status duoblas_##X##potrs(duoblas_uplo uplo, int64_t n, int64_t right_sides, const E* a, \
                                    int64_t lda, E* b, int64_t ldb) {                              \
    return potrs<T>(uplo, n, a, lda, {right_sides, b, ldb});                                       \
  }

extern "C" {

DUOBLAS_LAPACK_OF(s, float, float)
DUOBLAS_LAPACK_OF(d, double, double)
DUOBLAS_LAPACK_OF(c, std::complex<float>, void)
DUOBLAS_LAPACK_OF(z, std::complex<double>, void)

}  // extern "C"
#undef DUOBLAS_LAPACK_OF
