/* The width of the integers of a definition of LAPACK. Debian's 64-bit builds have the same plain
 * names as the others, and pivots of the wrong width give wrong solutions without any error. */
#ifndef DUOBLAS_DROPIN_LAPACK_INTEGERS_H
#define DUOBLAS_DROPIN_LAPACK_INTEGERS_H

#include "dropin/shim/alias.h"

/* 32 or 64, found by one call of the alias's next symbol; -1: it does not tell, or the width is not
 * the one of its name. \pre alias->next is set. */
int integer_bits(struct alias* alias, int routine, char precision);

#endif
