/* The reference BLAS's requirements on arguments. */
#ifndef DUOBLAS_DROPIN_LEGALITY_H
#define DUOBLAS_DROPIN_LEGALITY_H

#include "problem/blas_call.h"

/* The number of the first illegal argument, counted as in Fortran, or one more for CBLAS;
 * LAYOUT_ARGUMENT for a CBLAS layout, NONE_ILLEGAL if the call is legal. */
enum { NONE_ILLEGAL = -1, LAYOUT_ARGUMENT = 0 };
int illegal_argument(const struct duoblas_blas_call* call);

#endif
