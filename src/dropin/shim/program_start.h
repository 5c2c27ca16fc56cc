/* What the library does as a program begins, before main(), or when the library is loaded later. It
 * has to see the threads of the program's BLAS before they are there, and a program's device may be
 * started before its first call. */
#ifndef DUOBLAS_DROPIN_PROGRAM_START_H
#define DUOBLAS_DROPIN_PROGRAM_START_H

#include "problem/blas_call.h"

/* This program, for the engine. */
const struct duoblas_program* this_program(void);

#endif
