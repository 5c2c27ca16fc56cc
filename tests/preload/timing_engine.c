/* An engine that computes nothing, and wants to know how long large calls take. */
#include <stdio.h>

#include "problem/level3_call.h"

static int run(const struct duoblas_level3_call* call, int* reason) {
  *reason = 0;
  return call->m >= 512 ? DUOBLAS_TIMED : DUOBLAS_PASSED_ON;
}

static int run_anywhere(const struct duoblas_level3_call* call) {
  (void)call;
  return 0;
}

static void note_passed_on(const struct duoblas_level3_call* call, int reason, int telling) {
  (void)call;
  (void)reason;
  (void)telling;
}

static void note_seconds(const struct duoblas_level3_call* call, double seconds) {
  fprintf(stderr, "%cgemm of %lld rows took %.9f s\n", call->precision, (long long)call->m,
          seconds);
}

static const double everything[DUOBLAS_ROUTINES][4];
static const struct duoblas_dropin_engine table = {
    5, run, everything, run_anywhere, note_passed_on, note_seconds};

__attribute__((visibility("default"))) const struct duoblas_dropin_engine* duoblas_dropin_engine(
    void);

const struct duoblas_dropin_engine* duoblas_dropin_engine(void) {
  return &table;
}
