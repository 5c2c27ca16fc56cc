/* Every name that the drop-in exports, declared as BLAS has it: argument by argument, so that this
 * is a second opinion on src/dropin. Each parameter is P(type, name) of a kind that the recording
 * library knows how to print. */
#ifndef DUOBLAS_TESTS_PRELOAD_BLAS_PROTOTYPES_H
#define DUOBLAS_TESTS_PRELOAD_BLAS_PROTOTYPES_H

#include <stdint.h>

#include "dropin/shim/blas_names.h"

/* Fortran: LETTER, SIZE and POINTER arguments; CBLAS: CHOICE, INTEGER, POINTER and scalars (f, d:
 * by value, p: by address). SEP stands between two. */
#define FORTRAN_GEMV(LETTER, SIZE, POINTER, SEP) \
  LETTER(trans) SEP SIZE(m)                      \
  SEP SIZE(n)                                    \
  SEP POINTER(alpha)                             \
  SEP POINTER(a)                                 \
  SEP SIZE(lda)                                  \
  SEP POINTER(x)                                 \
  SEP SIZE(incx)                                 \
  SEP POINTER(beta)                              \
  SEP POINTER(y)                                 \
  SEP SIZE(incy)
#define FORTRAN_GEMM(LETTER, SIZE, POINTER, SEP) \
  LETTER(transa) SEP LETTER(transb)              \
  SEP SIZE(m)                                    \
  SEP SIZE(n)                                    \
  SEP SIZE(k)                                    \
  SEP POINTER(alpha)                             \
  SEP POINTER(a)                                 \
  SEP SIZE(lda)                                  \
  SEP POINTER(b)                                 \
  SEP SIZE(ldb)                                  \
  SEP POINTER(beta)                              \
  SEP POINTER(c)                                 \
  SEP SIZE(ldc)
#define FORTRAN_SYMM(LETTER, SIZE, POINTER, SEP) \
  LETTER(side) SEP LETTER(uplo)                  \
  SEP SIZE(m)                                    \
  SEP SIZE(n)                                    \
  SEP POINTER(alpha)                             \
  SEP POINTER(a)                                 \
  SEP SIZE(lda)                                  \
  SEP POINTER(b)                                 \
  SEP SIZE(ldb)                                  \
  SEP POINTER(beta)                              \
  SEP POINTER(c)                                 \
  SEP SIZE(ldc)
#define FORTRAN_SYRK(LETTER, SIZE, POINTER, SEP) \
  LETTER(uplo) SEP LETTER(trans)                 \
  SEP SIZE(n)                                    \
  SEP SIZE(k)                                    \
  SEP POINTER(alpha)                             \
  SEP POINTER(a)                                 \
  SEP SIZE(lda)                                  \
  SEP POINTER(beta)                              \
  SEP POINTER(c)                                 \
  SEP SIZE(ldc)
#define FORTRAN_SYR2K(LETTER, SIZE, POINTER, SEP) \
  LETTER(uplo) SEP LETTER(trans)                  \
  SEP SIZE(n)                                     \
  SEP SIZE(k)                                     \
  SEP POINTER(alpha)                              \
  SEP POINTER(a)                                  \
  SEP SIZE(lda)                                   \
  SEP POINTER(b)                                  \
  SEP SIZE(ldb)                                   \
  SEP POINTER(beta)                               \
  SEP POINTER(c)                                  \
  SEP SIZE(ldc)
#define FORTRAN_TRMM(LETTER, SIZE, POINTER, SEP) \
  LETTER(side) SEP LETTER(uplo)                  \
  SEP LETTER(transa)                             \
  SEP LETTER(diag)                               \
  SEP SIZE(m)                                    \
  SEP SIZE(n)                                    \
  SEP POINTER(alpha)                             \
  SEP POINTER(a)                                 \
  SEP SIZE(lda)                                  \
  SEP POINTER(b)                                 \
  SEP SIZE(ldb)

#define CBLAS_GEMV(CHOICE, SIZE, POINTER, ALPHA, BETA, SEP) \
  CHOICE(order) SEP CHOICE(trans)                           \
  SEP SIZE(m)                                               \
  SEP SIZE(n)                                               \
  SEP ALPHA(alpha)                                          \
  SEP POINTER(a)                                            \
  SEP SIZE(lda)                                             \
  SEP POINTER(x)                                            \
  SEP SIZE(incx)                                            \
  SEP BETA(beta)                                            \
  SEP POINTER(y)                                            \
  SEP SIZE(incy)
#define CBLAS_GEMM(CHOICE, SIZE, POINTER, ALPHA, BETA, SEP) \
  CHOICE(order) SEP CHOICE(transa)                          \
  SEP CHOICE(transb)                                        \
  SEP SIZE(m)                                               \
  SEP SIZE(n)                                               \
  SEP SIZE(k)                                               \
  SEP ALPHA(alpha)                                          \
  SEP POINTER(a)                                            \
  SEP SIZE(lda)                                             \
  SEP POINTER(b)                                            \
  SEP SIZE(ldb)                                             \
  SEP BETA(beta)                                            \
  SEP POINTER(c)                                            \
  SEP SIZE(ldc)
#define CBLAS_SYMM(CHOICE, SIZE, POINTER, ALPHA, BETA, SEP) \
  CHOICE(order) SEP CHOICE(side)                            \
  SEP CHOICE(uplo)                                          \
  SEP SIZE(m)                                               \
  SEP SIZE(n)                                               \
  SEP ALPHA(alpha)                                          \
  SEP POINTER(a)                                            \
  SEP SIZE(lda)                                             \
  SEP POINTER(b)                                            \
  SEP SIZE(ldb)                                             \
  SEP BETA(beta)                                            \
  SEP POINTER(c)                                            \
  SEP SIZE(ldc)
#define CBLAS_SYRK(CHOICE, SIZE, POINTER, ALPHA, BETA, SEP) \
  CHOICE(order) SEP CHOICE(uplo)                            \
  SEP CHOICE(trans)                                         \
  SEP SIZE(n)                                               \
  SEP SIZE(k)                                               \
  SEP ALPHA(alpha)                                          \
  SEP POINTER(a)                                            \
  SEP SIZE(lda)                                             \
  SEP BETA(beta)                                            \
  SEP POINTER(c)                                            \
  SEP SIZE(ldc)
#define CBLAS_SYR2K(CHOICE, SIZE, POINTER, ALPHA, BETA, SEP) \
  CHOICE(order) SEP CHOICE(uplo)                             \
  SEP CHOICE(trans)                                          \
  SEP SIZE(n)                                                \
  SEP SIZE(k)                                                \
  SEP ALPHA(alpha)                                           \
  SEP POINTER(a)                                             \
  SEP SIZE(lda)                                              \
  SEP POINTER(b)                                             \
  SEP SIZE(ldb)                                              \
  SEP BETA(beta)                                             \
  SEP POINTER(c)                                             \
  SEP SIZE(ldc)
#define CBLAS_TRMM(CHOICE, SIZE, POINTER, ALPHA, BETA, SEP) \
  CHOICE(order) SEP CHOICE(side)                            \
  SEP CHOICE(uplo)                                          \
  SEP CHOICE(transa)                                        \
  SEP CHOICE(diag)                                          \
  SEP SIZE(m)                                               \
  SEP SIZE(n)                                               \
  SEP ALPHA(alpha)                                          \
  SEP POINTER(a)                                            \
  SEP SIZE(lda)                                             \
  SEP POINTER(b)                                            \
  SEP SIZE(ldb)

#define FORTRAN_COPY(LETTER, SIZE, POINTER, SEP) \
  SIZE(n)                                        \
  SEP POINTER(x)                                 \
  SEP SIZE(incx)                                 \
  SEP POINTER(y)                                 \
  SEP SIZE(incy)
#define CBLAS_COPY(CHOICE, SIZE, POINTER, ALPHA, BETA, SEP) \
  SIZE(n)                                                   \
  SEP POINTER(x)                                            \
  SEP SIZE(incx)                                            \
  SEP POINTER(y)                                            \
  SEP SIZE(incy)

#define COMMA ,

#define PARAMETER_LETTER(name) const char* name
#define PARAMETER_POINTER(name) const void* name
#define PARAMETER_CHOICE(name) int name
#define PARAMETER_int32_t(name) int32_t name
#define PARAMETER_int64_t(name) int64_t name
#define PARAMETER_ADDRESS_int32_t(name) const int32_t* name
#define PARAMETER_ADDRESS_int64_t(name) const int64_t* name
#define PARAMETER_f(name) float name
#define PARAMETER_d(name) double name
#define PARAMETER_p(name) const void* name

#define FORTRAN_PARAMETERS(shape, integer) \
  FORTRAN_##shape(PARAMETER_LETTER, PARAMETER_ADDRESS_##integer, PARAMETER_POINTER, COMMA)
#define CBLAS_PARAMETERS(shape, integer, alpha, beta)                                        \
  CBLAS_##shape(PARAMETER_CHOICE, PARAMETER_##integer, PARAMETER_POINTER, PARAMETER_##alpha, \
                PARAMETER_##beta, COMMA)

#endif
