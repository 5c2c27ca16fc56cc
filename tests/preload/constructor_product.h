/* What constructors of libraries do while the loader runs them: multiply, and fork. */
#ifndef DUOBLAS_TESTS_PRELOAD_CONSTRUCTOR_PRODUCT_H
#define DUOBLAS_TESTS_PRELOAD_CONSTRUCTOR_PRODUCT_H

#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SMALL = 6, LARGE = 1100, CHILD_SECONDS = 60 };

void dgemm_(const char*, const char*, const int32_t*, const int32_t*, const int32_t*, const double*,
            const double*, const int32_t*, const double*, const int32_t*, const double*, double*,
            const int32_t*);

static int product_is_right(int32_t n) {
  const double one = 1, zero = 0;
  const size_t count = (size_t)n * (size_t)n;
  double* const numbers = calloc(2 * count, sizeof(double));
  if (numbers == NULL) abort();
  double* const a = numbers;
  double* const c = numbers + count;
  for (size_t i = 0; i < count; ++i) a[i] = 0.5;
  dgemm_("N", "N", &n, &n, &n, &one, a, &n, a, &n, &zero, c, &n);
  int right = 1;
  for (size_t i = 0; i < count; ++i) right &= c[i] == 0.25 * n;
  free(numbers);
  return right;
}

static int child_is_right(void) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(CHILD_SECONDS);
    _exit(product_is_right(SMALL) && product_is_right(LARGE) ? 0 : 1);
  }
  int status = -1;
  return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

#endif
