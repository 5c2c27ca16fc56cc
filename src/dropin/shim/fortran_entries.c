/* The Fortran names, of BLAS and of LAPACK. Lengths of the character arguments are only passed on
 * (C programs leave them out). */
#include "dropin/shim/blas_integers.h"
#include "dropin/shim/entry.h"

#define op_a_of op_of
#define op_b_of op_of
#define VALUE_LETTER(name) name##_of(*name)
#define VALUE_SIZE(name) *name
#define VALUE_SCALAR(name) name
#define VALUE_IN(name) name
#define VALUE_OUT(name) name
#define VALUE_INTS(name) name

#define REST_LETTER(name, C) name
#define REST_SIZE(name, C) ADDRESS_OF_INTEGER(C, REST.name)
#define REST_SCALAR(name, C) name
#define REST_IN(name, C) REST.name
#define REST_OUT(name, C) REST.name

#define ARGUMENT(kind, name, C) , name
#define LENGTH_ARGUMENT(kind, name, C) IF_LETTER_##kind(, name##_length)
#define REST_ARGUMENT(kind, name, C) , REST_##kind(name, C)
#define INTEGER(kind, name, C) IF_SIZE_##kind(, name)
#define MEMBER(kind, name, C) , .name = VALUE_##kind(name)
#define AS_DOUBLE(name) ((double)*name)

#define ARGUMENTS(shape, argument, C) \
  LIST_OF(shape##_ARGUMENTS(argument, C) shape##_ARGUMENTS(LENGTH_ARGUMENT, C))
#define FORTRAN_ROUTINE(shape, routine, name, precision, alpha, beta, convention, integer, prefix, \
                        suffix)                                                                    \
  ENTRY(prefix##name##suffix, name, convention, (FORTRAN_PARAMETERS(shape, integer)),              \
        (ARGUMENTS(shape, ARGUMENT, integer)),                                                     \
        (ARGUMENTS(shape, shape##_REST(REST_ARGUMENT, ARGUMENT), integer)),                        \
        (LIST_OF(shape##_ARGUMENTS(INTEGER, ))), DUOBLAS_##routine, precision,                     \
        shape##_FLOPS(AS_DOUBLE, side_of(*side)) * PAIR_##precision,                               \
        .layout = COLUMN_MAJOR shape##_ARGUMENTS(MEMBER, ))

/* Integers are read as the name has them: of wide ones under a plain name, the low bits
 * (small_calls.h says which there are before the engine is asked). */
#define LAPACK_ROUTINE(shape, routine, name, precision, alpha, beta, convention, integer, prefix,  \
                       suffix)                                                                     \
  ENTRY(prefix##name##suffix, name, convention, (FORTRAN_PARAMETERS(shape, integer)),              \
        (ARGUMENTS(shape, ARGUMENT, integer)), (ARGUMENTS(shape, ARGUMENT, integer)), (NULL),      \
        DUOBLAS_##routine, precision, shape##_FLOPS(AS_DOUBLE, side_of(*side)) * PAIR_##precision, \
        .layout = COLUMN_MAJOR shape##_ARGUMENTS(MEMBER, ))

#define FORTRAN_SCHEME(convention, integer, prefix, suffix)           \
  BLAS_ROUTINES(FORTRAN_ROUTINE, convention, integer, prefix, suffix) \
  LAPACK_ROUTINES(LAPACK_ROUTINE, convention, integer, prefix, suffix)

FORTRAN_SCHEMES(FORTRAN_SCHEME)
