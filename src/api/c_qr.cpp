// The C functions of lapack.h that are of QR.
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
using duoblas::side_of;

Context& context() {
  return Context::process_default();
}

constexpr const char* no_rank =
    "the matrix has not full rank: element %lld of the diagonal of R is exactly zero";

// A matrix as the C functions get it.
struct Matrix {
  void* data;
  int64_t ld;
};

template <typename T>
duoblas_status ormqr(duoblas_side side, duoblas_op op, int64_t m, int64_t n, int64_t k,
                     const void* a, int64_t lda, const void* tau, const Matrix& c) {
  return guarded([&] {
    context().ormqr(side_of(side), op_of(op), m, n, k, static_cast<const T*>(a), lda,
                    static_cast<const T*>(tau), static_cast<T*>(c.data), c.ld);
  });
}

template <typename T>
duoblas_status gels(duoblas_op op, int64_t m, int64_t n, int64_t right_sides, const Matrix& a,
                    const Matrix& b, int64_t* info) {
  return duoblas::with_info(info, no_rank, [&] {
    return context().gels(op_of(op), m, n, right_sides, static_cast<T*>(a.data), a.ld,
                          static_cast<T*>(b.data), b.ld);
  });
}

}  // namespace

// E: the element type in the header; Q: LAPACK's word for such matrices.
#define DUOBLAS_QR_OF(X, Q, T, E)                                                                  \
  duoblas_status duoblas_##X##geqrf(int64_t m, int64_t n, E* a, int64_t lda, E* tau) {             \
    return guarded([&] { context().geqrf(m, n, static_cast<T*>(a), lda, static_cast<T*>(tau)); }); \
  }                                                                                                \
  duoblas_status duoblas_##X##Q##gqr(int64_t m, int64_t n, int64_t k, E* a, int64_t lda,           \
                                     const E* tau) {                                               \
    return guarded(                                                                                \
        [&] { context().orgqr(m, n, k, static_cast<T*>(a), lda, static_cast<const T*>(tau)); });   \
  }                                                                                                \
  duoblas_status duoblas_##X##Q##mqr(duoblas_side side, duoblas_op op, int64_t m, int64_t n,       \
                                     int64_t k, const E* a, int64_t lda, const E* tau, E* c,       \
                                     int64_t ldc) {                                                \
    return ormqr<T>(side, op, m, n, k, a, lda, tau, {c, ldc});                                     \
  }                                                                                                \
  duoblas_status duoblas_##X##gels(duoblas_op op, int64_t m, int64_t n, int64_t right_sides, E* a, \
                                   int64_t lda, E* b, int64_t ldb, int64_t* info) {                \
    return gels<T>(op, m, n, right_sides, {a, lda}, {b, ldb}, info);                               \
  }

extern "C" {

DUOBLAS_QR_OF(s, or, float, float)
DUOBLAS_QR_OF(d, or, double, double)
DUOBLAS_QR_OF(c, un, std::complex<float>, void)
DUOBLAS_QR_OF(z, un, std::complex<double>, void)

}  // extern "C"
#undef DUOBLAS_QR_OF
