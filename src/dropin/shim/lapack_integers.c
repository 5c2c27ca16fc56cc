#include "dropin/shim/lapack_integers.h"

#include <stddef.h>
#include <string.h>

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

typedef void getrf_routine(const int64_t*, const int64_t*, void*, const int64_t*, void*, void*);
typedef void potrf_routine(const char*, const int64_t*, void*, const int64_t*, void*, size_t);
typedef void gesv_routine(const int64_t*, const int64_t*, void*, const int64_t*, void*, void*,
                          const int64_t*, void*);
typedef void getrs_routine(const char*, const int64_t*, const int64_t*, const void*, const int64_t*,
                           const void*, void*, const int64_t*, void*, size_t);
typedef void posv_routine(const char*, const int64_t*, const int64_t*, void*, const int64_t*, void*,
                          const int64_t*, void*, size_t);
typedef void getri_routine(const int64_t*, void*, const int64_t*, const void*, void*,
                           const int64_t*, void*);

typedef void geqrf_routine(const int64_t*, const int64_t*, void*, const int64_t*, void*, void*,
                           const int64_t*, void*);
typedef void orgqr_routine(const int64_t*, const int64_t*, const int64_t*, void*, const int64_t*,
                           const void*, void*, const int64_t*, void*);
typedef void ormqr_routine(const char*, const char*, const int64_t*, const int64_t*, const int64_t*,
                           const void*, const int64_t*, const void*, void*, const int64_t*, void*,
                           const int64_t*, void*, size_t, size_t);
typedef void gels_routine(const char*, const int64_t*, const int64_t*, const int64_t*, void*,
                          const int64_t*, void*, const int64_t*, void*, const int64_t*, void*,
                          size_t);

void ask(blas_routine* definition, int routine, struct question* q) {
  int64_t* const n = &q->order;
  void* const a = &q->matrix;
  void* const b = &q->side;
  void* const tau = &q->tau;
  void* const work = &q->work;
  const int64_t length = 4;
  switch (routine) {
    case DUOBLAS_GETRF: ((getrf_routine*)definition)(n, n, a, n, q->pivots, &q->info); break;
    case DUOBLAS_POTRI:
    case DUOBLAS_POTRF: ((potrf_routine*)definition)("L", n, a, n, &q->info, 1); break;
    case DUOBLAS_GESV:
      ((gesv_routine*)definition)(n, &q->sides, a, n, q->pivots, b, n, &q->info);
      break;
    case DUOBLAS_GETRS:
      ((getrs_routine*)definition)("N", n, &q->sides, a, n, q->pivots, b, n, &q->info, 1);
      break;
    case DUOBLAS_GETRI:
      ((getri_routine*)definition)(n, a, n, q->pivots, work, &length, &q->info);
      break;
    case DUOBLAS_GEQRF:
      ((geqrf_routine*)definition)(n, n, a, n, tau, work, &length, &q->info);
      break;
    case DUOBLAS_ORGQR:
      ((orgqr_routine*)definition)(n, n, n, a, n, tau, work, &length, &q->info);
      break;
    case DUOBLAS_ORMQR:
      ((ormqr_routine*)definition)("L", "N", n, n, n, a, n, tau, b, n, work, &length, &q->info, 1,
                                   1);
      break;
    case DUOBLAS_GELS:
      ((gels_routine*)definition)("N", n, n, &q->sides, a, n, b, n, work, &length, &q->info, 1);
      break;
    default: ((posv_routine*)definition)("L", n, &q->sides, a, n, b, n, &q->info, 1); break;
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
