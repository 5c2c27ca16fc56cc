/* A call of any routine of BLAS that computes next to nothing. */
#ifndef DUOBLAS_DROPIN_SMALL_PRODUCTS_H
#define DUOBLAS_DROPIN_SMALL_PRODUCTS_H

#include "dropin/shim/alias.h"

/* Calls the definition with operands of one element, which is `zeros` of all of them, and factors
 * of zero: it writes zeros there. Not empty, since who forwards calls may do empty ones itself.
 * Integers are right in both widths: of Fortran where they start with the low bits, of CBLAS where
 * a long has 64.
 * \pre the alias is none of LAPACK. */
void multiply_zeros(const struct alias* alias, blas_routine* definition, double zeros[4]);

#endif
