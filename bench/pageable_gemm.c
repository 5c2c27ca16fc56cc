/* ?gemm_ of whatever BLAS comes first, on ordinary memory: one line of milliseconds per size, the
 * first call's, then the median's. It is found by name, so that a preloaded library
 * (libduoblas_blas, NVBLAS) is what is called; bench/compare_pageable.py takes turns.
 *
 *   bench_pageable_gemm d 5 1024 2048 4096 */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef void gemm(const char*, const char*, const int*, const int*, const int*, const void*,
                  const void*, const int*, const void*, const int*, const void*, void*, const int*);

/* The first definition in the process, as a linked program would get. */
static gemm* first_definition(const char* name) {
  void* const symbol = dlsym(RTLD_DEFAULT, name);
  gemm* found = NULL;
  memcpy(&found, &symbol, sizeof found);
  return found;
}

static double milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

static int ascending(const void* x, const void* y) {
  const double a = *(const double*)x, b = *(const double*)y;
  return (a > b) - (a < b);
}

/* Small integers: every sum is exact, and so is what is expected of it. */
static void fill(void* matrix, size_t count, int is_double) {
  for (size_t i = 0; i < count; ++i) {
    const int value = (int)(i * 7 % 5) - 2;
    if (is_double)
      ((double*)matrix)[i] = value;
    else
      ((float*)matrix)[i] = (float)value;
  }
}

static double at(const void* matrix, size_t i, int is_double) {
  return is_double ? ((const double*)matrix)[i] : (double)((const float*)matrix)[i];
}

/* Of one element in each of some columns. */
static int is_right(const void* a, const void* b, const void* c, size_t n, int is_double) {
  for (size_t column = 0; column < n; column += 1 + n / 7) {
    const size_t row = (column * 31 + 5) % n;
    double sum = 0;
    for (size_t k = 0; k < n; ++k)
      sum += at(a, row + k * n, is_double) * at(b, k + column * n, is_double);
    if (sum != at(c, row + column * n, is_double)) return 0;
  }
  return 1;
}

static int measure(gemm* multiply, int n, int calls, int is_double) {
  const size_t count = (size_t)n * (size_t)n, size = is_double ? sizeof(double) : sizeof(float);
  const double double_one = 1, double_zero = 0;
  const float float_one = 1, float_zero = 0;
  const void* const one = is_double ? (const void*)&double_one : (const void*)&float_one;
  const void* const zero = is_double ? (const void*)&double_zero : (const void*)&float_zero;
  void *a = malloc(count * size), *b = malloc(count * size), *c = malloc(count * size);
  double* times = malloc((size_t)(calls + 1) * sizeof *times);
  if (a == NULL || b == NULL || c == NULL || times == NULL) return 0;
  fill(a, count, is_double);
  fill(b, count, is_double);
  memset(c, 0, count * size);
  for (int i = 0; i <= calls; ++i) {
    const double start = milliseconds();
    multiply("N", "N", &n, &n, &n, one, a, &n, b, &n, zero, c, &n);
    times[i] = milliseconds() - start;
  }
  const int right = is_right(a, b, c, (size_t)n, is_double);
  qsort(times + 1, (size_t)calls, sizeof *times, ascending);
  printf("%d %.4f %.4f %s\n", n, times[0], times[1 + calls / 2], right ? "right" : "WRONG");
  fflush(stdout);
  free(a);
  free(b);
  free(c);
  free(times);
  return right;
}

int main(int count, char** arguments) {
  const int calls = count > 3 ? atoi(arguments[2]) : 0;
  if (calls < 1 || (*arguments[1] != 's' && *arguments[1] != 'd')) {
    fputs("usage: bench_pageable_gemm s|d CALLS N...\n", stderr);
    return 2;
  }
  const int is_double = *arguments[1] == 'd';
  gemm* const multiply = first_definition(is_double ? "dgemm_" : "sgemm_");
  if (multiply == NULL) {
    fputs("bench_pageable_gemm: no BLAS is in the process: preload one\n", stderr);
    return 1;
  }
  for (int i = 3; i < count; ++i)
    if (atoi(arguments[i]) < 1 || !measure(multiply, atoi(arguments[i]), calls, is_double))
      return 1;
  return 0;
}
