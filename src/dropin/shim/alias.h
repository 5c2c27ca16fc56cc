/* One exported name, and whom it stands before. */
#ifndef DUOBLAS_DROPIN_ALIAS_H
#define DUOBLAS_DROPIN_ALIAS_H

#include <stdatomic.h>

/* Any routine; cast to its own type before it is called. */
typedef void blas_routine(void);

typedef int get_number(void);

/* Argument order and width of integers; names of one convention can stand for each other. */
enum convention { FORTRAN_32, FORTRAN_64, CBLAS_32, CBLAS_64 };

struct alias {
  const char* symbol; /* "cblas_sgemm64_" */
  const char* name;   /* "sgemm" */
  enum convention convention;
  _Atomic(blas_routine*) next;       /* null: not looked for yet, or not found */
  atomic_ullong searched_at;         /* the count of loaded objects at the last search in vain */
  atomic_int tried_to_load;          /* a BLAS of the system */
  _Atomic(get_number*) host_threads; /* of next's library; null: not known */
};

#endif
