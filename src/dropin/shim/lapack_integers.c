/* The small calls of LAPACK that show how wide its integers are. */
#include "dropin/shim/small_calls.h"

#include <stddef.h>
#include <string.h>

#include "dropin/shim/routine_arguments.h"
#include "problem/blas_call.h"

#define UNTOUCHED INT64_C(0x5a5a5a5a5a5a5a5a)

static int gives_pivots(int routine) {
  return routine == DUOBLAS_GETRF || routine == DUOBLAS_GESV;
}

struct question new_question(int routine, char precision) {
  /* Two pivots that are read have no value that is right in both widths. */
  const int order = gives_pivots(routine) ? 2 : 1;
  static const double elements[] = {4, 1, 1, 3};
  const int is_complex = precision == 'c' || precision == 'z', parts = is_complex ? 2 : 1;
  struct question q = {order, 1, UNTOUCHED, {UNTOUCHED, UNTOUCHED}, {{0}}, {{0}}, {{0}}, {{0}}};
  for (int i = 0; i < 4; ++i) {
    const double element = order == 2 || i == 0 ? elements[i] : 0;
    if (precision == 's' || precision == 'c')
      q.matrix.s[i * parts] = q.side.s[i * parts] = (float)element;
    else
      q.matrix.d[i * parts] = q.side.d[i * parts] = element;
  }
  if (routine == DUOBLAS_GETRS || routine == DUOBLAS_GETRI) q.pivots[0] = 1;
  return q;
}

#define ASKED_side "L"
#define ASKED_uplo "L"
#define ASKED_op_a "N"
#define ASKED_m &q->order
#define ASKED_n &q->order
#define ASKED_k &q->sides
#define ASKED_lda &q->order
#define ASKED_ldc &q->order
#define ASKED_a &q->matrix
#define ASKED_c &q->side
#define ASKED_tau &q->tau
#define ASKED_work &q->work
#define ASKED_lwork &length
#define ASKED_pivots q->pivots
#define ASKED_info &q->info
#define ASKED(kind, name, C) , ASKED_##name
#define LENGTH(kind, name, C) IF_LETTER_##kind(, 1)
#define CASE(shape)                                                       \
  case DUOBLAS_##shape:                                                   \
    ((void (*)(FORTRAN_PARAMETERS(shape, int64_t)))definition)(           \
        LIST_OF(shape##_ARGUMENTS(ASKED, ) shape##_ARGUMENTS(LENGTH, ))); \
    break;

void ask(blas_routine* definition, int routine, struct question* q) {
  const int64_t length = 4;
  switch (routine) {
    CASE(GETRF)
    CASE(POTRF)
    CASE(GESV)
    CASE(POSV)
    CASE(GETRS)
    CASE(POTRS)
    CASE(GETRI)
    CASE(GEQRF)
    CASE(ORGQR)
    CASE(ORMQR)
  }
}

/* Zero in the low bits: the high ones tell. */
static int bits_of_info(int64_t info) {
  if (info == 0) return 64;
  return info == (int64_t)((uint64_t)UNTOUCHED & UINT64_C(0xffffffff00000000)) ? 32 : -1;
}

/* Of a matrix whose rows stay where they are. */
static int bits_of_pivots(const int64_t pivots[2]) {
  if (pivots[0] == 1 && pivots[1] == 2) return 64;
  int32_t narrow[2];
  memcpy(narrow, pivots, sizeof narrow);
  return narrow[0] == 1 && narrow[1] == 2 && pivots[1] == UNTOUCHED ? 32 : -1;
}

int shown_bits(const struct alias* alias, const struct question* q) {
  const int bits = bits_of_info(q->info);
  if (gives_pivots(alias->routine) && bits_of_pivots(q->pivots) != bits) return -1;
  /* A name of wide integers has them. */
  return alias->convention == FORTRAN_64 && bits == 32 ? -1 : bits;
}
