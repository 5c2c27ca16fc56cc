/* One exported name, and the symbol behind it that it replaces. */
#ifndef DUOBLAS_DROPIN_ALIAS_H
#define DUOBLAS_DROPIN_ALIAS_H

#include <stdatomic.h>

#include "problem/blas_call.h"

/* Any routine; cast to its own type before it is called. */
typedef void blas_routine(void);

typedef int get_number(void);
typedef void set_number(int);

/* Argument order and width of integers; names of one convention can stand for each other. */
enum convention { FORTRAN_32, FORTRAN_64, CBLAS_32, CBLAS_64 };

/* The number of threads that the program allows its BLAS, which may change at any time. */
struct host_threads {
  _Atomic(get_number*) get; /* null: not known, as the next */
  _Atomic(set_number*) set;
  atomic_int of_each_thread;    /* not of the process: what one thread sets is its own */
  _Atomic(const void*) library; /* where the BLAS is loaded, */
  _Atomic(const void*) end;     /* and where that ends */
};

/* Beside the routines of blas_call.h. */
enum { COPY = DUOBLAS_ROUTINES };

struct alias {
  const char* symbol; /* "cblas_sgemm64_" */
  const char* name;   /* "sgemm" */
  enum convention convention;
  int routine;                 /* enum duoblas_routine, or COPY */
  _Atomic(blas_routine*) next; /* null: not looked for yet, or not found */
  atomic_ullong searched_at;   /* the count of loaded objects at the last search in vain */
  atomic_int tried_to_load;    /* a BLAS of the system */
  struct host_threads threads; /* of next's library */
  atomic_int integer_bits;     /* of next, where it is of LAPACK; 0: not asked yet */
  atomic_int scal_bits;        /* of ?scal in next's library; 0: not asked yet */
};

#define NEW_ALIAS(symbol_, name_, convention_, routine_) \
  { .symbol = #symbol_, .name = #name_, .convention = convention_, .routine = routine_ }

/* The element type: 's' 'd' 'c' 'z'. */
static inline char precision_of(const struct alias* alias) {
  return *alias->name;
}

static inline int is_lapack(int routine) {
  return routine >= DUOBLAS_GETRF && routine < DUOBLAS_ROUTINES;
}

#endif
