/* Multiplies twice: below the drop-in's limit, and far above it. Exit code 0: both are right. */
#include <stdio.h>
#include <stdlib.h>

void dgemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k,
            const double* alpha, const double* a, const int* lda, const double* b, const int* ldb,
            const double* beta, double* c, const int* ldc);

static int is_right(int n) {
  const size_t count = (size_t)n * (size_t)n;
  double* const a = malloc(count * sizeof *a);
  double* const c = malloc(count * sizeof *c);
  if (a == NULL || c == NULL) return 0;
  for (size_t i = 0; i < count; ++i) a[i] = 2;
  const double one = 1, zero = 0;
  dgemm_("N", "N", &n, &n, &n, &one, a, &n, a, &n, &zero, c, &n);
  int right = 1;
  for (size_t i = 0; i < count; ++i) right &= c[i] == 4.0 * n;
  free(a);
  free(c);
  return right;
}

int main(void) {
  if (!is_right(8) || !is_right(512)) return 1;
  puts("both are right");
  return 0;
}
