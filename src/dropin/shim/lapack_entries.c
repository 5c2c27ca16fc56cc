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
static inline double qr_flops(double m, double n) {
  const double large = m > n ? m : n, small = m > n ? n : m;
  return 2 * small * small * (large - small / 3);
}
static inline double form_q_flops(double m, double n, double k) {
  return 4 * m * n * k - 2 * (m + n) * k * k + 4 * k * k * k / 3;
}
/* Of k reflectors of `order` elements. */
static inline double apply_q_flops(double order, double others, double k) {
  return 2 * k * others * (2 * order - k);
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

#define GETRI_ENTRY(symbol, routine, name, precision, convention, integer)                        \
  ENTRY(symbol, name, convention,                                                                 \
        (const integer* n, void* a, const integer* lda, integer* pivots, void* work,              \
         const integer* lwork, integer* info),                                                    \
        (n, a, lda, pivots, work, lwork, info), (NULL), DUOBLAS_##routine, precision,             \
        PAIR_##precision / 2 * 4 * cube((double)*n) / 3, .layout = COLUMN_MAJOR, .n = *n, .a = a, \
        .lda = *lda, .pivots = pivots, .work = work, .lwork = *lwork, .info = info)

#define POTRI_ENTRY(symbol, routine, name, precision, convention, integer)               \
  ENTRY(symbol, name, convention,                                                        \
        (const char* uplo, const integer* n, void* a, const integer* lda, integer* info, \
         size_t uplo_length),                                                            \
        (uplo, n, a, lda, info, uplo_length), (NULL), DUOBLAS_##routine, precision,      \
        PAIR_##precision / 2 * 2 * cube((double)*n) / 3, .layout = COLUMN_MAJOR,         \
        .uplo = uplo_of(*uplo), .n = *n, .a = a, .lda = *lda, .info = info)

#define GEQRF_ENTRY(symbol, routine, name, precision, convention, integer)                        \
  ENTRY(symbol, name, convention,                                                                 \
        (const integer* m, const integer* n, void* a, const integer* lda, void* tau, void* work,  \
         const integer* lwork, integer* info),                                                    \
        (m, n, a, lda, tau, work, lwork, info), (NULL), DUOBLAS_##routine, precision,             \
        PAIR_##precision / 2 * qr_flops((double)*m, (double)*n), .layout = COLUMN_MAJOR, .m = *m, \
        .n = *n, .a = a, .lda = *lda, .tau = tau, .work = work, .lwork = *lwork, .info = info)

#define ORGQR_ENTRY(symbol, routine, name, precision, convention, integer)                  \
  ENTRY(symbol, name, convention,                                                           \
        (const integer* m, const integer* n, const integer* k, void* a, const integer* lda, \
         void* tau, void* work, const integer* lwork, integer* info),                       \
        (m, n, k, a, lda, tau, work, lwork, info), (NULL), DUOBLAS_##routine, precision,    \
        PAIR_##precision / 2 * form_q_flops((double)*m, (double)*n, (double)*k),            \
        .layout = COLUMN_MAJOR, .m = *m, .n = *n, .k = *k, .a = a, .lda = *lda, .tau = tau, \
        .work = work, .lwork = *lwork, .info = info)

#define ORMQR_ENTRY(symbol, routine, name, precision, convention, integer)                       \
  ENTRY(symbol, name, convention,                                                                \
        (const char* side, const char* op, const integer* m, const integer* n, const integer* k, \
         const void* a, const integer* lda, void* tau, void* c, const integer* ldc, void* work,  \
         const integer* lwork, integer* info, size_t side_length, size_t op_length),             \
        (side, op, m, n, k, a, lda, tau, c, ldc, work, lwork, info, side_length, op_length),     \
        (NULL), DUOBLAS_##routine, precision,                                                    \
        PAIR_##precision / 2 *                                                                   \
            (side_of(*side) == RIGHT ? apply_q_flops((double)*n, (double)*m, (double)*k)         \
                                     : apply_q_flops((double)*m, (double)*n, (double)*k)),       \
        .layout = COLUMN_MAJOR, .side = side_of(*side), .op_a = op_of(*op), .m = *m, .n = *n,    \
        .k = *k, .a = a, .lda = *lda, .tau = tau, .c = c, .ldc = *ldc, .work = work,             \
        .lwork = *lwork, .info = info)

#define GELS_ENTRY(symbol, routine, name, precision, convention, integer)                   \
  ENTRY(symbol, name, convention,                                                           \
        (const char* op, const integer* m, const integer* n, const integer* sides, void* a, \
         const integer* lda, void* b, const integer* ldb, void* work, const integer* lwork, \
         integer* info, size_t op_length),                                                  \
        (op, m, n, sides, a, lda, b, ldb, work, lwork, info, op_length), (NULL),            \
        DUOBLAS_##routine, precision,                                                       \
        PAIR_##precision / 2 *                                                              \
            (qr_flops((double)*m, (double)*n) +                                             \
             apply_q_flops((double)*m, (double)*sides, (double)*n) +                        \
             (double)*n * (double)*n * (double)*sides),                                     \
        .layout = COLUMN_MAJOR, .op_a = op_of(*op), .m = *m, .n = *n, .k = *sides, .a = a,  \
        .lda = *lda, .c = b, .ldc = *ldb, .work = work, .lwork = *lwork, .info = info)

#define LAPACK_ROUTINE(shape, routine, name, precision, alpha, beta, convention, integer, prefix, \
                       suffix)                                                                    \
  shape##_ENTRY(prefix##name##suffix, routine, name, precision, convention, integer)
#define LAPACK_SCHEME(convention, integer, prefix, suffix) \
  LAPACK_ROUTINES(LAPACK_ROUTINE, convention, integer, prefix, suffix)

FORTRAN_SCHEMES(LAPACK_SCHEME)
