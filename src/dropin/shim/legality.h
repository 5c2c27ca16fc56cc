/* What the reference BLAS asks of arguments. */
#ifndef DUOBLAS_DROPIN_LEGALITY_H
#define DUOBLAS_DROPIN_LEGALITY_H

#include "problem/blas_call.h"

/* The first illegal argument as Fortran counts them, of CBLAS one more; LAYOUT_ARGUMENT for a
 * CBLAS layout, NONE_ILLEGAL where the call is legal. */
enum { NONE_ILLEGAL = -1, LAYOUT_ARGUMENT = 0 };
int illegal_argument(const struct duoblas_blas_call* call);

#endif
