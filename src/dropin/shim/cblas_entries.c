/* The CBLAS names. Scalars are values where they are real, addresses where they are complex. */
#include "dropin/shim/cblas_values.h"
#include "dropin/shim/entry.h"

#define SCALAR_f float
#define SCALAR_d double
#define SCALAR_p const void*
#define ADDRESS_f &
#define ADDRESS_d &
#define ADDRESS_p

#define PAIRS(precision, x, y) (PAIR_##precision * (double)x * (double)y)
#define FLOPS(precision, x, y, z) (PAIRS(precision, x, y) * (double)z)
#define ORDER(side) (side == LEFT ? m : n)

#define GEMV_ENTRY(symbol, routine, name, precision, alpha_kind, beta_kind, convention, integer) \
  ENTRY(symbol, name, convention,                                                                \
        (int layout, int op, integer m, integer n, SCALAR_##alpha_kind alpha, const void* a,     \
         integer lda, const void* x, integer incx, SCALAR_##beta_kind beta, void* y,             \
         integer incy),                                                                          \
        (layout, op, m, n, alpha, a, lda, x, incx, beta, y, incy), DUOBLAS_##routine, precision, \
        PAIRS(precision, m, n), .layout = layout, .op_a = op, .m = m, .n = n,                    \
        .alpha = ADDRESS_##alpha_kind alpha, .a = a, .lda = lda, .x = x, .incx = incx,           \
        .beta = ADDRESS_##beta_kind beta, .y = y, .incy = incy)

#define GEMM_ENTRY(symbol, routine, name, precision, alpha_kind, beta_kind, convention, integer) \
  PRODUCT_ENTRY(symbol, name, convention,                                                        \
                (int layout, int op_a, int op_b, integer m, integer n, integer k,                \
                 SCALAR_##alpha_kind alpha, const void* a, integer lda, const void* b,           \
                 integer ldb, SCALAR_##beta_kind beta, void* c, integer ldc),                    \
                (layout, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc),              \
                (layout, op_a, op_b, (integer)REST.m, (integer)REST.n, k, alpha, REST.a, lda,    \
                 REST.b, ldb, beta, REST.c, ldc),                                                \
                DUOBLAS_##routine, precision, FLOPS(precision, m, n, k), .layout = layout,       \
                .op_a = op_a, .op_b = op_b, .m = m, .n = n, .k = k,                              \
                .alpha = ADDRESS_##alpha_kind alpha, .a = a, .lda = lda, .b = b, .ldb = ldb,     \
                .beta = ADDRESS_##beta_kind beta, .c = c, .ldc = ldc)

#define SYMM_ENTRY(symbol, routine, name, precision, alpha_kind, beta_kind, convention, integer)   \
  ENTRY(symbol, name, convention,                                                                  \
        (int layout, int side, int uplo, integer m, integer n, SCALAR_##alpha_kind alpha,          \
         const void* a, integer lda, const void* b, integer ldb, SCALAR_##beta_kind beta, void* c, \
         integer ldc),                                                                             \
        (layout, side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc), DUOBLAS_##routine,        \
        precision, FLOPS(precision, m, n, ORDER(side)), .layout = layout, .side = side,            \
        .uplo = uplo, .m = m, .n = n, .alpha = ADDRESS_##alpha_kind alpha, .a = a, .lda = lda,     \
        .b = b, .ldb = ldb, .beta = ADDRESS_##beta_kind beta, .c = c, .ldc = ldc)

#define SYRK_ENTRY(symbol, routine, name, precision, alpha_kind, beta_kind, convention, integer)   \
  ENTRY(symbol, name, convention,                                                                  \
        (int layout, int uplo, int op, integer n, integer k, SCALAR_##alpha_kind alpha,            \
         const void* a, integer lda, SCALAR_##beta_kind beta, void* c, integer ldc),               \
        (layout, uplo, op, n, k, alpha, a, lda, beta, c, ldc), DUOBLAS_##routine, precision,       \
        FLOPS(precision, n, n, k) / 2, .layout = layout, .uplo = uplo, .op_a = op, .n = n, .k = k, \
        .alpha = ADDRESS_##alpha_kind alpha, .a = a, .lda = lda, .beta = ADDRESS_##beta_kind beta, \
        .c = c, .ldc = ldc)

#define SYR2K_ENTRY(symbol, routine, name, precision, alpha_kind, beta_kind, convention, integer)  \
  ENTRY(symbol, name, convention,                                                                  \
        (int layout, int uplo, int op, integer n, integer k, SCALAR_##alpha_kind alpha,            \
         const void* a, integer lda, const void* b, integer ldb, SCALAR_##beta_kind beta, void* c, \
         integer ldc),                                                                             \
        (layout, uplo, op, n, k, alpha, a, lda, b, ldb, beta, c, ldc), DUOBLAS_##routine,          \
        precision, FLOPS(precision, n, n, k), .layout = layout, .uplo = uplo, .op_a = op, .n = n,  \
        .k = k, .alpha = ADDRESS_##alpha_kind alpha, .a = a, .lda = lda, .b = b, .ldb = ldb,       \
        .beta = ADDRESS_##beta_kind beta, .c = c, .ldc = ldc)

#define TRMM_ENTRY(symbol, routine, name, precision, alpha_kind, beta_kind, convention, integer)   \
  ENTRY(symbol, name, convention,                                                                  \
        (int layout, int side, int uplo, int op, int diag, integer m, integer n,                   \
         SCALAR_##alpha_kind alpha, const void* a, integer lda, void* b, integer ldb),             \
        (layout, side, uplo, op, diag, m, n, alpha, a, lda, b, ldb), DUOBLAS_##routine, precision, \
        FLOPS(precision, m, n, ORDER(side)) / 2, .layout = layout, .side = side, .uplo = uplo,     \
        .op_a = op, .diag = diag, .m = m, .n = n, .alpha = ADDRESS_##alpha_kind alpha, .a = a,     \
        .lda = lda, .c = b, .ldc = ldb)

#define CBLAS_ROUTINE(shape, routine, name, precision, alpha, beta, convention, integer, prefix, \
                      suffix)                                                                    \
  shape##_ENTRY(prefix##name##suffix, routine, name, precision, alpha, beta, convention, integer)
#define CBLAS_SCHEME(convention, integer, prefix, suffix) \
  BLAS_ROUTINES(CBLAS_ROUTINE, convention, integer, prefix, suffix)

CBLAS_SCHEMES(CBLAS_SCHEME)
