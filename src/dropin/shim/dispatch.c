#include "dropin/shim/dispatch.h"

#include <math.h>
#include <pthread.h>
#include <stddef.h>

#include "dropin/shim/blas_integers.h"
#include "dropin/shim/engine_loading.h"
#include "dropin/shim/host_threads.h"
#include "dropin/shim/leads_back.h"
#include "dropin/shim/legality.h"
#include "dropin/shim/next_symbol.h"
#include "dropin/shim/no_host_blas.h"
#include "dropin/shim/settings.h"

#define EVERY_TYPE(value) \
  { value, value, value, value }

/* The same of every routine that memory does not bound. */
#define EVERY_PRODUCT(value)                                                \
  [DUOBLAS_GEMM] = EVERY_TYPE(value), [DUOBLAS_SYMM] = EVERY_TYPE(value),   \
  [DUOBLAS_HEMM] = EVERY_TYPE(value), [DUOBLAS_SYRK] = EVERY_TYPE(value),   \
  [DUOBLAS_HERK] = EVERY_TYPE(value), [DUOBLAS_SYR2K] = EVERY_TYPE(value),  \
  [DUOBLAS_HER2K] = EVERY_TYPE(value), [DUOBLAS_TRMM] = EVERY_TYPE(value),  \
  [DUOBLAS_TRSM] = EVERY_TYPE(value), [DUOBLAS_GETRF] = EVERY_TYPE(value),  \
  [DUOBLAS_POTRF] = EVERY_TYPE(value), [DUOBLAS_GESV] = EVERY_TYPE(value),  \
  [DUOBLAS_POSV] = EVERY_TYPE(value), [DUOBLAS_GETRS] = EVERY_TYPE(value),  \
  [DUOBLAS_POTRS] = EVERY_TYPE(value), [DUOBLAS_GEQRF] = EVERY_TYPE(value), \
  [DUOBLAS_ORGQR] = EVERY_TYPE(value), [DUOBLAS_ORMQR] = EVERY_TYPE(value), \
  [DUOBLAS_GETRI] = EVERY_TYPE(value)
/* Flops of a matrix of so many bytes that is multiplied by a vector: two of each real element,
 * eight of each complex one. */
#define OF_BYTES(bytes) \
  { (bytes) / 2, (bytes) / 4, (bytes), (bytes) / 2 }
#define EVERY_ROUTINE(value) \
  { EVERY_PRODUCT(value), [DUOBLAS_GEMV] = EVERY_TYPE(value) }
#define SMALLEST_OF_GPU                                                                 \
  {                                                                                     \
    EVERY_PRODUCT(DUOBLAS_SMALLEST_GPU_FLOPS), [DUOBLAS_GEMV] =                         \
                                                   OF_BYTES(DUOBLAS_SMALLEST_GPU_BYTES) \
  }

/* Before the process had this much of large calls, it does not gain what starting a device costs,
 * some 25 ms of a core with PoCL: an sgemm with n = 1024, 5 to 10 ms of two cores. */
#define WORTH_STARTING (2.0 * 1024 * 1024 * 1024)

static const flops_row nothing[DUOBLAS_ROUTINES] = EVERY_ROUTINE(INFINITY);
static const flops_row everything[DUOBLAS_ROUTINES] = EVERY_ROUTINE(0);
static const flops_row large[DUOBLAS_ROUTINES] = SMALLEST_OF_GPU;

/* Nothing goes straight on, also where a size is negative. */
static const flops_row counted[DUOBLAS_ROUTINES] = EVERY_ROUTINE(-INFINITY);

/* The user is told of calls from this size on. */
static const flops_row told[DUOBLAS_ROUTINES] = SMALLEST_OF_GPU;

_Atomic(const flops_row*) flops_table = NULL;

/* Flops under which the engine is not asked. Another table than flops_table only where the user is
 * told of calls. */
static _Atomic(const flops_row*) engine_table = NULL;

/* Of enum duoblas_telling. */
static atomic_int telling = 0;

static void replace_table(const flops_row* old, const flops_row* new) {
  const flops_row* before = old;
  atomic_compare_exchange_strong(&engine_table, &before, new);
  before = old;
  atomic_compare_exchange_strong(&flops_table, &before, new);
}

/* Threads that come first together all find the same. */
static void read_settings(void) {
  const flops_row* table = nothing;
  switch (calls_setting()) {
    case NO_CALLS: break;
    case LARGE_CALLS: table = large; break;
    case ALL_CALLS: table = everything; break;
  }
  const int says = verbose_setting() >= 2, counts = summary_setting();
  atomic_store(&telling, (says ? DUOBLAS_SAYS : 0) | (counts ? DUOBLAS_COUNTS : 0));
  const flops_row* unread = NULL;
  atomic_compare_exchange_strong(&engine_table, &unread, table);
  unread = NULL;
  const flops_row* looked_at = counts ? counted : says && table != everything ? told : table;
  atomic_compare_exchange_strong(&flops_table, &unread, looked_at);
}

static const struct duoblas_dropin_engine* engine_for_calls(void) {
  const struct duoblas_dropin_engine* engine = loaded_engine();
  replace_table(large, engine != NULL ? engine->smallest_flops : nothing);
  return engine;
}

/* For a program that chooses who computes: from now on the engine says which calls it is asked for,
 * however little was computed before. Not where the environment left it none. */
__attribute__((visibility("default"))) void duoblas_dropin_begin(void);

void duoblas_dropin_begin(void) {
  if (atomic_load_explicit(&flops_table, memory_order_acquire) == NULL) read_settings();
  if (atomic_load(&engine_table) == large) engine_for_calls();
}

static int has_started(void) {
  return atomic_load_explicit(&engine_table, memory_order_relaxed) != large;
}

/* Loading takes 2 ms, and two cores of a Xeon do WORTH_STARTING of doubles in 15. So a program of
 * small products would lose 13 % if it ended there, and a device saves little of each. LAPACK and
 * gemv take longer for as many flops. */
static double counted_flops(const struct duoblas_blas_call* call, double flops) {
  const int is_product = call->routine != DUOBLAS_GEMV && !is_lapack(call->routine);
  return is_product && flops < WORTH_STARTING ? flops / 4 : flops;
}

/* Whether the process multiplies enough, this call included. */
static int is_worth_starting(double flops) {
  static _Atomic double seen = 0;
  if (has_started()) return 1;
  double before = atomic_load(&seen);
  while (!atomic_compare_exchange_weak(&seen, &before, before + flops)) {
  }
  return before + flops >= WORTH_STARTING;
}

enum { NOTHING_AGAINST_IT = 0 };

/* Why the engine is not to be asked. */
static int why_not_engines(struct alias* alias, const struct duoblas_blas_call* call,
                           const void* const* integers, double flops, int precision,
                           const struct outer_call* outer) {
  if (is_part_of_question(call)) return DUOBLAS_TOO_EARLY;
  const flops_row* table = atomic_load_explicit(&engine_table, memory_order_relaxed);
  if (flops < least_flops(table, call->routine, precision)) return DUOBLAS_BELOW_LIMIT;
  /* Also where the sizes are negative and their product is not. */
  if (illegal_argument(call) != NONE_ILLEGAL) return DUOBLAS_ILLEGAL_CALL;
  if (!are_read_whole(alias, integers)) return DUOBLAS_UNKNOWN_INTEGERS;
  const int is_too_early =
      outer->is_timed || (!is_rank_setting() && ((outer->is_lapack && !has_started()) ||
                                                 !is_worth_starting(counted_flops(call, flops))));
  return is_too_early ? DUOBLAS_TOO_EARLY : NOTHING_AGAINST_IT;
}

/* `reason`: why the engine did not do it, for its note_passed_on. */
static int done_by_engine(struct alias* alias, const struct duoblas_blas_call* call,
                          const void* const* integers, double flops, int precision, int* reason,
                          const struct outer_call* outer, struct attended_call* attended) {
  *reason = why_not_engines(alias, call, integers, flops, precision, outer);
  if (*reason != NOTHING_AGAINST_IT) return 0;
  *reason = DUOBLAS_TOO_EARLY;
  const struct duoblas_dropin_engine* engine = engine_for_calls();
  if (engine == NULL) return 0;
  struct duoblas_blas_call bounded = *call;
  bounded.is_nested = outer->is_lapack;
  if (is_lapack(call->routine)) {
    *reason = DUOBLAS_UNKNOWN_INTEGERS;
    const int bits = atomic_load(&alias->integer_bits);
    if (bits != 32 && bits != 64) return 0;
    bounded.wide = bits == 64;
  }
  bounded.threads = threads_of_program(&alias->threads);
  bounded.library = atomic_load_explicit(&alias->threads.library, memory_order_relaxed);
  const int answer = engine->run(&bounded, reason);
  if (answer != DUOBLAS_DONE && answer != DUOBLAS_PASSED_ON) attended->engine = engine;
  if (answer == DUOBLAS_RESERVES_CORE)
    attended->is_attended = reserve_core_for(alias, &attended->site);
  if (answer == DUOBLAS_REST) {
    attended->has_rest = 1;
    attended->rest = bounded;
  }
  attended->is_attended |= attended->engine != NULL;
  return answer == DUOBLAS_DONE;
}

/* A thread that pthread_cancel ends unwinds its stack, and the engine's must not be: the thread
 * ends after the call. */
static int disable_cancellation(void) {
  int before = PTHREAD_CANCEL_ENABLE;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
  return before;
}

void note_done(const struct attended_call* attended, const struct duoblas_blas_call* call) {
  const int cancellable = disable_cancellation();
  end_outer_call(&attended->before, &attended->site);
  if (attended->engine != NULL) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    attended->engine->note_seconds(call,
                                   (double)(now.tv_sec - attended->begun.tv_sec) +
                                       1e-9 * (double)(now.tv_nsec - attended->begun.tv_nsec));
  }
  pthread_setcancelstate(cancellable, NULL);
}

/* The engine tells. Where calls are counted, small ones load it too. A question for lwork computes
 * nothing, and is not counted. */
static void note_passed_on(const struct duoblas_blas_call* call, double flops, int precision,
                           int reason, const struct outer_call* outer) {
  const int tells = atomic_load_explicit(&telling, memory_order_relaxed);
  const int is_small = flops < least_flops(told, call->routine, precision);
  if (tells == 0 || call->lwork == -1 || outer->is_lapack || is_part_of_question(call) ||
      (is_small && (tells & DUOBLAS_COUNTS) == 0))
    return;
  const struct duoblas_dropin_engine* engine = loaded_engine();
  if (engine != NULL) engine->note_passed_on(call, reason, tells);
}

/* No other BLAS is in the process, nor can one be loaded. */
static void do_alone(const struct alias* alias, const struct duoblas_blas_call* call) {
  if (is_lapack(call->routine)) give_up(alias);
  if (illegal_argument(call) != NONE_ILLEGAL) return;
  const struct duoblas_dropin_engine* engine = loaded_engine();
  if (engine == NULL || !engine->run_anywhere(call)) give_up(alias);
}

enum done { PASSED_ON, DONE, DONE_ALONE };

static enum done what_is_done(struct alias* alias, const struct duoblas_blas_call* call,
                              const void* const* integers, double flops, int precision,
                              blas_routine** next, struct attended_call* attended) {
  const struct call_site* const site = &attended->site;
  if (is_question(alias, call->a, site->frame)) return DONE;
  if (atomic_load_explicit(&flops_table, memory_order_acquire) == NULL) read_settings();
  const struct outer_call* const outer = outer_call(site);
  *next = atomic_load_explicit(&alias->next, memory_order_acquire);
  /* Before the engine is asked: a child that was forked while another thread was inside the loader
   * cannot use the loader, and has to have its BLAS by then. */
  if (*next == NULL) *next = loaded_symbol(alias, site->caller);
  if (*next == NULL && ends_question(call->a)) return DONE;
  /* It has to show its integers. */
  if (*next == NULL && is_lapack(call->routine)) *next = loadable_symbol(alias);
  int reason;
  if (done_by_engine(alias, call, integers, flops, precision, &reason, outer, attended))
    return DONE;
  if (*next == NULL) *next = loadable_symbol(alias);
  if (*next == NULL) {
    release_core_of(site);
    if (attended->engine != NULL) attended->engine->note_seconds(call, INFINITY);
    do_alone(alias, attended->has_rest ? &attended->rest : call);
    attended->is_attended = attended->has_rest = 0;
    return DONE_ALONE;
  }
  /* The engine tells of its part. */
  if (!attended->has_rest) note_passed_on(call, flops, precision, reason, outer);
  /* Error exits of programs often do not return. */
  const int may_call_others = is_lapack(call->routine) && illegal_argument(call) == NONE_ILLEGAL;
  attended->is_attended |= may_call_others;
  if (attended->is_attended) {
    const struct outer_call own = {
        site->frame, alias, outer->is_lapack || may_call_others,
        outer->is_timed || (may_call_others && attended->engine != NULL)};
    begin_outer_call(&attended->before, &own);
  }
  if (attended->engine != NULL) clock_gettime(CLOCK_MONOTONIC, &attended->begun);
  return PASSED_ON;
}

blas_routine* dispatch_call(struct alias* alias, const struct duoblas_blas_call* call,
                            const void* const* integers, double flops, int precision,
                            struct call_site site, struct attended_call* attended) {
  const int cancellable = disable_cancellation();
  *attended = (struct attended_call){.site = site};
  blas_routine* next = NULL;
  const enum done done = what_is_done(alias, call, integers, flops, precision, &next, attended);
  pthread_setcancelstate(cancellable, NULL);
  if (done == PASSED_ON) return next;
  const int illegal = done == DONE_ALONE ? illegal_argument(call) : NONE_ILLEGAL;
  if (illegal != NONE_ILLEGAL) report_illegal_argument(alias, illegal, site.caller);
  return NULL;
}
