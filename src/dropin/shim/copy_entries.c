/* ?copy, under its Fortran and CBLAS names. Only vectors of many elements that lie far apart leave
 * the fast path (copier.hpp says where they come from). */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "dropin/shim/alias.h"
#include "dropin/shim/blas_integers.h"
#include "dropin/shim/blas_names.h"
#include "dropin/shim/engine_loading.h"
#include "dropin/shim/entry.h"
#include "dropin/shim/host_threads.h"
#include "dropin/shim/leads_back.h"
#include "dropin/shim/next_symbol.h"
#include "dropin/shim/outer_call.h"
#include "dropin/shim/settings.h"

#define BYTES_s 4
#define BYTES_d 8
#define BYTES_c 8
#define BYTES_z 16

/* Elements before which the process does not gain what loading the engine costs, some 10 ms: a
 * matrix of 2048, which one thread copies in 60 to 100. */
#define WORTH_LOADING (INT64_C(2048) * 2048)

static inline int is_far(int64_t n, int64_t incx, int64_t incy, int bytes) {
  const int64_t far = DUOBLAS_FAR_BYTES / bytes;
  return n >= DUOBLAS_LEAST_COPIED && incx > 0 && incy > 0 && (incx >= far || incy >= far);
}

static int engine_is_worth_it(int64_t n) {
  static _Atomic int64_t seen;
  static atomic_int calls = -1;
  int what = atomic_load_explicit(&calls, memory_order_relaxed);
  if (what < 0) atomic_store(&calls, what = (int)calls_setting());
  if (what == NO_CALLS) return 0;
  if (what == ALL_CALLS) return 1;
  if (atomic_load_explicit(&seen, memory_order_relaxed) >= WORTH_LOADING) return 1;
  return atomic_fetch_add(&seen, n) + n >= WORTH_LOADING;
}

/* No other BLAS is in the process, nor can one be loaded. As the reference has it, vectors with a
 * negative step begin at the end. */
static void copy_alone(const struct duoblas_copy* copy) {
  const size_t size = (size_t)copy->size;
  const char* x = copy->x;
  char* y = copy->y;
  if (copy->n > 0 && copy->incx < 0) x += (size_t)((1 - copy->n) * copy->incx) * size;
  if (copy->n > 0 && copy->incy < 0) y += (size_t)((1 - copy->n) * copy->incy) * size;
  for (int64_t i = 0; i < copy->n; ++i) {
    memcpy(y, x, size);
    x += copy->incx * (int64_t)size;
    y += copy->incy * (int64_t)size;
  }
}

static int done_by_engine(struct alias* alias, struct duoblas_copy* copy,
                          const void* const* integers) {
  if (!is_far(copy->n, copy->incx, copy->incy, copy->size) || !are_read_whole(alias, integers))
    return 0;
  copy->threads = threads_of_program(&alias->threads);
  if (copy->threads == 1 || !engine_is_worth_it(copy->n)) return 0;
  const struct duoblas_dropin_engine* engine = loaded_engine();
  return engine != NULL && engine->copy(copy);
}

/* Null: the call is done. */
static blas_routine* next_for_copy(struct alias* alias, struct duoblas_copy* copy,
                                   const void* const* integers, struct call_site site) {
  if (is_question(alias, copy->x, site.frame)) return NULL;
  int before = PTHREAD_CANCEL_ENABLE;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
  blas_routine* next = atomic_load_explicit(&alias->next, memory_order_acquire);
  if (next == NULL) next = loaded_symbol(alias, site.caller);
  if ((next == NULL && ends_question(copy->x)) || done_by_engine(alias, copy, integers)) {
    next = NULL;
  } else {
    if (next == NULL) next = loadable_symbol(alias);
    if (next == NULL) copy_alone(copy);
  }
  pthread_setcancelstate(before, NULL);
  return next;
}

/* As in entry.h: a short way that ends in a jump, and a cold one. */
#define COPY_ENTRY(symbol, name, letter, convention, parameters, arguments, integers, count, \
                   step_x, step_y)                                                           \
  typedef void symbol##_routine parameters;                                                  \
  static struct alias symbol##_alias = NEW_ALIAS(symbol, name, convention, COPY);            \
  COLD static void symbol##_dispatched parameters {                                          \
    struct duoblas_copy copy = {count, BYTES_##letter, x, step_x, y, step_y, 0};             \
    const void* const all_integers[] = {LIST integers, NULL};                                \
    symbol##_routine* const next =                                                           \
        (symbol##_routine*)next_for_copy(&symbol##_alias, &copy, all_integers, CALL_SITE);   \
    if (next != NULL) next arguments;                                                        \
  }                                                                                          \
  __attribute__((visibility("default"))) void symbol parameters;                             \
  void symbol parameters {                                                                   \
    symbol##_routine* const next =                                                           \
        (symbol##_routine*)atomic_load_explicit(&symbol##_alias.next, memory_order_acquire); \
    if (__builtin_expect(next != NULL && !is_far(count, step_x, step_y, BYTES_##letter), 1)) \
      next arguments;                                                                        \
    else                                                                                     \
      symbol##_dispatched arguments;                                                         \
  }

#define ARGUMENT(kind, name, C) , name
#define FORTRAN_INTEGER(kind, name, C) IF_SIZE_##kind(, name)
#define CBLAS_INTEGER(kind, name, C) IF_SIZE_##kind(, &name)

#define FORTRAN_COPY(shape, routine, name, letter, alpha, beta, convention, integer, prefix,      \
                     suffix)                                                                      \
  COPY_ENTRY(prefix##name##suffix, name, letter, convention, (FORTRAN_PARAMETERS(COPY, integer)), \
             (LIST_OF(COPY_ARGUMENTS(ARGUMENT, ))), (LIST_OF(COPY_ARGUMENTS(FORTRAN_INTEGER, ))), \
             *n, *incx, *incy)
#define FORTRAN_SCHEME(convention, integer, prefix, suffix) \
  COPY_ROUTINES(FORTRAN_COPY, convention, integer, prefix, suffix)

#define CBLAS_COPY(shape, routine, name, letter, alpha, beta, convention, integer, prefix, suffix) \
  COPY_ENTRY(prefix##name##suffix, name, letter, convention,                                       \
             (LIST_OF(COPY_ARGUMENTS(CBLAS_PARAMETER, (convention, integer, alpha, beta)))),       \
             (LIST_OF(COPY_ARGUMENTS(ARGUMENT, ))), (LIST_OF(COPY_ARGUMENTS(CBLAS_INTEGER, ))),    \
             (integer)n, (integer)incx, (integer)incy)
#define CBLAS_SCHEME(convention, integer, prefix, suffix) \
  COPY_ROUTINES(CBLAS_COPY, convention, integer, prefix, suffix)

FORTRAN_SCHEMES(FORTRAN_SCHEME)
CBLAS_SCHEMES(CBLAS_SCHEME)
