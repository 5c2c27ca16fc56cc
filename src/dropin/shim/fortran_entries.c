/* The Fortran names. Arguments are addresses; lengths of the character arguments follow, and are
 * only passed on (C programs leave them out). */
#include "dropin/shim/blas_integers.h"
#include "dropin/shim/cblas_values.h"
#include "dropin/shim/entry.h"

#define PAIRS(precision, x, y) (PAIR_##precision * (double)*x * (double)*y)
#define FLOPS(precision, x, y, z) (PAIRS(precision, x, y) * (double)*z)
#define ORDER(side) (side_of(*side) == LEFT ? m : n)

#define GEMV_ENTRY(symbol, routine, name, precision, convention, integer)                      \
  ENTRY(symbol, name, convention,                                                              \
        (const char* op, const integer* m, const integer* n, const void* alpha, const void* a, \
         const integer* lda, const void* x, const integer* incx, const void* beta, void* y,    \
         const integer* incy, size_t op_length),                                               \
        (op, m, n, alpha, a, lda, x, incx, beta, y, incy, op_length), (m, n, lda, incx, incy), \
        DUOBLAS_##routine, precision, PAIRS(precision, m, n), .layout = COLUMN_MAJOR,          \
        .op_a = op_of(*op), .m = *m, .n = *n, .alpha = alpha, .a = a, .lda = *lda, .x = x,     \
        .incx = *incx, .beta = beta, .y = y, .incy = *incy)

#define GEMM_ENTRY(symbol, routine, name, precision, convention, integer)                        \
  PRODUCT_ENTRY(                                                                                 \
      symbol, name, convention,                                                                  \
      (const char* op_a, const char* op_b, const integer* m, const integer* n, const integer* k, \
       const void* alpha, const void* a, const integer* lda, const void* b, const integer* ldb,  \
       const void* beta, void* c, const integer* ldc, size_t op_a_length, size_t op_b_length),   \
      (op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, op_a_length, op_b_length),      \
      (op_a, op_b, ADDRESS_OF_INTEGER(integer, REST.m), ADDRESS_OF_INTEGER(integer, REST.n), k,  \
       alpha, REST.a, lda, REST.b, ldb, beta, REST.c, ldc, op_a_length, op_b_length),            \
      (m, n, k, lda, ldb, ldc), DUOBLAS_##routine, precision, FLOPS(precision, m, n, k),         \
      .layout = COLUMN_MAJOR, .op_a = op_of(*op_a), .op_b = op_of(*op_b), .m = *m, .n = *n,      \
      .k = *k, .alpha = alpha, .a = a, .lda = *lda, .b = b, .ldb = *ldb, .beta = beta, .c = c,   \
      .ldc = *ldc)

#define SYMM_ENTRY(symbol, routine, name, precision, convention, integer)                         \
  ENTRY(symbol, name, convention,                                                                 \
        (const char* side, const char* uplo, const integer* m, const integer* n,                  \
         const void* alpha, const void* a, const integer* lda, const void* b, const integer* ldb, \
         const void* beta, void* c, const integer* ldc, size_t side_length, size_t uplo_length),  \
        (side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc, side_length, uplo_length),        \
        (m, n, lda, ldb, ldc), DUOBLAS_##routine, precision, FLOPS(precision, m, n, ORDER(side)), \
        .layout = COLUMN_MAJOR, .side = side_of(*side), .uplo = uplo_of(*uplo), .m = *m, .n = *n, \
        .alpha = alpha, .a = a, .lda = *lda, .b = b, .ldb = *ldb, .beta = beta, .c = c,           \
        .ldc = *ldc)

#define SYRK_ENTRY(symbol, routine, name, precision, convention, integer)                         \
  ENTRY(symbol, name, convention,                                                                 \
        (const char* uplo, const char* op, const integer* n, const integer* k, const void* alpha, \
         const void* a, const integer* lda, const void* beta, void* c, const integer* ldc,        \
         size_t uplo_length, size_t op_length),                                                   \
        (uplo, op, n, k, alpha, a, lda, beta, c, ldc, uplo_length, op_length), (n, k, lda, ldc),  \
        DUOBLAS_##routine, precision, FLOPS(precision, n, n, k) / 2, .layout = COLUMN_MAJOR,      \
        .uplo = uplo_of(*uplo), .op_a = op_of(*op), .n = *n, .k = *k, .alpha = alpha, .a = a,     \
        .lda = *lda, .beta = beta, .c = c, .ldc = *ldc)

#define SYR2K_ENTRY(symbol, routine, name, precision, convention, integer)                        \
  ENTRY(symbol, name, convention,                                                                 \
        (const char* uplo, const char* op, const integer* n, const integer* k, const void* alpha, \
         const void* a, const integer* lda, const void* b, const integer* ldb, const void* beta,  \
         void* c, const integer* ldc, size_t uplo_length, size_t op_length),                      \
        (uplo, op, n, k, alpha, a, lda, b, ldb, beta, c, ldc, uplo_length, op_length),            \
        (n, k, lda, ldb, ldc), DUOBLAS_##routine, precision, FLOPS(precision, n, n, k),           \
        .layout = COLUMN_MAJOR, .uplo = uplo_of(*uplo), .op_a = op_of(*op), .n = *n, .k = *k,     \
        .alpha = alpha, .a = a, .lda = *lda, .b = b, .ldb = *ldb, .beta = beta, .c = c,           \
        .ldc = *ldc)

#define TRMM_ENTRY(symbol, routine, name, precision, convention, integer)                        \
  ENTRY(symbol, name, convention,                                                                \
        (const char* side, const char* uplo, const char* op, const char* diag, const integer* m, \
         const integer* n, const void* alpha, const void* a, const integer* lda, void* b,        \
         const integer* ldb, size_t side_length, size_t uplo_length, size_t op_length,           \
         size_t diag_length),                                                                    \
        (side, uplo, op, diag, m, n, alpha, a, lda, b, ldb, side_length, uplo_length, op_length, \
         diag_length),                                                                           \
        (m, n, lda, ldb), DUOBLAS_##routine, precision, FLOPS(precision, m, n, ORDER(side)) / 2, \
        .layout = COLUMN_MAJOR, .side = side_of(*side), .uplo = uplo_of(*uplo),                  \
        .op_a = op_of(*op), .diag = diag_of(*diag), .m = *m, .n = *n, .alpha = alpha, .a = a,    \
        .lda = *lda, .c = b, .ldc = *ldb)

#define FORTRAN_ROUTINE(shape, routine, name, precision, alpha, beta, convention, integer, prefix, \
                        suffix)                                                                    \
  shape##_ENTRY(prefix##name##suffix, routine, name, precision, convention, integer)
#define FORTRAN_SCHEME(convention, integer, prefix, suffix) \
  BLAS_ROUTINES(FORTRAN_ROUTINE, convention, integer, prefix, suffix)

FORTRAN_SCHEMES(FORTRAN_SCHEME)
