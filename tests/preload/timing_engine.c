/* An engine that computes nothing. Of large calls it wants to know how long they take; or, with
 * DUOBLAS_TEST_ENGINE=sparing, it wants a core to be left alone; or, with `rest`, it says that it
 * did a row, two columns and some elements of a product. Where the user wants to hear of calls it
 * says on how many threads OpenBLAS is going to do them. It says of each copy how long it is, and
 * at the end whether the program changed what libraries read as they start. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "problem/blas_call.h"

static int run(struct duoblas_blas_call* call, int* reason) {
  *reason = 0;
  const char* const wanted = getenv("DUOBLAS_TEST_ENGINE");
  if (call->m < 512) return DUOBLAS_PASSED_ON;
  if (wanted == NULL) return DUOBLAS_TIMED;
  if (strcmp(wanted, "rest") != 0) return DUOBLAS_RESERVES_CORE;
  call->m -= 1;
  call->n -= 2;
  call->a = (const char*)call->a + 8;
  call->b = (const char*)call->b + 16;
  call->c = (char*)call->c + 24;
  return DUOBLAS_REST;
}

static int run_anywhere(const struct duoblas_blas_call* call) {
  (void)call;
  return 0;
}

static void note_passed_on(const struct duoblas_blas_call* call, int reason, int telling) {
  (void)reason;
  if ((telling & DUOBLAS_SAYS) == 0) return;
  void* const symbol = dlsym(RTLD_DEFAULT, "openblas_get_num_threads");
  int (*threads)(void) = NULL;
  memcpy(&threads, &symbol, sizeof threads);
  if (threads != NULL) fprintf(stderr, "%lld rows on %d threads\n", (long long)call->m, threads());
}

static void note_seconds(const struct duoblas_blas_call* call, double seconds) {
  fprintf(stderr, "%cgemm of %lld rows took %.9f s\n", call->precision, (long long)call->m,
          seconds);
}

/* Of copies with an odd number of elements it does nothing, and says that they are done. */
static int copy(const struct duoblas_copy* call) {
  fprintf(stderr, "%lld elements of %d bytes, %lld and %lld apart\n", (long long)call->n,
          call->size, (long long)call->incx, (long long)call->incy);
  return call->n % 2 == 1;
}

static const struct duoblas_program* of_shim;

static void note_program(const struct duoblas_program* program) {
  of_shim = program;
}

static void begin(void) {
  fprintf(stderr, "began before the first call\n");
}

static void end(void) {
  if (of_shim != NULL && !of_shim->is_unchanged()) fprintf(stderr, "the surroundings changed\n");
}

static const double everything[DUOBLAS_ROUTINES][4];
static const struct duoblas_dropin_engine table = {
    DUOBLAS_ENGINE_VERSION, run,  everything,   run_anywhere, note_passed_on,
    note_seconds,           copy, note_program, begin,        end};

__attribute__((visibility("default"))) const struct duoblas_dropin_engine* duoblas_dropin_engine(
    void);

const struct duoblas_dropin_engine* duoblas_dropin_engine(void) {
  return &table;
}
