/* A BLAS and LAPACK that computes nothing. Its dgetrf_ of large matrices calls dgemm_ by name, as
 * others do, and then whatever it was told to, or the program's error exit where the order is
 * negative. It has four threads. */
#include <stddef.h>
#include <stdint.h>

#define VISIBLE __attribute__((visibility("default")))
enum { LARGE = 512, INSIDE = 1200 };

typedef const int32_t* number;
typedef void interruption(void);

VISIBLE void dgemm_(const char*, const char*, number m, number n, number k, const double* alpha,
                    const double* a, number lda, const double* b, number ldb, const double* beta,
                    double* c, number ldc);
VISIBLE void dgetrf_(number m, number n, double* a, number lda, int32_t* pivots, int32_t* info);
VISIBLE void interrupt_lapack_by(interruption* what);
VISIBLE int openblas_get_num_threads(void);
VISIBLE void openblas_set_num_threads(int number);

static interruption* interrupt = NULL;
static int threads = 4;

void interrupt_lapack_by(interruption* what) {
  interrupt = what;
}

int openblas_get_num_threads(void) {
  return threads;
}

void openblas_set_num_threads(int number) {
  threads = number;
}

void dgemm_(const char* op_a, const char* op_b, number m, number n, number k, const double* alpha,
            const double* a, number lda, const double* b, number ldb, const double* beta, double* c,
            number ldc) {
  (void)op_a, (void)op_b, (void)m, (void)n, (void)k, (void)alpha, (void)a, (void)lda, (void)b;
  (void)ldb, (void)beta, (void)c, (void)ldc;
}

void dgetrf_(number m, number n, double* a, number lda, int32_t* pivots, int32_t* info) {
  const int32_t inside = INSIDE;
  const double one = 1;
  *info = *m < 0 ? -1 : 0;
  for (int32_t i = 0; i < *m && i < *n; ++i) pivots[i] = i + 1;
  if (*m >= LARGE)
    dgemm_("N", "N", &inside, &inside, &inside, &one, a, &inside, a, &inside, &one, a, &inside);
  if ((*m >= LARGE || *m < 0) && interrupt != NULL) interrupt();
  (void)lda;
}
