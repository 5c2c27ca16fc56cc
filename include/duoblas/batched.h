/* Many products in one call, C_i = alpha op(A_i) op(B_i) + beta C_i; included by duoblas.h.
 *
 * Large products are done one after another, each as gemm does it, and the CPU does the others at
 * once; all go one by one if the GPU was asked for. What gemm says about sizes, leading dimensions,
 * beta == 0, k == 0, complex scalars, element types and threads holds here. No C may overlap
 * another C or any A or B of the call; an A or a B may be several products'. The matrices, and the
 * arrays of pointers and sizes, are used only during the call. If count == 0, only the sizes are
 * checked. The arithmetic is exact (duoblas_set_math is for gemm).
 */
#ifndef DUOBLAS_BATCHED_H
#define DUOBLAS_BATCHED_H

#include <duoblas/duoblas.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A_i begins stride_a elements behind A_(i-1), for i from 1 to count - 1; B_i and C_i likewise. If
 * stride_a or stride_b is 0, all products use the same A or B. Illegal arguments are numbered as
 * for gemm up to 7 (alpha), then 8 (a), 9 (lda), 10 (stride_a), 11 (b), 12 (ldb), 13 (stride_b), 15
 * (c), 16 (ldc), 17 (stride_c), 18 (count). A stride is illegal if it is negative; stride_c also if
 * matrices C overlap. Rows of one C may lie between those of another. */
DUOBLAS_C_API duoblas_status duoblas_sgemm_strided_batched(
    duoblas_layout layout, duoblas_op op_a, duoblas_op op_b, int64_t m, int64_t n, int64_t k,
    float alpha, const float* a, int64_t lda, int64_t stride_a, const float* b, int64_t ldb,
    int64_t stride_b, float beta, float* c, int64_t ldc, int64_t stride_c, int64_t count);
DUOBLAS_C_API duoblas_status duoblas_dgemm_strided_batched(
    duoblas_layout layout, duoblas_op op_a, duoblas_op op_b, int64_t m, int64_t n, int64_t k,
    double alpha, const double* a, int64_t lda, int64_t stride_a, const double* b, int64_t ldb,
    int64_t stride_b, double beta, double* c, int64_t ldc, int64_t stride_c, int64_t count);
DUOBLAS_C_API duoblas_status duoblas_cgemm_strided_batched(
    duoblas_layout layout, duoblas_op op_a, duoblas_op op_b, int64_t m, int64_t n, int64_t k,
    const void* alpha, const void* a, int64_t lda, int64_t stride_a, const void* b, int64_t ldb,
    int64_t stride_b, const void* beta, void* c, int64_t ldc, int64_t stride_c, int64_t count);
DUOBLAS_C_API duoblas_status duoblas_zgemm_strided_batched(
    duoblas_layout layout, duoblas_op op_a, duoblas_op op_b, int64_t m, int64_t n, int64_t k,
    const void* alpha, const void* a, int64_t lda, int64_t stride_a, const void* b, int64_t ldb,
    int64_t stride_b, const void* beta, void* c, int64_t ldc, int64_t stride_c, int64_t count);

/* Each of the three arrays has `count` pointers, in any order. Illegal arguments as gemm's, the
 * arrays at the places of a, b and c, and 15 (count). */
DUOBLAS_C_API duoblas_status duoblas_sgemm_batched(duoblas_layout layout, duoblas_op op_a,
                                                   duoblas_op op_b, int64_t m, int64_t n, int64_t k,
                                                   float alpha, const float* const* a, int64_t lda,
                                                   const float* const* b, int64_t ldb, float beta,
                                                   float* const* c, int64_t ldc, int64_t count);
DUOBLAS_C_API duoblas_status duoblas_dgemm_batched(duoblas_layout layout, duoblas_op op_a,
                                                   duoblas_op op_b, int64_t m, int64_t n, int64_t k,
                                                   double alpha, const double* const* a,
                                                   int64_t lda, const double* const* b, int64_t ldb,
                                                   double beta, double* const* c, int64_t ldc,
                                                   int64_t count);
DUOBLAS_C_API duoblas_status duoblas_cgemm_batched(duoblas_layout layout, duoblas_op op_a,
                                                   duoblas_op op_b, int64_t m, int64_t n, int64_t k,
                                                   const void* alpha, const void* const* a,
                                                   int64_t lda, const void* const* b, int64_t ldb,
                                                   const void* beta, void* const* c, int64_t ldc,
                                                   int64_t count);
DUOBLAS_C_API duoblas_status duoblas_zgemm_batched(duoblas_layout layout, duoblas_op op_a,
                                                   duoblas_op op_b, int64_t m, int64_t n, int64_t k,
                                                   const void* alpha, const void* const* a,
                                                   int64_t lda, const void* const* b, int64_t ldb,
                                                   const void* beta, void* const* c, int64_t ldc,
                                                   int64_t count);

/* group_count groups of products. Each group has its own ops, sizes, scalars and leading
 * dimensions: element g of the arrays. Group g has group_sizes[g] products; in a, b and c their
 * pointers follow those of the groups before it. For c and z alpha and beta hold pairs. Illegal
 * arguments are numbered as for gemm, at the places of the arrays, with the group in
 * duoblas_last_error(); then 15 (group_count) and 16 (group_sizes). */
DUOBLAS_C_API duoblas_status duoblas_sgemm_grouped(
    duoblas_layout layout, const duoblas_op* op_a, const duoblas_op* op_b, const int64_t* m,
    const int64_t* n, const int64_t* k, const float* alpha, const float* const* a,
    const int64_t* lda, const float* const* b, const int64_t* ldb, const float* beta,
    float* const* c, const int64_t* ldc, int64_t group_count, const int64_t* group_sizes);
DUOBLAS_C_API duoblas_status duoblas_dgemm_grouped(
    duoblas_layout layout, const duoblas_op* op_a, const duoblas_op* op_b, const int64_t* m,
    const int64_t* n, const int64_t* k, const double* alpha, const double* const* a,
    const int64_t* lda, const double* const* b, const int64_t* ldb, const double* beta,
    double* const* c, const int64_t* ldc, int64_t group_count, const int64_t* group_sizes);
DUOBLAS_C_API duoblas_status duoblas_cgemm_grouped(
    duoblas_layout layout, const duoblas_op* op_a, const duoblas_op* op_b, const int64_t* m,
    const int64_t* n, const int64_t* k, const void* alpha, const void* const* a, const int64_t* lda,
    const void* const* b, const int64_t* ldb, const void* beta, void* const* c, const int64_t* ldc,
    int64_t group_count, const int64_t* group_sizes);
DUOBLAS_C_API duoblas_status duoblas_zgemm_grouped(
    duoblas_layout layout, const duoblas_op* op_a, const duoblas_op* op_b, const int64_t* m,
    const int64_t* n, const int64_t* k, const void* alpha, const void* const* a, const int64_t* lda,
    const void* const* b, const int64_t* ldb, const void* beta, void* const* c, const int64_t* ldc,
    int64_t group_count, const int64_t* group_sizes);

#ifdef __cplusplus
}
#endif

#endif
