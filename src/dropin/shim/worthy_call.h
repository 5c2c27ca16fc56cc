/* Calls that may be worth the engine, and first calls of a name. */
#ifndef DUOBLAS_DROPIN_WORTHY_CALL_H
#define DUOBLAS_DROPIN_WORTHY_CALL_H

#include <stdatomic.h>
#include <time.h>

#include "dropin/shim/alias.h"
#include "problem/level3_call.h"

/* Flops under which a call goes straight on, per routine and precision (s, d, c, z). */
typedef double flops_row[4];
extern _Atomic(const flops_row*) flops_table;

static inline double least_flops(const flops_row* table, int routine, int precision) {
  double least;
  __atomic_load(&table[routine][precision], &least, __ATOMIC_RELAXED);
  return least;
}

static inline int goes_straight_on(double flops, int routine, int precision) {
  return flops <
         least_flops(atomic_load_explicit(&flops_table, memory_order_relaxed), routine, precision);
}

/* A call of the next definition of which the engine wants to know how long it takes, to compare. */
struct timed_call {
  const struct duoblas_dropin_engine* engine; /* null: nobody wants to know */
  struct timespec begun;
};

/* Does the call, or returns the definition that is to do it. `caller`: an address inside of whom
 * the name was called by. */
blas_routine* do_worthy_call(struct alias* alias, const struct duoblas_level3_call* call,
                             double flops, int precision, const void* caller,
                             struct timed_call* timed);

/* To be called when the definition has done it, if timed->engine is set. */
void note_done(const struct timed_call* timed, const struct duoblas_level3_call* call);

#endif
