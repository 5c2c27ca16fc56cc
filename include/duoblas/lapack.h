/* Linear equations and QR in C99, as LAPACK has them: included by duoblas.h.
 *
 * Matrices are column-major: column j of A begins at a + j lda. (A row-major matrix is seen
 * transposed: solve with DUOBLAS_TRANS after getrf; the triangle of a real symmetric one is the
 * other.) The argument order is that of LAPACK (E. Anderson and others, LAPACK Users' Guide, 1999),
 * and so are the numbers of illegal arguments in duoblas_last_error(): from 1, without a layout.
 * Sizes, leading dimensions and pivots have 64 bits; sizes and leading dimensions are at most 2^31
 * - 65536. Elements of c and z are pairs (real, imaginary). No matrix overlaps another, or the
 * pivots. Threads as for gemm.
 *
 * A matrix that is singular or not positive definite is DUOBLAS_SINGULAR, and *info says where.
 * Otherwise *info is 0, or with another error as it was. info may be null. DUOBLAS_NO_CPU_BLAS: the
 * CPU BLAS has no LAPACK.
 */
#ifndef DUOBLAS_LAPACK_H
#define DUOBLAS_LAPACK_H

#include <duoblas/duoblas.h>

#ifdef __cplusplus
extern "C" {
#endif

/* P L U = A: A, m x n, becomes L (its diagonal of ones is not stored) and U; pivots gets min(m, n)
 * rows, counted from 1: row i was swapped with row pivots[i - 1]. *info is the first i, counted
 * from 1, for which U(i, i) is zero: the factors are complete, but U is singular. */
DUOBLAS_C_API duoblas_status duoblas_sgetrf(int64_t m, int64_t n, float* a, int64_t lda,
                                            int64_t* pivots, int64_t* info);
DUOBLAS_C_API duoblas_status duoblas_dgetrf(int64_t m, int64_t n, double* a, int64_t lda,
                                            int64_t* pivots, int64_t* info);
DUOBLAS_C_API duoblas_status duoblas_cgetrf(int64_t m, int64_t n, void* a, int64_t lda,
                                            int64_t* pivots, int64_t* info);
DUOBLAS_C_API duoblas_status duoblas_zgetrf(int64_t m, int64_t n, void* a, int64_t lda,
                                            int64_t* pivots, int64_t* info);

/* L L^H = A (lower) or U^H U = A (upper) of a symmetric or (c and z) Hermitian positive definite A,
 * n x n. The other triangle is neither read nor written, and imaginary parts of the diagonal are
 * not read. *info is the order of the first leading minor that is not positive: A then holds no
 * factors. */
DUOBLAS_C_API duoblas_status duoblas_spotrf(duoblas_uplo uplo, int64_t n, float* a, int64_t lda,
                                            int64_t* info);
DUOBLAS_C_API duoblas_status duoblas_dpotrf(duoblas_uplo uplo, int64_t n, double* a, int64_t lda,
                                            int64_t* info);
DUOBLAS_C_API duoblas_status duoblas_cpotrf(duoblas_uplo uplo, int64_t n, void* a, int64_t lda,
                                            int64_t* info);
DUOBLAS_C_API duoblas_status duoblas_zpotrf(duoblas_uplo uplo, int64_t n, void* a, int64_t lda,
                                            int64_t* info);

/* Solves A X = B, with A n x n and B n x right_sides: X replaces B, and A and the pivots become
 * those of getrf. *info as getrf's; where it is not 0, B is as it was. */
DUOBLAS_C_API duoblas_status duoblas_sgesv(int64_t n, int64_t right_sides, float* a, int64_t lda,
                                           int64_t* pivots, float* b, int64_t ldb, int64_t* info);
DUOBLAS_C_API duoblas_status duoblas_dgesv(int64_t n, int64_t right_sides, double* a, int64_t lda,
                                           int64_t* pivots, double* b, int64_t ldb, int64_t* info);
DUOBLAS_C_API duoblas_status duoblas_cgesv(int64_t n, int64_t right_sides, void* a, int64_t lda,
                                           int64_t* pivots, void* b, int64_t ldb, int64_t* info);
DUOBLAS_C_API duoblas_status duoblas_zgesv(int64_t n, int64_t right_sides, void* a, int64_t lda,
                                           int64_t* pivots, void* b, int64_t ldb, int64_t* info);

/* The same with a symmetric or Hermitian positive definite A, which becomes potrf's. *info as
 * potrf's; where it is not 0, B is as it was. */
DUOBLAS_C_API duoblas_status duoblas_sposv(duoblas_uplo uplo, int64_t n, int64_t right_sides,
                                           float* a, int64_t lda, float* b, int64_t ldb,
                                           int64_t* info);
DUOBLAS_C_API duoblas_status duoblas_dposv(duoblas_uplo uplo, int64_t n, int64_t right_sides,
                                           double* a, int64_t lda, double* b, int64_t ldb,
                                           int64_t* info);
DUOBLAS_C_API duoblas_status duoblas_cposv(duoblas_uplo uplo, int64_t n, int64_t right_sides,
                                           void* a, int64_t lda, void* b, int64_t ldb,
                                           int64_t* info);
DUOBLAS_C_API duoblas_status duoblas_zposv(duoblas_uplo uplo, int64_t n, int64_t right_sides,
                                           void* a, int64_t lda, void* b, int64_t ldb,
                                           int64_t* info);

/* Solves op(A) X = B with what getrf made of A and of the pivots, each of which has to be from 1 to
 * n; X replaces B. Where U is singular, X has infinities and NaN. */
DUOBLAS_C_API duoblas_status duoblas_sgetrs(duoblas_op op, int64_t n, int64_t right_sides,
                                            const float* a, int64_t lda, const int64_t* pivots,
                                            float* b, int64_t ldb);
DUOBLAS_C_API duoblas_status duoblas_dgetrs(duoblas_op op, int64_t n, int64_t right_sides,
                                            const double* a, int64_t lda, const int64_t* pivots,
                                            double* b, int64_t ldb);
DUOBLAS_C_API duoblas_status duoblas_cgetrs(duoblas_op op, int64_t n, int64_t right_sides,
                                            const void* a, int64_t lda, const int64_t* pivots,
                                            void* b, int64_t ldb);
DUOBLAS_C_API duoblas_status duoblas_zgetrs(duoblas_op op, int64_t n, int64_t right_sides,
                                            const void* a, int64_t lda, const int64_t* pivots,
                                            void* b, int64_t ldb);

/* Solves A X = B with what potrf made of A; X replaces B. */
DUOBLAS_C_API duoblas_status duoblas_spotrs(duoblas_uplo uplo, int64_t n, int64_t right_sides,
                                            const float* a, int64_t lda, float* b, int64_t ldb);
DUOBLAS_C_API duoblas_status duoblas_dpotrs(duoblas_uplo uplo, int64_t n, int64_t right_sides,
                                            const double* a, int64_t lda, double* b, int64_t ldb);
DUOBLAS_C_API duoblas_status duoblas_cpotrs(duoblas_uplo uplo, int64_t n, int64_t right_sides,
                                            const void* a, int64_t lda, void* b, int64_t ldb);
DUOBLAS_C_API duoblas_status duoblas_zpotrs(duoblas_uplo uplo, int64_t n, int64_t right_sides,
                                            const void* a, int64_t lda, void* b, int64_t ldb);

/* inv(A) replaces what getrf made of A and of the pivots, each of which has to be from 1 to n.
 * *info is the first i, counted from 1, for which U(i, i) is zero: nothing was written then. */
DUOBLAS_C_API duoblas_status duoblas_sgetri(int64_t n, float* a, int64_t lda, const int64_t* pivots,
                                            int64_t* info);
DUOBLAS_C_API duoblas_status duoblas_dgetri(int64_t n, double* a, int64_t lda,
                                            const int64_t* pivots, int64_t* info);
DUOBLAS_C_API duoblas_status duoblas_cgetri(int64_t n, void* a, int64_t lda, const int64_t* pivots,
                                            int64_t* info);
DUOBLAS_C_API duoblas_status duoblas_zgetri(int64_t n, void* a, int64_t lda, const int64_t* pivots,
                                            int64_t* info);

/* QR. Workspaces are ours: LAPACK's work and lwork are neither arguments nor counted in the numbers
 * of illegal ones.
 *
 * Q R = A: A, m x n, becomes R (on and above the diagonal) and, below it, reflectors I - tau v v^H
 * whose product is Q; tau gets min(m, n) elements. v is a column of A below the diagonal, with a 1
 * there. */
DUOBLAS_C_API duoblas_status duoblas_sgeqrf(int64_t m, int64_t n, float* a, int64_t lda,
                                            float* tau);
DUOBLAS_C_API duoblas_status duoblas_dgeqrf(int64_t m, int64_t n, double* a, int64_t lda,
                                            double* tau);
DUOBLAS_C_API duoblas_status duoblas_cgeqrf(int64_t m, int64_t n, void* a, int64_t lda, void* tau);
DUOBLAS_C_API duoblas_status duoblas_zgeqrf(int64_t m, int64_t n, void* a, int64_t lda, void* tau);

/* The first n columns of the product of the first k of geqrf's reflectors, in their place: A is m x
 * n, m >= n >= k. */
DUOBLAS_C_API duoblas_status duoblas_sorgqr(int64_t m, int64_t n, int64_t k, float* a, int64_t lda,
                                            const float* tau);
DUOBLAS_C_API duoblas_status duoblas_dorgqr(int64_t m, int64_t n, int64_t k, double* a, int64_t lda,
                                            const double* tau);
DUOBLAS_C_API duoblas_status duoblas_cungqr(int64_t m, int64_t n, int64_t k, void* a, int64_t lda,
                                            const void* tau);
DUOBLAS_C_API duoblas_status duoblas_zungqr(int64_t m, int64_t n, int64_t k, void* a, int64_t lda,
                                            const void* tau);

/* C = op(Q) C (left) or C op(Q) (right), C m x n, with the product Q of k reflectors that geqrf
 * left in A's first k columns, of m rows (left) or n (right), which are at least k. op is none, or
 * DUOBLAS_CONJ_TRANS; of s and d DUOBLAS_TRANS is the same. */
DUOBLAS_C_API duoblas_status duoblas_sormqr(duoblas_side side, duoblas_op op, int64_t m, int64_t n,
                                            int64_t k, const float* a, int64_t lda,
                                            const float* tau, float* c, int64_t ldc);
DUOBLAS_C_API duoblas_status duoblas_dormqr(duoblas_side side, duoblas_op op, int64_t m, int64_t n,
                                            int64_t k, const double* a, int64_t lda,
                                            const double* tau, double* c, int64_t ldc);
DUOBLAS_C_API duoblas_status duoblas_cunmqr(duoblas_side side, duoblas_op op, int64_t m, int64_t n,
                                            int64_t k, const void* a, int64_t lda, const void* tau,
                                            void* c, int64_t ldc);
DUOBLAS_C_API duoblas_status duoblas_zunmqr(duoblas_side side, duoblas_op op, int64_t m, int64_t n,
                                            int64_t k, const void* a, int64_t lda, const void* tau,
                                            void* c, int64_t ldc);

#ifdef __cplusplus
}
#endif

#endif
