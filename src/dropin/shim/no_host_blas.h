/* Without any BLAS: what a BLAS would say. */
#ifndef DUOBLAS_DROPIN_NO_HOST_BLAS_H
#define DUOBLAS_DROPIN_NO_HOST_BLAS_H

#include "dropin/shim/alias.h"

/* Calls the program's xerbla_ or cblas_xerbla, or else prints what the reference's prints. */
void report_illegal_argument(const struct alias* alias, int argument, const void* caller);

/* Nobody can do the call, and BLAS has no way to say so: ends the process, saying why. */
_Noreturn void give_up(const struct alias* alias);

#endif
