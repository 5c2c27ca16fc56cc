/* Replies if there is no BLAS at all. */
#ifndef DUOBLAS_DROPIN_NO_HOST_BLAS_H
#define DUOBLAS_DROPIN_NO_HOST_BLAS_H

#include "dropin/shim/alias.h"

/* Calls the program's xerbla_ or cblas_xerbla, or else prints the message of the reference's. */
void report_illegal_argument(const struct alias* alias, int argument, const void* caller);

/* Nobody can do the call, and BLAS has no error code for that: ends the process with a message. */
_Noreturn void give_up(const struct alias* alias);

#endif
