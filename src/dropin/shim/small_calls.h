/* Calls of any routine that compute next to nothing, to ask a definition something. Of LAPACK they
 * show the width of its integers: Debian's 64-bit builds have the same plain
 * names as the others, and pivots of the wrong width give wrong solutions without any error. */
#ifndef DUOBLAS_DROPIN_SMALL_CALLS_H
#define DUOBLAS_DROPIN_SMALL_CALLS_H

#include <stdint.h>

#include "dropin/shim/alias.h"

/* A small call and what it leaves behind. Its integers are right in both widths on machines that
 * start with the low bits, and its memory is wide enough for both. */
struct question {
  int64_t order, sides, info;
  int64_t pivots[2];
  union {
    float s[8];
    double d[8];
  } matrix, side, tau, work;
};

struct question new_question(int routine, char precision);

/* Calls the definition. */
void ask(blas_routine* definition, int routine, struct question* question);

/* 32 or 64; -1: it does not tell, or the width is not the one of the alias's name. */
int shown_bits(const struct alias* alias, const struct question* question);

/* Calls the definition with operands of one element, which is `zeros` of all of them, and factors
 * of zero: it writes zeros there. Not empty, since who forwards calls may do empty ones itself.
 * Integers are right in both widths: of Fortran where they start with the low bits, of CBLAS where
 * a long has 64.
 * \pre the alias is none of LAPACK. */
void multiply_zeros(const struct alias* alias, blas_routine* definition, double zeros[4]);

#endif
