/* A matrix by a vector, in C99: included by duoblas.h. */
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

#ifdef __cplusplus
}
#endif

#endif
