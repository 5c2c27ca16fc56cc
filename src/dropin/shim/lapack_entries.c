/* The Fortran names of LAPACK. Integers are read as the name has them: of wide ones under a plain
 * name, the low bits (lapack_integers.h says which there are before the engine is asked). */
#include "dropin/shim/cblas_values.h"
#include "dropin/shim/entry.h"

/* Of real types: of complex ones it is four times that, as of a product. */
static inline double lu_flops(double m, double n) {
  const double large = m > n ? m : n, small = m > n ? n : m;
  return large * small * small - small * small * small / 3;
}
static inline double cube(double n) {
  return n * n * n;
}
static inline double solve_flops(double n, double sides) {
  return 2 * n * n * sides;
}

#define GETRF_ENTRY(symbol, routine, name, precision, convention, integer)                        \
  ENTRY(symbol, name, convention,                                                                 \
        (const integer* m, const integer* n, void* a, const integer* lda, integer* pivots,        \
         integer* info),                                                                          \
        (m, n, a, lda, pivots, info), (NULL), DUOBLAS_##routine, precision,                       \
        PAIR_##precision / 2 * lu_flops((double)*m, (double)*n), .layout = COLUMN_MAJOR, .m = *m, \
        .n = *n, .a = a, .lda = *lda, .pivots = pivots, .info = info)

#define POTRF_ENTRY(symbol, routine, name, precision, convention, integer)               \
  ENTRY(symbol, name, convention,                                                        \
        (const char* uplo, const integer* n, void* a, const integer* lda, integer* info, \
         size_t uplo_length),                                                            \
        (uplo, n, a, lda, info, uplo_length), (NULL), DUOBLAS_##routine, precision,      \
        PAIR_##precision / 2 * cube((double)*n) / 3, .layout = COLUMN_MAJOR,             \
        .uplo = uplo_of(*uplo), .n = *n, .a = a, .lda = *lda, .info = info)

#define GESV_ENTRY(symbol, routine, name, precision, convention, integer)                          \
  ENTRY(                                                                                           \
      symbol, name, convention,                                                                    \
      (const integer* n, const integer* sides, void* a, const integer* lda, integer* pivots,       \
       void* b, const integer* ldb, integer* info),                                                \
      (n, sides, a, lda, pivots, b, ldb, info), (NULL), DUOBLAS_##routine, precision,              \
      PAIR_##precision / 2 * (2 * cube((double)*n) / 3 + solve_flops((double)*n, (double)*sides)), \
      .layout = COLUMN_MAJOR, .n = *n, .k = *sides, .a = a, .lda = *lda, .pivots = pivots, .c = b, \
      .ldc = *ldb, .info = info)

#define POSV_ENTRY(symbol, routine, name, precision, convention, integer)                          \
  ENTRY(symbol, name, convention,                                                                  \
        (const char* uplo, const integer* n, const integer* sides, void* a, const integer* lda,    \
         void* b, const integer* ldb, integer* info, size_t uplo_length),                          \
        (uplo, n, sides, a, lda, b, ldb, info, uplo_length), (NULL), DUOBLAS_##routine, precision, \
        PAIR_##precision / 2 * (cube((double)*n) / 3 + solve_flops((double)*n, (double)*sides)),   \
        .layout = COLUMN_MAJOR, .uplo = uplo_of(*uplo), .n = *n, .k = *sides, .a = a, .lda = *lda, \
        .c = b, .ldc = *ldb, .info = info)

#define GETRS_ENTRY(symbol, routine, name, precision, convention, integer)                        \
  ENTRY(                                                                                          \
      symbol, name, convention,                                                                   \
      (const char* op, const integer* n, const integer* sides, const void* a, const integer* lda, \
       integer* pivots, void* b, const integer* ldb, integer* info, size_t op_length),            \
      (op, n, sides, a, lda, pivots, b, ldb, info, op_length), (NULL), DUOBLAS_##routine,         \
      precision, PAIR_##precision / 2 * solve_flops((double)*n, (double)*sides),                  \
      .layout = COLUMN_MAJOR, .op_a = op_of(*op), .n = *n, .k = *sides, .a = a, .lda = *lda,      \
      .pivots = pivots, .c = b, .ldc = *ldb, .info = info)

#define POTRS_ENTRY(symbol, routine, name, precision, convention, integer)                         \
  ENTRY(symbol, name, convention,                                                                  \
        (const char* uplo, const integer* n, const integer* sides, const void* a,                  \
         const integer* lda, void* b, const integer* ldb, integer* info, size_t uplo_length),      \
        (uplo, n, sides, a, lda, b, ldb, info, uplo_length), (NULL), DUOBLAS_##routine, precision, \
        PAIR_##precision / 2 * solve_flops((double)*n, (double)*sides), .layout = COLUMN_MAJOR,    \
        .uplo = uplo_of(*uplo), .n = *n, .k = *sides, .a = a, .lda = *lda, .c = b, .ldc = *ldb,    \
        .info = info)

#define LAPACK_ROUTINE(shape, routine, name, precision, alpha, beta, convention, integer, prefix, \
                       suffix)                                                                    \
  shape##_ENTRY(prefix##name##suffix, routine, name, precision, convention, integer)
#define LAPACK_SCHEME(convention, integer, prefix, suffix) \
  LAPACK_ROUTINES(LAPACK_ROUTINE, convention, integer, prefix, suffix)

FORTRAN_SCHEMES(LAPACK_SCHEME)
