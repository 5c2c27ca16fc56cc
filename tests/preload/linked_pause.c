/* A program that is linked with OpenBLAS: prints the processor time, in milliseconds, of a pause of
 * 0.15 s after products. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

void dgemm_(const char* op_a, const char* op_b, const int* m, const int* n, const int* k,
            const double* alpha, const double* a, const int* lda, const double* b, const int* ldb,
            const double* beta, double* c, const int* ldc);

static double processor_seconds(void) {
  struct timespec used;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return (double)used.tv_sec + 1e-9 * (double)used.tv_nsec;
}

int main(void) {
  enum { n = 192 };
  const int extent = n;
  const double one = 1, zero = 0;
  double* const a = calloc(2 * n * n, sizeof *a);
  if (a == NULL) return 1;
  for (int i = 0; i < 3; ++i)
    dgemm_("N", "N", &extent, &extent, &extent, &one, a, &extent, a, &extent, &zero, a + n * n,
           &extent);
  const double before = processor_seconds();
  const struct timespec pause = {0, 150000000};
  nanosleep(&pause, NULL);
  printf("%.3f\n", 1e3 * (processor_seconds() - before));
  free(a);
  return 0;
}
