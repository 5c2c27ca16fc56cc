/* The code that every exported name shares: the fast path, and the jump to the slow one. */
#ifndef DUOBLAS_DROPIN_ENTRY_H
#define DUOBLAS_DROPIN_ENTRY_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "dropin/shim/alias.h"
#include "dropin/shim/blas_names.h"
#include "dropin/shim/dispatch.h"
#include "dropin/shim/routine_arguments.h"
#include "problem/blas_call.h"

#define PRECISION_s 0
#define PRECISION_d 1
#define PRECISION_c 2
#define PRECISION_z 3

/* Multiplications and additions in one product of two elements. */
#define PAIR_s 2.0
#define PAIR_d 2.0
#define PAIR_c 8.0
#define PAIR_z 8.0

/* How many such products a routine takes; of LAPACK half of its operations. V(m) is the value of m
 * as a double, which does not overflow. */
#define GEMV_FLOPS(V, side) (V(m) * V(n))
#define GEMM_FLOPS(V, side) (V(m) * V(n) * V(k))
#define SYMM_FLOPS(V, side) (V(m) * V(n) * (side == LEFT ? V(m) : V(n)))
#define SYRK_FLOPS(V, side) (V(n) * V(n) * V(k) / 2)
#define SYR2K_FLOPS(V, side) (V(n) * V(n) * V(k))
#define TRMM_FLOPS(V, side) (SYMM_FLOPS(V, side) / 2)
#define GETRF_FLOPS(V, side) (lu_flops(V(m), V(n)) / 2)
#define POTRF_FLOPS(V, side) (cube(V(n)) / 6)
#define GESV_FLOPS(V, side) (cube(V(n)) / 3 + solve_flops(V(n), V(k)) / 2)
#define POSV_FLOPS(V, side) (cube(V(n)) / 6 + solve_flops(V(n), V(k)) / 2)
#define GETRS_FLOPS(V, side) (solve_flops(V(n), V(k)) / 2)
#define POTRS_FLOPS(V, side) (solve_flops(V(n), V(k)) / 2)
#define GETRI_FLOPS(V, side) (2 * cube(V(n)) / 3)
#define GEQRF_FLOPS(V, side) (qr_flops(V(m), V(n)) / 2)
#define ORGQR_FLOPS(V, side) (form_q_flops(V(m), V(n), V(k)) / 2)
#define ORMQR_FLOPS(V, side) \
  ((side == RIGHT ? apply_q_flops(V(n), V(m), V(k)) : apply_q_flops(V(m), V(n), V(k))) / 2)

static inline double lu_flops(double m, double n) {
  const double large = m > n ? m : n, small = m > n ? n : m;
  return large * small * small - small * small * small / 3;
}
static inline double cube(double n) {
  return n * n * n;
}
static inline double qr_flops(double m, double n) {
  const double large = m > n ? m : n, small = m > n ? n : m;
  return 2 * small * small * (large - small / 3);
}
static inline double form_q_flops(double m, double n, double k) {
  return 4 * m * n * k - 2 * (m + n) * k * k + 4 * k * k * k / 3;
}
/* Of k reflectors of `order` elements. */
static inline double apply_q_flops(double order, double others, double k) {
  return 2 * k * others * (2 * order - k);
}
static inline double solve_flops(double n, double sides) {
  return 2 * n * n * sides;
}

/* Of gemm a part may be done, and the definition does the rest; all others are done as a whole or
 * not at all. */
#define REST (attended.rest)
#define GEMM_REST(of_rest, of_all) of_rest
#define GEMV_REST(of_rest, of_all) of_all
#define SYMM_REST(of_rest, of_all) of_all
#define SYRK_REST(of_rest, of_all) of_all
#define SYR2K_REST(of_rest, of_all) of_all
#define TRMM_REST(of_rest, of_all) of_all

/* Must not be inlined, nor lose arguments: then it could not be jumped to. */
#if __has_attribute(noipa)
#define COLD __attribute__((noipa, cold))
#else
#define COLD __attribute__((noinline, cold))
#endif

#define LIST(...) __VA_ARGS__

/* Defines one exported function. `parameters` and `arguments` are in parentheses, and so are the
 * arguments for the rest of a call and the addresses of its integers; `flops` and what follows,
 * the fields of the call, are expressions of the arguments.
 *
 * Small calls load the next symbol and the limit, compare, and jump: nothing was put on the
 * stack, so the jump passes on the arguments where they are. Everything else is in the cold
 * function, reached by a jump too: its return address is the caller's. */
#define ENTRY(symbol, name, convention, parameters, arguments, rest_arguments, integers, which,   \
              letter, flops, ...)                                                                 \
  typedef void symbol##_routine parameters;                                                       \
  static struct alias symbol##_alias = NEW_ALIAS(symbol, name, convention, which);                \
  COLD static void symbol##_dispatched parameters {                                               \
    const struct duoblas_blas_call call = {.routine = which, .precision = *#letter, __VA_ARGS__}; \
    const void* const all_integers[] = {LIST integers, NULL};                                     \
    struct attended_call attended;                                                                \
    symbol##_routine* const next = (symbol##_routine*)dispatch_call(                              \
        &symbol##_alias, &call, all_integers, flops, PRECISION_##letter, CALL_SITE, &attended);   \
    if (attended.has_rest)                                                                        \
      next rest_arguments;                                                                        \
    else if (next != NULL)                                                                        \
      next arguments;                                                                             \
    if (attended.is_attended) note_done(&attended, &call);                                        \
  }                                                                                               \
  __attribute__((visibility("default"))) void symbol parameters;                                  \
  void symbol parameters {                                                                        \
    symbol##_routine* const next =                                                                \
        (symbol##_routine*)atomic_load_explicit(&symbol##_alias.next, memory_order_acquire);      \
    if (__builtin_expect(next != NULL && goes_straight_on(flops, which, PRECISION_##letter), 1))  \
      next arguments;                                                                             \
    else                                                                                          \
      symbol##_dispatched arguments;                                                              \
  }

#endif
