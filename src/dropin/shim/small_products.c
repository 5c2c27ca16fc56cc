/* The small calls of BLAS by which a definition that leads back to us is known. */
#include "dropin/shim/small_calls.h"

#include <string.h>

#include "dropin/shim/blas_names.h"
#include "dropin/shim/routine_arguments.h"

/* What stands for each argument: triangles have a diagonal of ones, so nobody divides by zero. */
#define LETTER_side "L"
#define LETTER_uplo "U"
#define LETTER_op_a "N"
#define LETTER_op_b "N"
#define LETTER_diag "U"
#define ADDRESS_LETTER(name) LETTER_##name
#define ADDRESS_SIZE(name) &one
#define ADDRESS_SCALAR(name) z
#define ADDRESS_IN(name) z
#define ADDRESS_OUT(name) z
#define ADDRESS(kind, name, C) , ADDRESS_##kind(name)
#define LENGTH(kind, name, C) IF_LETTER_##kind(, 1)

#define NUMBER_side LEFT
#define NUMBER_uplo UPPER
#define NUMBER_op_a NO_TRANS
#define NUMBER_op_b NO_TRANS
#define NUMBER_diag UNIT
#define ZERO_f 0
#define ZERO_d 0
#define ZERO_p z
#define ZERO_OF_alpha(convention, integer, alpha, beta) ZERO_##alpha
#define ZERO_OF_beta(convention, integer, alpha, beta) ZERO_##beta
#define VALUE_LETTER(name, C) NUMBER_##name
#define VALUE_SIZE(name, C) 1
#define VALUE_SCALAR(name, C) ZERO_OF_##name C
#define VALUE_IN(name, C) z
#define VALUE_OUT(name, C) z
#define VALUE(kind, name, C) , VALUE_##kind(name, C)

#define FORTRAN_CALL(shape, routine, name, precision, alpha, beta, unused) \
  if (strcmp(asked, #name) == 0)                                           \
    ((void (*)(FORTRAN_PARAMETERS(shape, int64_t)))definition)(            \
        LIST_OF(shape##_ARGUMENTS(ADDRESS, ) shape##_ARGUMENTS(LENGTH, )));

static void multiply_by_fortran(const struct alias* alias, blas_routine* definition, double* z) {
  static const int64_t one = 1;
  const char* const asked = alias->name;
  BLAS_ROUTINES(FORTRAN_CALL, )
  COPY_ROUTINES(FORTRAN_CALL, )
}

/* Integers are as wide as a register. */
#define CBLAS_CALL(shape, routine, name, precision, alpha, beta, unused)               \
  if (strcmp(asked, #name) == 0)                                                       \
    ((void (*)(CBLAS_PARAMETERS(shape, (CBLAS_64, int64_t, alpha, beta))))definition)( \
        COLUMN_MAJOR shape##_ARGUMENTS(VALUE, (CBLAS_64, int64_t, alpha, beta)));

static void multiply_by_cblas(const struct alias* alias, blas_routine* definition, double* z) {
  const char* const asked = alias->name;
  typedef void copy_routine(int64_t, const void*, int64_t, void*, int64_t);
  if (alias->routine == COPY) ((copy_routine*)definition)(1, z, 1, z, 1);
  BLAS_ROUTINES(CBLAS_CALL, )
}

void multiply_zeros(const struct alias* alias, blas_routine* definition, double zeros[4]) {
  if (alias->convention == FORTRAN_32 || alias->convention == FORTRAN_64)
    multiply_by_fortran(alias, definition, zeros);
  else
    multiply_by_cblas(alias, definition, zeros);
}
