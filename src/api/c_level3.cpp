// The C functions of duoblas.h for symm, syrk, trsm and so on, in the order of that header.
#include <complex>

#include <duoblas/duoblas.h>
#include <duoblas/context.hpp>

#include "api/c_arguments.hpp"
#include "api/c_status.hpp"

namespace {

using C = std::complex<float>;
using Z = std::complex<double>;
using duoblas::diag_of;
using duoblas::guarded;
using duoblas::layout_of;
using duoblas::op_of;
using duoblas::scalar;
using duoblas::side_of;
using duoblas::uplo_of;

duoblas::Context& context() {
  return duoblas::Context::process_default();
}

}  // namespace

extern "C" {

duoblas_status duoblas_ssymm(duoblas_layout layout, duoblas_side side, duoblas_uplo uplo, int64_t m,
                             int64_t n, float alpha, const float* a, int64_t lda, const float* b,
                             int64_t ldb, float beta, float* c, int64_t ldc) {
  return guarded([&] {
    context().symm(layout_of(layout), side_of(side), uplo_of(uplo), m, n, alpha, a, lda, b, ldb,
                   beta, c, ldc);
  });
}

duoblas_status duoblas_dsymm(duoblas_layout layout, duoblas_side side, duoblas_uplo uplo, int64_t m,
                             int64_t n, double alpha, const double* a, int64_t lda, const double* b,
                             int64_t ldb, double beta, double* c, int64_t ldc) {
  return guarded([&] {
    context().symm(layout_of(layout), side_of(side), uplo_of(uplo), m, n, alpha, a, lda, b, ldb,
                   beta, c, ldc);
  });
}

duoblas_status duoblas_csymm(duoblas_layout layout, duoblas_side side, duoblas_uplo uplo, int64_t m,
                             int64_t n, const void* alpha, const void* a, int64_t lda,
                             const void* b, int64_t ldb, const void* beta, void* c, int64_t ldc) {
  return guarded([&] {
    context().symm(layout_of(layout), side_of(side), uplo_of(uplo), m, n,
                   scalar<C>(alpha, 6, "alpha"), static_cast<const C*>(a), lda,
                   static_cast<const C*>(b), ldb, scalar<C>(beta, 11, "beta"), static_cast<C*>(c),
                   ldc);
  });
}

duoblas_status duoblas_zsymm(duoblas_layout layout, duoblas_side side, duoblas_uplo uplo, int64_t m,
                             int64_t n, const void* alpha, const void* a, int64_t lda,
                             const void* b, int64_t ldb, const void* beta, void* c, int64_t ldc) {
  return guarded([&] {
    context().symm(layout_of(layout), side_of(side), uplo_of(uplo), m, n,
                   scalar<Z>(alpha, 6, "alpha"), static_cast<const Z*>(a), lda,
                   static_cast<const Z*>(b), ldb, scalar<Z>(beta, 11, "beta"), static_cast<Z*>(c),
                   ldc);
  });
}

duoblas_status duoblas_chemm(duoblas_layout layout, duoblas_side side, duoblas_uplo uplo, int64_t m,
                             int64_t n, const void* alpha, const void* a, int64_t lda,
                             const void* b, int64_t ldb, const void* beta, void* c, int64_t ldc) {
  return guarded([&] {
    context().hemm(layout_of(layout), side_of(side), uplo_of(uplo), m, n,
                   scalar<C>(alpha, 6, "alpha"), static_cast<const C*>(a), lda,
                   static_cast<const C*>(b), ldb, scalar<C>(beta, 11, "beta"), static_cast<C*>(c),
                   ldc);
  });
}

duoblas_status duoblas_zhemm(duoblas_layout layout, duoblas_side side, duoblas_uplo uplo, int64_t m,
                             int64_t n, const void* alpha, const void* a, int64_t lda,
                             const void* b, int64_t ldb, const void* beta, void* c, int64_t ldc) {
  return guarded([&] {
    context().hemm(layout_of(layout), side_of(side), uplo_of(uplo), m, n,
                   scalar<Z>(alpha, 6, "alpha"), static_cast<const Z*>(a), lda,
                   static_cast<const Z*>(b), ldb, scalar<Z>(beta, 11, "beta"), static_cast<Z*>(c),
                   ldc);
  });
}

duoblas_status duoblas_ssyrk(duoblas_layout layout, duoblas_uplo uplo, duoblas_op op, int64_t n,
                             int64_t k, float alpha, const float* a, int64_t lda, float beta,
                             float* c, int64_t ldc) {
  return guarded([&] {
    context().syrk(layout_of(layout), uplo_of(uplo), op_of(op), n, k, alpha, a, lda, beta, c, ldc);
  });
}

duoblas_status duoblas_dsyrk(duoblas_layout layout, duoblas_uplo uplo, duoblas_op op, int64_t n,
                             int64_t k, double alpha, const double* a, int64_t lda, double beta,
                             double* c, int64_t ldc) {
  return guarded([&] {
    context().syrk(layout_of(layout), uplo_of(uplo), op_of(op), n, k, alpha, a, lda, beta, c, ldc);
  });
}

duoblas_status duoblas_csyrk(duoblas_layout layout, duoblas_uplo uplo, duoblas_op op, int64_t n,
                             int64_t k, const void* alpha, const void* a, int64_t lda,
                             const void* beta, void* c, int64_t ldc) {
  return guarded([&] {
    context().syrk(layout_of(layout), uplo_of(uplo), op_of(op), n, k, scalar<C>(alpha, 6, "alpha"),
                   static_cast<const C*>(a), lda, scalar<C>(beta, 9, "beta"), static_cast<C*>(c),
                   ldc);
  });
}

duoblas_status duoblas_zsyrk(duoblas_layout layout, duoblas_uplo uplo, duoblas_op op, int64_t n,
                             int64_t k, const void* alpha, const void* a, int64_t lda,
                             const void* beta, void* c, int64_t ldc) {
  return guarded([&] {
    context().syrk(layout_of(layout), uplo_of(uplo), op_of(op), n, k, scalar<Z>(alpha, 6, "alpha"),
                   static_cast<const Z*>(a), lda, scalar<Z>(beta, 9, "beta"), static_cast<Z*>(c),
                   ldc);
  });
}

duoblas_status duoblas_cherk(duoblas_layout layout, duoblas_uplo uplo, duoblas_op op, int64_t n,
                             int64_t k, float alpha, const void* a, int64_t lda, float beta,
                             void* c, int64_t ldc) {
  return guarded([&] {
    context().herk(layout_of(layout), uplo_of(uplo), op_of(op), n, k, alpha,
                   static_cast<const C*>(a), lda, beta, static_cast<C*>(c), ldc);
  });
}

duoblas_status duoblas_zherk(duoblas_layout layout, duoblas_uplo uplo, duoblas_op op, int64_t n,
                             int64_t k, double alpha, const void* a, int64_t lda, double beta,
                             void* c, int64_t ldc) {
  return guarded([&] {
    context().herk(layout_of(layout), uplo_of(uplo), op_of(op), n, k, alpha,
                   static_cast<const Z*>(a), lda, beta, static_cast<Z*>(c), ldc);
  });
}

duoblas_status duoblas_ssyr2k(duoblas_layout layout, duoblas_uplo uplo, duoblas_op op, int64_t n,
                              int64_t k, float alpha, const float* a, int64_t lda, const float* b,
                              int64_t ldb, float beta, float* c, int64_t ldc) {
  return guarded([&] {
    context().syr2k(layout_of(layout), uplo_of(uplo), op_of(op), n, k, alpha, a, lda, b, ldb, beta,
                    c, ldc);
  });
}

duoblas_status duoblas_dsyr2k(duoblas_layout layout, duoblas_uplo uplo, duoblas_op op, int64_t n,
                              int64_t k, double alpha, const double* a, int64_t lda,
                              const double* b, int64_t ldb, double beta, double* c, int64_t ldc) {
  return guarded([&] {
    context().syr2k(layout_of(layout), uplo_of(uplo), op_of(op), n, k, alpha, a, lda, b, ldb, beta,
                    c, ldc);
  });
}

duoblas_status duoblas_csyr2k(duoblas_layout layout, duoblas_uplo uplo, duoblas_op op, int64_t n,
                              int64_t k, const void* alpha, const void* a, int64_t lda,
                              const void* b, int64_t ldb, const void* beta, void* c, int64_t ldc) {
  return guarded([&] {
    context().syr2k(layout_of(layout), uplo_of(uplo), op_of(op), n, k, scalar<C>(alpha, 6, "alpha"),
                    static_cast<const C*>(a), lda, static_cast<const C*>(b), ldb,
                    scalar<C>(beta, 11, "beta"), static_cast<C*>(c), ldc);
  });
}

duoblas_status duoblas_zsyr2k(duoblas_layout layout, duoblas_uplo uplo, duoblas_op op, int64_t n,
                              int64_t k, const void* alpha, const void* a, int64_t lda,
                              const void* b, int64_t ldb, const void* beta, void* c, int64_t ldc) {
  return guarded([&] {
    context().syr2k(layout_of(layout), uplo_of(uplo), op_of(op), n, k, scalar<Z>(alpha, 6, "alpha"),
                    static_cast<const Z*>(a), lda, static_cast<const Z*>(b), ldb,
                    scalar<Z>(beta, 11, "beta"), static_cast<Z*>(c), ldc);
  });
}

duoblas_status duoblas_cher2k(duoblas_layout layout, duoblas_uplo uplo, duoblas_op op, int64_t n,
                              int64_t k, const void* alpha, const void* a, int64_t lda,
                              const void* b, int64_t ldb, float beta, void* c, int64_t ldc) {
  return guarded([&] {
    context().her2k(layout_of(layout), uplo_of(uplo), op_of(op), n, k, scalar<C>(alpha, 6, "alpha"),
                    static_cast<const C*>(a), lda, static_cast<const C*>(b), ldb, beta,
                    static_cast<C*>(c), ldc);
  });
}

duoblas_status duoblas_zher2k(duoblas_layout layout, duoblas_uplo uplo, duoblas_op op, int64_t n,
                              int64_t k, const void* alpha, const void* a, int64_t lda,
                              const void* b, int64_t ldb, double beta, void* c, int64_t ldc) {
  return guarded([&] {
    context().her2k(layout_of(layout), uplo_of(uplo), op_of(op), n, k, scalar<Z>(alpha, 6, "alpha"),
                    static_cast<const Z*>(a), lda, static_cast<const Z*>(b), ldb, beta,
                    static_cast<Z*>(c), ldc);
  });
}

duoblas_status duoblas_strmm(duoblas_layout layout, duoblas_side side, duoblas_uplo uplo,
                             duoblas_op op, duoblas_diag diag, int64_t m, int64_t n, float alpha,
                             const float* a, int64_t lda, float* b, int64_t ldb) {
  return guarded([&] {
    context().trmm(layout_of(layout), side_of(side), uplo_of(uplo), op_of(op), diag_of(diag), m, n,
                   alpha, a, lda, b, ldb);
  });
}

duoblas_status duoblas_dtrmm(duoblas_layout layout, duoblas_side side, duoblas_uplo uplo,
                             duoblas_op op, duoblas_diag diag, int64_t m, int64_t n, double alpha,
                             const double* a, int64_t lda, double* b, int64_t ldb) {
  return guarded([&] {
    context().trmm(layout_of(layout), side_of(side), uplo_of(uplo), op_of(op), diag_of(diag), m, n,
                   alpha, a, lda, b, ldb);
  });
}

duoblas_status duoblas_ctrmm(duoblas_layout layout, duoblas_side side, duoblas_uplo uplo,
                             duoblas_op op, duoblas_diag diag, int64_t m, int64_t n,
                             const void* alpha, const void* a, int64_t lda, void* b, int64_t ldb) {
  return guarded([&] {
    context().trmm(layout_of(layout), side_of(side), uplo_of(uplo), op_of(op), diag_of(diag), m, n,
                   scalar<C>(alpha, 8, "alpha"), static_cast<const C*>(a), lda, static_cast<C*>(b),
                   ldb);
  });
}

duoblas_status duoblas_ztrmm(duoblas_layout layout, duoblas_side side, duoblas_uplo uplo,
                             duoblas_op op, duoblas_diag diag, int64_t m, int64_t n,
                             const void* alpha, const void* a, int64_t lda, void* b, int64_t ldb) {
  return guarded([&] {
    context().trmm(layout_of(layout), side_of(side), uplo_of(uplo), op_of(op), diag_of(diag), m, n,
                   scalar<Z>(alpha, 8, "alpha"), static_cast<const Z*>(a), lda, static_cast<Z*>(b),
                   ldb);
  });
}

duoblas_status duoblas_strsm(duoblas_layout layout, duoblas_side side, duoblas_uplo uplo,
                             duoblas_op op, duoblas_diag diag, int64_t m, int64_t n, float alpha,
                             const float* a, int64_t lda, float* b, int64_t ldb) {
  return guarded([&] {
    context().trsm(layout_of(layout), side_of(side), uplo_of(uplo), op_of(op), diag_of(diag), m, n,
                   alpha, a, lda, b, ldb);
  });
}

duoblas_status duoblas_dtrsm(duoblas_layout layout, duoblas_side side, duoblas_uplo uplo,
                             duoblas_op op, duoblas_diag diag, int64_t m, int64_t n, double alpha,
                             const double* a, int64_t lda, double* b, int64_t ldb) {
  return guarded([&] {
    context().trsm(layout_of(layout), side_of(side), uplo_of(uplo), op_of(op), diag_of(diag), m, n,
                   alpha, a, lda, b, ldb);
  });
}

duoblas_status duoblas_ctrsm(duoblas_layout layout, duoblas_side side, duoblas_uplo uplo,
                             duoblas_op op, duoblas_diag diag, int64_t m, int64_t n,
                             const void* alpha, const void* a, int64_t lda, void* b, int64_t ldb) {
  return guarded([&] {
    context().trsm(layout_of(layout), side_of(side), uplo_of(uplo), op_of(op), diag_of(diag), m, n,
                   scalar<C>(alpha, 8, "alpha"), static_cast<const C*>(a), lda, static_cast<C*>(b),
                   ldb);
  });
}

duoblas_status duoblas_ztrsm(duoblas_layout layout, duoblas_side side, duoblas_uplo uplo,
                             duoblas_op op, duoblas_diag diag, int64_t m, int64_t n,
                             const void* alpha, const void* a, int64_t lda, void* b, int64_t ldb) {
  return guarded([&] {
    context().trsm(layout_of(layout), side_of(side), uplo_of(uplo), op_of(op), diag_of(diag), m, n,
                   scalar<Z>(alpha, 8, "alpha"), static_cast<const Z*>(a), lda, static_cast<Z*>(b),
                   ldb);
  });
}

}  // extern "C"
