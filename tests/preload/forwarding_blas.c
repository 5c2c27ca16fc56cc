/* A library that has the names of BLAS and forwards each call to another one, which it opens at run
 * time: as libblastrampoline and FlexiBLAS do. BACKEND names the variable with that library's file;
 * DUOBLAS_TEST_BACKEND_FLAGS may have the words global and deepbind. A name that the backend lacks
 * (the drop-in has no ?scal) ends the program. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "preload/blas_prototypes.h"

#define VISIBLE __attribute__((visibility("default")))
enum { NO_BACKEND = 5, NO_NAME = 6 };
typedef void function(void);

static void* backend;

static void* opened(const char* variable) {
  const char* const file = getenv(variable);
  const char* const words = getenv("DUOBLAS_TEST_BACKEND_FLAGS");
  int flags = RTLD_LAZY;
  if (words != NULL && strstr(words, "global") != NULL) flags |= RTLD_GLOBAL;
  if (words != NULL && strstr(words, "deepbind") != NULL) flags |= RTLD_DEEPBIND;
  void* const handle = file != NULL ? dlopen(file, flags) : NULL;
  if (handle == NULL) {
    fprintf(stderr, "no backend: %s\n", file != NULL ? dlerror() : variable);
    _exit(NO_BACKEND);
  }
  return handle;
}

static function* found_in(void* handle, const char* name) {
  void* const symbol = dlsym(handle, name);
  function* found = NULL;
  memcpy(&found, &symbol, sizeof found);
  if (found == NULL) {
    fprintf(stderr, "the backend has no %s\n", name);
    _exit(NO_NAME);
  }
  return found;
}

/* Threads that come first together all open the same. */
static function* forwarded(const char* name) {
  if (backend == NULL) backend = opened(BACKEND);
  return found_in(backend, name);
}

#define SAME(name) name
#define FORWARDING(symbol, parameters, arguments)      \
  typedef void symbol##_routine parameters;            \
  VISIBLE void symbol parameters;                      \
  void symbol parameters {                             \
    ((symbol##_routine*)forwarded(#symbol)) arguments; \
  }
#define FORTRAN_ROUTINE(shape, routine, name, precision, alpha, beta, convention, integer, prefix, \
                        suffix)                                                                    \
  FORWARDING(prefix##name##suffix, (FORTRAN_PARAMETERS(shape, integer)),                           \
             (FORTRAN_##shape(SAME, SAME, SAME, COMMA)))
#define CBLAS_ROUTINE(shape, routine, name, precision, alpha, beta, convention, integer, prefix, \
                      suffix)                                                                    \
  FORWARDING(prefix##name##suffix, (CBLAS_PARAMETERS(shape, integer, alpha, beta)),              \
             (CBLAS_##shape(SAME, SAME, SAME, SAME, SAME, COMMA)))
#define FORTRAN_SCHEME(convention, integer, prefix, suffix)           \
  BLAS_ROUTINES(FORTRAN_ROUTINE, convention, integer, prefix, suffix) \
  COPY_ROUTINES(FORTRAN_ROUTINE, convention, integer, prefix, suffix)
#define CBLAS_SCHEME(convention, integer, prefix, suffix)           \
  BLAS_ROUTINES(CBLAS_ROUTINE, convention, integer, prefix, suffix) \
  COPY_ROUTINES(CBLAS_ROUTINE, convention, integer, prefix, suffix)
FORTRAN_SCHEMES(FORTRAN_SCHEME)
CBLAS_SCHEMES(CBLAS_SCHEME)

typedef const int32_t* number;
FORWARDING(dgetrf_, (number m, number n, double* a, number lda, int32_t* pivots, int32_t* info),
           (m, n, a, lda, pivots, info))
FORWARDING(dpotrf_, (const char* uplo, number n, double* a, number lda, int32_t* info, size_t one),
           (uplo, n, a, lda, info, one))
FORWARDING(dscal_, (number n, const double* alpha, double* x, number step), (n, alpha, x, step))
FORWARDING(cblas_dscal, (int32_t n, double alpha, double* x, int32_t step), (n, alpha, x, step))

/* Calls a routine of another backend, to see what it is, and forwards all calls to it from then
 * on. */
VISIBLE int forward_to_later_backend(void);

int forward_to_later_backend(void) {
  void* const later = opened("DUOBLAS_TEST_LATER_BACKEND");
  const int32_t one = 1;
  int32_t info = -1;
  double a = 4;
  ((dpotrf__routine*)found_in(later, "dpotrf_"))("L", &one, &a, &one, &info, 1);
  backend = later;
  return info == 0 && a == 2;
}
