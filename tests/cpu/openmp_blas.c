/* A CPU BLAS whose threads are OpenMP's. cblas_dgemm computes nothing: it writes the number of
 * threads that it had to C. */
#include <stdlib.h>

#define VISIBLE __attribute__((visibility("default")))

VISIBLE void cblas_dgemm(int order, int op_a, int op_b, int m, int n, int k, double alpha,
                         const double* a, int lda, const double* b, int ldb, double beta, double* c,
                         int ldc);

void cblas_dgemm(int order, int op_a, int op_b, int m, int n, int k, double alpha, const double* a,
                 int lda, const double* b, int ldb, double beta, double* c, int ldc) {
  (void)order, (void)op_a, (void)op_b, (void)m, (void)n, (void)k, (void)alpha, (void)a, (void)lda;
  (void)b, (void)ldb, (void)beta, (void)ldc;
  int threads = 0;
#pragma omp parallel reduction(+ : threads)
  threads += 1;
  c[0] = threads;
}

#define NO_PRODUCT(name)   \
  VISIBLE void name(void); \
  void name(void) {        \
    abort();               \
  }
NO_PRODUCT(cblas_sgemm)
NO_PRODUCT(cblas_cgemm)
NO_PRODUCT(cblas_zgemm)
