/* Which integers a definition of BLAS has. Debian's 64-bit builds have the same plain names as the
 * others. What is read of wide ones is their low bits, which is all of them below 2^31. */
#ifndef DUOBLAS_DROPIN_BLAS_INTEGERS_H
#define DUOBLAS_DROPIN_BLAS_INTEGERS_H

#include <stdint.h>

#include "dropin/shim/alias.h"

/* An integer that a definition reads right in either width, on machines that start with the low
 * bits: where a Fortran name has to pass on another value than it was given. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define ADDRESS_OF_INTEGER(integer, value) ((const integer*)(const void*)&(int64_t){(value)})
#else
#define ADDRESS_OF_INTEGER(integer, value) (&(integer){(integer)(value)})
#endif

/* 32 or 64, as a call of ?scal in the definition's library shows, which has the same kind of name;
 * -1: there is none, or it does not show it. Uses the loader. */
int bits_by_scal(const struct alias* alias, void* definition);

/* Whether the integers of a call were read whole. `integers`: their addresses up to a null. Those
 * of a plain name are looked at as the next symbol has them, where that is known. */
int are_read_whole(const struct alias* alias, const void* const* integers);

#endif
