/* The code that every exported name shares: the fast path, and the jump to the slow one. */
#ifndef DUOBLAS_DROPIN_ENTRY_H
#define DUOBLAS_DROPIN_ENTRY_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "dropin/shim/alias.h"
#include "dropin/shim/blas_names.h"
#include "dropin/shim/dispatch.h"
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

/* Must not be inlined, nor lose arguments: then it could not be jumped to. */
#if __has_attribute(noipa)
#define COLD __attribute__((noipa, cold))
#else
#define COLD __attribute__((noinline, cold))
#endif

#define LIST(...) __VA_ARGS__

/* For use in PRODUCT_ENTRY: the rest of the call. */
#define REST (attended.rest)

/* Defines one exported function. `parameters` and `arguments` are in parentheses, and so are the
 * arguments for the rest of a call and the addresses of its integers; `flops` and what follows,
 * the fields of the call, are expressions of the arguments.
 *
 * Small calls load the next symbol and the limit, compare, and jump: nothing was put on the
 * stack, so the jump passes on the arguments where they are. Everything else is in the cold
 * function, reached by a jump too: its return address is the caller's. Sizes are multiplied as
 * doubles, which do not overflow. */
#define PRODUCT_ENTRY(symbol, name, convention, parameters, arguments, rest_arguments, integers,  \
                      which, letter, flops, ...)                                                  \
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

/* For a routine that is done as a whole or not at all. */
#define ENTRY(symbol, name, convention, parameters, arguments, ...) \
  PRODUCT_ENTRY(symbol, name, convention, parameters, arguments, arguments, __VA_ARGS__)

#endif
