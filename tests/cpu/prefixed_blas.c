/* A CPU BLAS with the names that builds of OpenBLAS on PyPI have, and like these stopped by a
 * handler of forks alone. cblas_dgemm writes to C how often it was stopped, and how many threads it
 * was told last. */
#include <pthread.h>
#include <stdlib.h>

#define VISIBLE __attribute__((visibility("default")))

static int stops, threads;

static void stop(void) {
  ++stops;
  threads = 0;
}

__attribute__((constructor)) static void watch_forks(void) {
  if (pthread_atfork(stop, NULL, NULL) != 0) abort();
}

VISIBLE void scipy_openblas_set_num_threads(int number);
VISIBLE int scipy_openblas_get_num_threads(void);

void scipy_openblas_set_num_threads(int number) {
  threads = number;
}

int scipy_openblas_get_num_threads(void) {
  return 2;
}

VISIBLE void scipy_cblas_dgemm(int order, int op_a, int op_b, int m, int n, int k, double alpha,
                               const double* a, int lda, const double* b, int ldb, double beta,
                               double* c, int ldc);

void scipy_cblas_dgemm(int order, int op_a, int op_b, int m, int n, int k, double alpha,
                       const double* a, int lda, const double* b, int ldb, double beta, double* c,
                       int ldc) {
  (void)order, (void)op_a, (void)op_b, (void)m, (void)n, (void)k, (void)alpha, (void)a, (void)lda;
  (void)b, (void)ldb, (void)beta, (void)ldc;
  c[0] = stops;
  c[1] = threads;
}

/* Those of the other types have to be there. */
VISIBLE void scipy_cblas_sgemm(void);
VISIBLE void scipy_cblas_cgemm(void);
VISIBLE void scipy_cblas_zgemm(void);

void scipy_cblas_sgemm(void) {}
void scipy_cblas_cgemm(void) {}
void scipy_cblas_zgemm(void) {}
