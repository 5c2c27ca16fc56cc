/* Which integers a definition of LAPACK has. Debian's 64-bit builds have the same plain names as the
 * others, and pivots of the wrong width are wrong solves without a word. */
#ifndef DUOBLAS_DROPIN_LAPACK_INTEGERS_H
#define DUOBLAS_DROPIN_LAPACK_INTEGERS_H

#include "dropin/shim/alias.h"

/* 32 or 64, as a call of the alias's next symbol shows, which is made once; -1: it does not, or
 * not as the name promises. \pre alias->next is there. */
int integer_bits(struct alias* alias, int routine, char precision);

#endif
