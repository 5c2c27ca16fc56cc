/* The arguments of all routines of one shape, in their order: what the Fortran and CBLAS names are
 * made from, and the questions to definitions behind them. */
#ifndef DUOBLAS_DROPIN_ROUTINE_ARGUMENTS_H
#define DUOBLAS_DROPIN_ROUTINE_ARGUMENTS_H

#include <stddef.h>
#include <stdint.h>

#include "dropin/shim/cblas_values.h"

/* ITEM(kind, name, C) for each argument, named as in duoblas_blas_call. Kinds: LETTER, of which
 * CBLAS has numbers; SIZE, an integer; SCALAR; IN and OUT, memory; INTS, integers that are written.
 * C is handed on: in Fortran the integer's type, in CBLAS (convention, integer, alpha, beta). What
 * ITEM becomes begins with a comma. */
/* clang-format off */
#define COPY_ARGUMENTS(ITEM, C) \
  ITEM(SIZE, n, C) ITEM(IN, x, C) ITEM(SIZE, incx, C) ITEM(OUT, y, C) ITEM(SIZE, incy, C)
#define GEMV_ARGUMENTS(ITEM, C) \
  ITEM(LETTER, op_a, C) ITEM(SIZE, m, C) ITEM(SIZE, n, C) ITEM(SCALAR, alpha, C) ITEM(IN, a, C) \
  ITEM(SIZE, lda, C) ITEM(IN, x, C) ITEM(SIZE, incx, C) ITEM(SCALAR, beta, C) ITEM(OUT, y, C) \
  ITEM(SIZE, incy, C)
#define GEMM_ARGUMENTS(ITEM, C) \
  ITEM(LETTER, op_a, C) ITEM(LETTER, op_b, C) ITEM(SIZE, m, C) ITEM(SIZE, n, C) ITEM(SIZE, k, C) \
  ITEM(SCALAR, alpha, C) ITEM(IN, a, C) ITEM(SIZE, lda, C) ITEM(IN, b, C) ITEM(SIZE, ldb, C) \
  ITEM(SCALAR, beta, C) ITEM(OUT, c, C) ITEM(SIZE, ldc, C)
#define SYMM_ARGUMENTS(ITEM, C) \
  ITEM(LETTER, side, C) ITEM(LETTER, uplo, C) ITEM(SIZE, m, C) ITEM(SIZE, n, C) \
  ITEM(SCALAR, alpha, C) ITEM(IN, a, C) ITEM(SIZE, lda, C) ITEM(IN, b, C) ITEM(SIZE, ldb, C) \
  ITEM(SCALAR, beta, C) ITEM(OUT, c, C) ITEM(SIZE, ldc, C)
#define SYRK_ARGUMENTS(ITEM, C) \
  ITEM(LETTER, uplo, C) ITEM(LETTER, op_a, C) ITEM(SIZE, n, C) ITEM(SIZE, k, C) \
  ITEM(SCALAR, alpha, C) ITEM(IN, a, C) ITEM(SIZE, lda, C) ITEM(SCALAR, beta, C) ITEM(OUT, c, C) \
  ITEM(SIZE, ldc, C)
#define SYR2K_ARGUMENTS(ITEM, C) \
  ITEM(LETTER, uplo, C) ITEM(LETTER, op_a, C) ITEM(SIZE, n, C) ITEM(SIZE, k, C) \
  ITEM(SCALAR, alpha, C) ITEM(IN, a, C) ITEM(SIZE, lda, C) ITEM(IN, b, C) ITEM(SIZE, ldb, C) \
  ITEM(SCALAR, beta, C) ITEM(OUT, c, C) ITEM(SIZE, ldc, C)
#define TRMM_ARGUMENTS(ITEM, C) \
  ITEM(LETTER, side, C) ITEM(LETTER, uplo, C) ITEM(LETTER, op_a, C) ITEM(LETTER, diag, C) \
  ITEM(SIZE, m, C) ITEM(SIZE, n, C) ITEM(SCALAR, alpha, C) ITEM(IN, a, C) ITEM(SIZE, lda, C) \
  ITEM(OUT, c, C) ITEM(SIZE, ldc, C)
#define GETRF_ARGUMENTS(ITEM, C) \
  ITEM(SIZE, m, C) ITEM(SIZE, n, C) ITEM(OUT, a, C) ITEM(SIZE, lda, C) ITEM(INTS, pivots, C) \
  ITEM(INTS, info, C)
#define POTRF_ARGUMENTS(ITEM, C) \
  ITEM(LETTER, uplo, C) ITEM(SIZE, n, C) ITEM(OUT, a, C) ITEM(SIZE, lda, C) ITEM(INTS, info, C)
#define GESV_ARGUMENTS(ITEM, C) \
  ITEM(SIZE, n, C) ITEM(SIZE, k, C) ITEM(OUT, a, C) ITEM(SIZE, lda, C) ITEM(INTS, pivots, C) \
  ITEM(OUT, c, C) ITEM(SIZE, ldc, C) ITEM(INTS, info, C)
#define POSV_ARGUMENTS(ITEM, C) \
  ITEM(LETTER, uplo, C) ITEM(SIZE, n, C) ITEM(SIZE, k, C) ITEM(OUT, a, C) ITEM(SIZE, lda, C) \
  ITEM(OUT, c, C) ITEM(SIZE, ldc, C) ITEM(INTS, info, C)
#define POTRS_ARGUMENTS POSV_ARGUMENTS
#define GETRS_ARGUMENTS(ITEM, C) \
  ITEM(LETTER, op_a, C) ITEM(SIZE, n, C) ITEM(SIZE, k, C) ITEM(IN, a, C) ITEM(SIZE, lda, C) \
  ITEM(INTS, pivots, C) ITEM(OUT, c, C) ITEM(SIZE, ldc, C) ITEM(INTS, info, C)
#define GETRI_ARGUMENTS(ITEM, C) \
  ITEM(SIZE, n, C) ITEM(OUT, a, C) ITEM(SIZE, lda, C) ITEM(INTS, pivots, C) ITEM(OUT, work, C) \
  ITEM(SIZE, lwork, C) ITEM(INTS, info, C)
#define GEQRF_ARGUMENTS(ITEM, C) \
  ITEM(SIZE, m, C) ITEM(SIZE, n, C) ITEM(OUT, a, C) ITEM(SIZE, lda, C) ITEM(OUT, tau, C) \
  ITEM(OUT, work, C) ITEM(SIZE, lwork, C) ITEM(INTS, info, C)
#define ORGQR_ARGUMENTS(ITEM, C) \
  ITEM(SIZE, m, C) ITEM(SIZE, n, C) ITEM(SIZE, k, C) ITEM(OUT, a, C) ITEM(SIZE, lda, C) \
  ITEM(OUT, tau, C) ITEM(OUT, work, C) ITEM(SIZE, lwork, C) ITEM(INTS, info, C)
#define ORMQR_ARGUMENTS(ITEM, C) \
  ITEM(LETTER, side, C) ITEM(LETTER, op_a, C) ITEM(SIZE, m, C) ITEM(SIZE, n, C) ITEM(SIZE, k, C) \
  ITEM(IN, a, C) ITEM(SIZE, lda, C) ITEM(OUT, tau, C) ITEM(OUT, c, C) ITEM(SIZE, ldc, C) \
  ITEM(OUT, work, C) ITEM(SIZE, lwork, C) ITEM(INTS, info, C)
/* clang-format on */

/* A list without the comma that it begins with. */
#define AFTER_COMMA(nothing, ...) __VA_ARGS__
#define LIST_OF(...) AFTER_COMMA(__VA_ARGS__)

#define IF_LETTER_LETTER(...) __VA_ARGS__
#define IF_LETTER_SIZE(...)
#define IF_LETTER_SCALAR(...)
#define IF_LETTER_IN(...)
#define IF_LETTER_OUT(...)
#define IF_LETTER_INTS(...)
#define IF_SIZE_LETTER(...)
#define IF_SIZE_SIZE(...) __VA_ARGS__
#define IF_SIZE_SCALAR(...)
#define IF_SIZE_IN(...)
#define IF_SIZE_OUT(...)
#define IF_SIZE_INTS(...)

/* Fortran: everything is an address. The lengths of the letters come last. */
#define FORTRAN_LETTER(C) const char*
#define FORTRAN_SIZE(C) const C*
#define FORTRAN_SCALAR(C) const void*
#define FORTRAN_IN(C) const void*
#define FORTRAN_OUT(C) void*
#define FORTRAN_INTS(C) C*
#define FORTRAN_PARAMETER(kind, name, C) , FORTRAN_##kind(C) name
#define FORTRAN_LENGTH(kind, name, C) IF_LETTER_##kind(, size_t name##_length)
#define FORTRAN_PARAMETERS(shape, C) \
  LIST_OF(shape##_ARGUMENTS(FORTRAN_PARAMETER, C) shape##_ARGUMENTS(FORTRAN_LENGTH, C))

/* CBLAS: the layout comes first. Integers of plain names are held as wide as a register, and read
 * as the name has them: so whatever the program gave reaches a definition that has wider ones.
 * Scalars are values where they are real, addresses where they are complex. */
#define HELD_CBLAS_32 long
#define HELD_CBLAS_64 int64_t
#define SCALAR_f float
#define SCALAR_d double
#define SCALAR_p const void*
#define HELD_OF(convention, integer, alpha, beta) HELD_##convention
#define INTEGER_OF(convention, integer, alpha, beta) integer
#define TYPE_OF_alpha(convention, integer, alpha, beta) SCALAR_##alpha
#define TYPE_OF_beta(convention, integer, alpha, beta) SCALAR_##beta
#define CBLAS_LETTER(name, C) int
#define CBLAS_SIZE(name, C) HELD_OF C
#define CBLAS_SCALAR(name, C) TYPE_OF_##name C
#define CBLAS_IN(name, C) const void*
#define CBLAS_OUT(name, C) void*
#define CBLAS_PARAMETER(kind, name, C) , CBLAS_##kind(name, C) name
#define CBLAS_PARAMETERS(shape, C) int layout shape##_ARGUMENTS(CBLAS_PARAMETER, C)

#endif
