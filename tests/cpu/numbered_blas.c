/* A CPU BLAS for tests of how many threads a call has: cblas_dtrsm computes nothing and writes that
 * number to B[0] when it begins and to B[1] when it ends, a millisecond later. With SETTABLE the
 * number can be changed as OpenBLAS's. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <time.h>

#define VISIBLE __attribute__((visibility("default")))

static int number(void) {
  const char* text = getenv("OPENBLAS_NUM_THREADS");
  return text != NULL ? atoi(text) : 0;
}

#ifdef SETTABLE
static int current;

VISIBLE int openblas_get_num_threads(void);
VISIBLE void openblas_set_num_threads(int threads);

int openblas_get_num_threads(void) {
  if (current == 0) current = number();
  return current;
}

void openblas_set_num_threads(int threads) {
  current = threads;
}
#else
static int openblas_get_num_threads(void) {
  return number();
}
#endif

VISIBLE void cblas_dtrsm(int order, int side, int uplo, int op, int diag, int m, int n,
                         double alpha, const double* a, int lda, double* b, int ldb);

void cblas_dtrsm(int order, int side, int uplo, int op, int diag, int m, int n, double alpha,
                 const double* a, int lda, double* b, int ldb) {
  (void)order, (void)side, (void)uplo, (void)op, (void)diag, (void)m, (void)n, (void)alpha;
  (void)a, (void)lda, (void)ldb;
  b[0] = openblas_get_num_threads();
  nanosleep(&(struct timespec){0, 1000000}, NULL);
  b[1] = openblas_get_num_threads();
}

#define NO_PRODUCT(name)   \
  VISIBLE void name(void); \
  void name(void) {        \
    abort();               \
  }
NO_PRODUCT(cblas_sgemm)
NO_PRODUCT(cblas_dgemm)
NO_PRODUCT(cblas_cgemm)
NO_PRODUCT(cblas_zgemm)
