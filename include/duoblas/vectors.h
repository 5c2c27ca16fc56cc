/* The memory-bound routines of DuoBLAS in C99: included by duoblas.h. */
#ifndef DUOBLAS_VECTORS_H
#define DUOBLAS_VECTORS_H

#include <duoblas/duoblas.h>

#ifdef __cplusplus
extern "C" {
#endif

/* y = alpha op(A) x + beta y, with A m x n as stored before op. The argument order is that of
 * CBLAS, sizes and increments have 64 bits; increments are not 0, and where one is negative its
 * vector begins at the end of its memory. y overlaps neither A nor x. beta == 0: y is written
 * without being read. Scalars of c and z as for gemm. Illegal arguments are numbered from 1
 * (layout) to 12 (incy): op 2, m 3, n 4, alpha 5, a 6, lda 7, x 8, incx 9, beta 10, y 11. */
DUOBLAS_C_API duoblas_status duoblas_sgemv(duoblas_layout layout, duoblas_op op, int64_t m,
                                           int64_t n, float alpha, const float* a, int64_t lda,
                                           const float* x, int64_t incx, float beta, float* y,
                                           int64_t incy);
DUOBLAS_C_API duoblas_status duoblas_dgemv(duoblas_layout layout, duoblas_op op, int64_t m,
                                           int64_t n, double alpha, const double* a, int64_t lda,
                                           const double* x, int64_t incx, double beta, double* y,
                                           int64_t incy);
DUOBLAS_C_API duoblas_status duoblas_cgemv(duoblas_layout layout, duoblas_op op, int64_t m,
                                           int64_t n, const void* alpha, const void* a, int64_t lda,
                                           const void* x, int64_t incx, const void* beta, void* y,
                                           int64_t incy);
DUOBLAS_C_API duoblas_status duoblas_zgemv(duoblas_layout layout, duoblas_op op, int64_t m,
                                           int64_t n, const void* alpha, const void* a, int64_t lda,
                                           const void* x, int64_t incx, const void* beta, void* y,
                                           int64_t incy);

/* The same with A given as a duoblas_operand, as for gemm_prepared. */
DUOBLAS_C_API duoblas_status duoblas_sgemv_prepared(duoblas_layout layout, duoblas_op op, int64_t m,
                                                    int64_t n, float alpha, duoblas_operand a,
                                                    const float* x, int64_t incx, float beta,
                                                    float* y, int64_t incy);
DUOBLAS_C_API duoblas_status duoblas_dgemv_prepared(duoblas_layout layout, duoblas_op op, int64_t m,
                                                    int64_t n, double alpha, duoblas_operand a,
                                                    const double* x, int64_t incx, double beta,
                                                    double* y, int64_t incy);
DUOBLAS_C_API duoblas_status duoblas_cgemv_prepared(duoblas_layout layout, duoblas_op op, int64_t m,
                                                    int64_t n, const void* alpha, duoblas_operand a,
                                                    const void* x, int64_t incx, const void* beta,
                                                    void* y, int64_t incy);
DUOBLAS_C_API duoblas_status duoblas_zgemv_prepared(duoblas_layout layout, duoblas_op op, int64_t m,
                                                    int64_t n, const void* alpha, duoblas_operand a,
                                                    const void* x, int64_t incx, const void* beta,
                                                    void* y, int64_t incy);

/* B = alpha op(A), out of place: A is m x n as stored before op, B m x n or n x m, both in
 * `layout`. B overlaps A nowhere. alpha == 0: A is not read. Illegal arguments: layout 1, op 2, m
 * 3, n 4, alpha 5, a 6, lda 7, b 8, ldb 9. */
DUOBLAS_C_API duoblas_status duoblas_somatcopy(duoblas_layout layout, duoblas_op op, int64_t m,
                                               int64_t n, float alpha, const float* a, int64_t lda,
                                               float* b, int64_t ldb);
DUOBLAS_C_API duoblas_status duoblas_domatcopy(duoblas_layout layout, duoblas_op op, int64_t m,
                                               int64_t n, double alpha, const double* a,
                                               int64_t lda, double* b, int64_t ldb);
DUOBLAS_C_API duoblas_status duoblas_comatcopy(duoblas_layout layout, duoblas_op op, int64_t m,
                                               int64_t n, const void* alpha, const void* a,
                                               int64_t lda, void* b, int64_t ldb);
DUOBLAS_C_API duoblas_status duoblas_zomatcopy(duoblas_layout layout, duoblas_op op, int64_t m,
                                               int64_t n, const void* alpha, const void* a,
                                               int64_t lda, void* b, int64_t ldb);

/* A += alpha x y^T (ger, geru) or alpha x y^H (gerc), A m x n. Increments as gemv's. A overlaps
 * neither x nor y. alpha == 0: A stays as it is, nothing is read. Illegal arguments: layout 1, m 2,
 * n 3, alpha 4, x 5, incx 6, y 7, incy 8, a 9, lda 10. */
DUOBLAS_C_API duoblas_status duoblas_sger(duoblas_layout layout, int64_t m, int64_t n, float alpha,
                                          const float* x, int64_t incx, const float* y,
                                          int64_t incy, float* a, int64_t lda);
DUOBLAS_C_API duoblas_status duoblas_dger(duoblas_layout layout, int64_t m, int64_t n, double alpha,
                                          const double* x, int64_t incx, const double* y,
                                          int64_t incy, double* a, int64_t lda);
DUOBLAS_C_API duoblas_status duoblas_cgeru(duoblas_layout layout, int64_t m, int64_t n,
                                           const void* alpha, const void* x, int64_t incx,
                                           const void* y, int64_t incy, void* a, int64_t lda);
DUOBLAS_C_API duoblas_status duoblas_zgeru(duoblas_layout layout, int64_t m, int64_t n,
                                           const void* alpha, const void* x, int64_t incx,
                                           const void* y, int64_t incy, void* a, int64_t lda);
DUOBLAS_C_API duoblas_status duoblas_cgerc(duoblas_layout layout, int64_t m, int64_t n,
                                           const void* alpha, const void* x, int64_t incx,
                                           const void* y, int64_t incy, void* a, int64_t lda);
DUOBLAS_C_API duoblas_status duoblas_zgerc(duoblas_layout layout, int64_t m, int64_t n,
                                           const void* alpha, const void* x, int64_t incx,
                                           const void* y, int64_t incy, void* a, int64_t lda);

/* y += alpha x, with n elements. Increments as for gemv, or 0: incx == 0 adds the same element
 * again and again, incy == 0 adds all to one element. y does not overlap x. alpha == 0: y stays as
 * it is, nothing is read. Illegal arguments: n 1, alpha 2, x 3, incx 4, y 5, incy 6. */
DUOBLAS_C_API duoblas_status duoblas_saxpy(int64_t n, float alpha, const float* x, int64_t incx,
                                           float* y, int64_t incy);
DUOBLAS_C_API duoblas_status duoblas_daxpy(int64_t n, double alpha, const double* x, int64_t incx,
                                           double* y, int64_t incy);
DUOBLAS_C_API duoblas_status duoblas_caxpy(int64_t n, const void* alpha, const void* x,
                                           int64_t incx, void* y, int64_t incy);
DUOBLAS_C_API duoblas_status duoblas_zaxpy(int64_t n, const void* alpha, const void* x,
                                           int64_t incx, void* y, int64_t incy);

#ifdef __cplusplus
}
#endif

#endif
