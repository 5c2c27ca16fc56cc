/* The width of the integers of a definition of BLAS. Debian's 64-bit builds have the same plain
 * names as the others. Only the low bits of wide integers are read; below 2^31 the
 * others are 0. */
#ifndef DUOBLAS_DROPIN_BLAS_INTEGERS_H
#define DUOBLAS_DROPIN_BLAS_INTEGERS_H

#include <stdint.h>

#include "dropin/shim/alias.h"

/* An integer that a definition of either width reads right, on little-endian machines. Used if a
 * Fortran name has to pass on another value than it was given. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define ADDRESS_OF_INTEGER(integer, value) ((const integer*)(const void*)&(int64_t){(value)})
#else
#define ADDRESS_OF_INTEGER(integer, value) (&(integer){(integer)(value)})
#endif

/* Whether integers do, on this machine. */
int starts_with_low_bits(void);

/* 32 or 64, found by calling ?scal of the definition's library, under the same kind of name; -1:
 * there is none, or the call does not tell. Uses the loader. */
int bits_by_scal(const struct alias* alias, void* definition);

/* Whether the integers of a call were read whole. `integers`: their addresses up to a null. For a
 * plain name the width of the next symbol counts, if that is known. */
int are_read_whole(const struct alias* alias, const void* const* integers);

#endif
