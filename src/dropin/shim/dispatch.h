/* Passes on calls that may be worth the engine, and first calls of a name. */
#ifndef DUOBLAS_DROPIN_DISPATCH_H
#define DUOBLAS_DROPIN_DISPATCH_H

#include <stdatomic.h>
#include <time.h>

#include "dropin/shim/alias.h"
#include "dropin/shim/outer_call.h"
#include "problem/blas_call.h"

/* Flops under which a call goes straight on, per routine and precision (s, d, c, z). */
typedef double flops_row[4];
extern _Atomic(const flops_row*) flops_table;

/* The table's pointer may be read relaxed: its rows are reached through it, and processors, Arm's
 * too, keep the order of reads of which one needs the other's result. */
static inline double least_flops(const flops_row* table, int routine, int precision) {
  double least;
  __atomic_load(&table[routine][precision], &least, __ATOMIC_RELAXED);
  return least;
}

static inline int goes_straight_on(double flops, int routine, int precision) {
  return flops <
         least_flops(atomic_load_explicit(&flops_table, memory_order_relaxed), routine, precision);
}

/* A call of the next symbol after which something remains to be done. */
struct attended_call {
  int is_attended; /* 0: nothing */
  int has_rest;    /* else the definition does all of the call */
  struct duoblas_blas_call rest;
  struct call_site site;
  struct outer_call before;                   /* what it is a part of */
  const struct duoblas_dropin_engine* engine; /* wants to know how long it takes; null: nobody */
  struct timespec begun;
};

/* Does the call, or returns the definition that must do it, or attended->rest of it. `integers`:
 * addresses of the program's integers, up to a null. */
blas_routine* dispatch_call(struct alias* alias, const struct duoblas_blas_call* call,
                            const void* const* integers, double flops, int precision,
                            struct call_site site, struct attended_call* attended);

/* If attended->is_attended, call this after the definition has done the call. */
void note_done(const struct attended_call* attended, const struct duoblas_blas_call* call);

#endif
