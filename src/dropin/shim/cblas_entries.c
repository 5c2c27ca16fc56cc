/* The CBLAS names. Scalars are values where they are real, addresses where they are complex.
 * Integers of plain names are held as wide as a register, and read as the name has them: so
 * whatever the program gave reaches a definition that has wider ones. */
#include "dropin/shim/cblas_values.h"
#include "dropin/shim/entry.h"

#define SCALAR_f float
#define SCALAR_d double
#define SCALAR_p const void*
#define ADDRESS_f &
#define ADDRESS_d &
#define ADDRESS_p

#define PAIRS(integer, precision, x, y) \
  (PAIR_##precision * (double)(integer)(x) * (double)(integer)(y))
#define FLOPS(integer, precision, x, y, z) (PAIRS(integer, precision, x, y) * (double)(integer)(z))
#define ORDER(side) (side == LEFT ? m : n)

#define HELD_CBLAS_32 long
#define HELD_CBLAS_64 int64_t

#define GEMV_ENTRY(symbol, routine, name, precision, alpha_kind, beta_kind, convention, integer)   \
  ENTRY(symbol, name, convention,                                                                  \
        (int layout, int op, HELD_##convention m, HELD_##convention n, SCALAR_##alpha_kind alpha,  \
         const void* a, HELD_##convention lda, const void* x, HELD_##convention incx,              \
         SCALAR_##beta_kind beta, void* y, HELD_##convention incy),                                \
        (layout, op, m, n, alpha, a, lda, x, incx, beta, y, incy), (&m, &n, &lda, &incx, &incy),   \
        DUOBLAS_##routine, precision, PAIRS(integer, precision, m, n), .layout = layout,           \
        .op_a = op, .m = (integer)m, .n = (integer)n, .alpha = ADDRESS_##alpha_kind alpha, .a = a, \
        .lda = (integer)lda, .x = x, .incx = (integer)incx, .beta = ADDRESS_##beta_kind beta,      \
        .y = y, .incy = (integer)incy)

#define GEMM_ENTRY(symbol, routine, name, precision, alpha_kind, beta_kind, convention, integer)   \
  PRODUCT_ENTRY(                                                                                   \
      symbol, name, convention,                                                                    \
      (int layout, int op_a, int op_b, HELD_##convention m, HELD_##convention n,                   \
       HELD_##convention k, SCALAR_##alpha_kind alpha, const void* a, HELD_##convention lda,       \
       const void* b, HELD_##convention ldb, SCALAR_##beta_kind beta, void* c,                     \
       HELD_##convention ldc),                                                                     \
      (layout, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc),                          \
      (layout, op_a, op_b, REST.m, REST.n, k, alpha, REST.a, lda, REST.b, ldb, beta, REST.c, ldc), \
      (&m, &n, &k, &lda, &ldb, &ldc), DUOBLAS_##routine, precision,                                \
      FLOPS(integer, precision, m, n, k), .layout = layout, .op_a = op_a, .op_b = op_b,            \
      .m = (integer)m, .n = (integer)n, .k = (integer)k, .alpha = ADDRESS_##alpha_kind alpha,      \
      .a = a, .lda = (integer)lda, .b = b, .ldb = (integer)ldb, .beta = ADDRESS_##beta_kind beta,  \
      .c = c, .ldc = (integer)ldc)

#define SYMM_ENTRY(symbol, routine, name, precision, alpha_kind, beta_kind, convention, integer) \
  ENTRY(symbol, name, convention,                                                                \
        (int layout, int side, int uplo, HELD_##convention m, HELD_##convention n,               \
         SCALAR_##alpha_kind alpha, const void* a, HELD_##convention lda, const void* b,         \
         HELD_##convention ldb, SCALAR_##beta_kind beta, void* c, HELD_##convention ldc),        \
        (layout, side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc),                         \
        (&m, &n, &lda, &ldb, &ldc), DUOBLAS_##routine, precision,                                \
        FLOPS(integer, precision, m, n, ORDER(side)), .layout = layout, .side = side,            \
        .uplo = uplo, .m = (integer)m, .n = (integer)n, .alpha = ADDRESS_##alpha_kind alpha,     \
        .a = a, .lda = (integer)lda, .b = b, .ldb = (integer)ldb,                                \
        .beta = ADDRESS_##beta_kind beta, .c = c, .ldc = (integer)ldc)

#define SYRK_ENTRY(symbol, routine, name, precision, alpha_kind, beta_kind, convention, integer)   \
  ENTRY(symbol, name, convention,                                                                  \
        (int layout, int uplo, int op, HELD_##convention n, HELD_##convention k,                   \
         SCALAR_##alpha_kind alpha, const void* a, HELD_##convention lda, SCALAR_##beta_kind beta, \
         void* c, HELD_##convention ldc),                                                          \
        (layout, uplo, op, n, k, alpha, a, lda, beta, c, ldc), (&n, &k, &lda, &ldc),               \
        DUOBLAS_##routine, precision, FLOPS(integer, precision, n, n, k) / 2, .layout = layout,    \
        .uplo = uplo, .op_a = op, .n = (integer)n, .k = (integer)k,                                \
        .alpha = ADDRESS_##alpha_kind alpha, .a = a, .lda = (integer)lda,                          \
        .beta = ADDRESS_##beta_kind beta, .c = c, .ldc = (integer)ldc)

#define SYR2K_ENTRY(symbol, routine, name, precision, alpha_kind, beta_kind, convention, integer)  \
  ENTRY(symbol, name, convention,                                                                  \
        (int layout, int uplo, int op, HELD_##convention n, HELD_##convention k,                   \
         SCALAR_##alpha_kind alpha, const void* a, HELD_##convention lda, const void* b,           \
         HELD_##convention ldb, SCALAR_##beta_kind beta, void* c, HELD_##convention ldc),          \
        (layout, uplo, op, n, k, alpha, a, lda, b, ldb, beta, c, ldc), (&n, &k, &lda, &ldb, &ldc), \
        DUOBLAS_##routine, precision, FLOPS(integer, precision, n, n, k), .layout = layout,        \
        .uplo = uplo, .op_a = op, .n = (integer)n, .k = (integer)k,                                \
        .alpha = ADDRESS_##alpha_kind alpha, .a = a, .lda = (integer)lda, .b = b,                  \
        .ldb = (integer)ldb, .beta = ADDRESS_##beta_kind beta, .c = c, .ldc = (integer)ldc)

#define TRMM_ENTRY(symbol, routine, name, precision, alpha_kind, beta_kind, convention, integer)   \
  ENTRY(symbol, name, convention,                                                                  \
        (int layout, int side, int uplo, int op, int diag, HELD_##convention m,                    \
         HELD_##convention n, SCALAR_##alpha_kind alpha, const void* a, HELD_##convention lda,     \
         void* b, HELD_##convention ldb),                                                          \
        (layout, side, uplo, op, diag, m, n, alpha, a, lda, b, ldb), (&m, &n, &lda, &ldb),         \
        DUOBLAS_##routine, precision, FLOPS(integer, precision, m, n, ORDER(side)) / 2,            \
        .layout = layout, .side = side, .uplo = uplo, .op_a = op, .diag = diag, .m = (integer)m,   \
        .n = (integer)n, .alpha = ADDRESS_##alpha_kind alpha, .a = a, .lda = (integer)lda, .c = b, \
        .ldc = (integer)ldb)

#define CBLAS_ROUTINE(shape, routine, name, precision, alpha, beta, convention, integer, prefix, \
                      suffix)                                                                    \
  shape##_ENTRY(prefix##name##suffix, routine, name, precision, alpha, beta, convention, integer)
#define CBLAS_SCHEME(convention, integer, prefix, suffix) \
  BLAS_ROUTINES(CBLAS_ROUTINE, convention, integer, prefix, suffix)

CBLAS_SCHEMES(CBLAS_SCHEME)
