/* A BLAS that computes nothing and writes down how it was called: the text of the last call, and
 * how many calls there were. With NEXT_BLAS_SAYS set it prints its name for each. It stands behind
 * the drop-in in tests of what is passed on. Calls of one element are the drop-in's questions,
 * which it counts. With HAS_THREADS it says how many threads it has. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "preload/blas_prototypes.h"

#define VISIBLE __attribute__((visibility("default")))

VISIBLE extern char next_blas_call[1024];
VISIBLE extern int next_blas_calls, next_blas_questions;
char next_blas_call[1024];
int next_blas_calls, next_blas_questions;

#ifdef HAS_THREADS
VISIBLE extern int next_blas_threads;
int next_blas_threads = 4;

VISIBLE int openblas_get_num_threads(void);
int openblas_get_num_threads(void) {
  return next_blas_threads;
}
#endif

static void begin(const char* symbol) {
  snprintf(next_blas_call, sizeof next_blas_call, "%s", symbol);
  ++next_blas_calls;
  if (getenv("NEXT_BLAS_SAYS") != NULL) printf("next_blas %s\n", symbol);
}

static void add(const char* text) {
  strncat(next_blas_call, text, sizeof next_blas_call - strlen(next_blas_call) - 1);
}

static void add_integer(const char* name, int64_t value) {
  char text[64];
  snprintf(text, sizeof text, " %s=%lld", name, (long long)value);
  add(text);
}

static void add_pointer(const char* name, const void* value) {
  char text[64];
  snprintf(text, sizeof text, " %s@%llx", name, (unsigned long long)(uintptr_t)value);
  add(text);
}

static void add_scalar(const char* name, double value) {
  char text[64];
  snprintf(text, sizeof text, " %s=%g", name, value);
  add(text);
}

static void add_letter(const char* name, char value) {
  char text[64];
  snprintf(text, sizeof text, " %s=%c", name, value);
  add(text);
}

#define IS_ANY(name) 1
#define IS_ADDRESSED_ONE(name) (*name == 1)
#define IS_ONE(name) (name == 1)
#define ADD_LETTER(name) add_letter(#name, *name);
#define ADD_ADDRESSED(name) add_integer(#name, *name);
#define ADD_POINTER(name) add_pointer(#name, name);
#define ADD_INTEGER(name) add_integer(#name, name);
#define ADD_f(name) add_scalar(#name, (double)name);
#define ADD_d(name) add_scalar(#name, name);
#define ADD_p(name) add_pointer(#name, name);

#define FORTRAN_ROUTINE(shape, routine, name, precision, alpha, beta, convention, integer, prefix, \
                        suffix)                                                                    \
  VISIBLE void prefix##name##suffix(FORTRAN_PARAMETERS(shape, integer));                           \
  void prefix##name##suffix(FORTRAN_PARAMETERS(shape, integer)) {                                  \
    if (FORTRAN_##shape(IS_ANY, IS_ADDRESSED_ONE, IS_ANY, &&)) {                                   \
      ++next_blas_questions;                                                                       \
      return;                                                                                      \
    }                                                                                              \
    begin(#prefix #name #suffix);                                                                  \
    FORTRAN_##shape(ADD_LETTER, ADD_ADDRESSED, ADD_POINTER, )                                      \
  }
#define FORTRAN_SCHEME(convention, integer, prefix, suffix)           \
  BLAS_ROUTINES(FORTRAN_ROUTINE, convention, integer, prefix, suffix) \
  COPY_ROUTINES(FORTRAN_ROUTINE, convention, integer, prefix, suffix)

#define CBLAS_ROUTINE(shape, routine, name, precision, alpha_kind, beta_kind, convention, integer, \
                      prefix, suffix)                                                              \
  VISIBLE void prefix##name##suffix(CBLAS_PARAMETERS(shape, integer, alpha_kind, beta_kind));      \
  void prefix##name##suffix(CBLAS_PARAMETERS(shape, integer, alpha_kind, beta_kind)) {             \
    if (CBLAS_##shape(IS_ANY, IS_ONE, IS_ANY, IS_ANY, IS_ANY, &&)) {                               \
      ++next_blas_questions;                                                                       \
      return;                                                                                      \
    }                                                                                              \
    begin(#prefix #name #suffix);                                                                  \
    CBLAS_##shape(ADD_INTEGER, ADD_INTEGER, ADD_POINTER, ADD_##alpha_kind, ADD_##beta_kind, )      \
  }
#define CBLAS_SCHEME(convention, integer, prefix, suffix)           \
  BLAS_ROUTINES(CBLAS_ROUTINE, convention, integer, prefix, suffix) \
  COPY_ROUTINES(CBLAS_ROUTINE, convention, integer, prefix, suffix)

FORTRAN_SCHEMES(FORTRAN_SCHEME)
CBLAS_SCHEMES(CBLAS_SCHEME)
