/* A LAPACK with plain names and 64-bit integers, as Debian's 64-bit builds have: getrf in doubles,
 * and in floats one that does not say what it did. */
#include <math.h>
#include <stdint.h>

__attribute__((visibility("default"))) void dgetrf_(const int64_t* m, const int64_t* n, double* a,
                                                    const int64_t* lda, int64_t* pivots,
                                                    int64_t* info);
__attribute__((visibility("default"))) void sgetrf_(const int64_t* m, const int64_t* n, float* a,
                                                    const int64_t* lda, int64_t* pivots,
                                                    int64_t* info);
__attribute__((visibility("default"))) int wide_lapack_calls(void);

static int calls = 0;

int wide_lapack_calls(void) {
  return calls;
}

void dgetrf_(const int64_t* m, const int64_t* n, double* a, const int64_t* lda, int64_t* pivots,
             int64_t* info) {
  ++calls;
  *info = 0;
  for (int64_t k = 0; k < *m && k < *n; ++k) {
    int64_t largest = k;
    for (int64_t i = k; i < *m; ++i)
      if (fabs(a[i + k * *lda]) > fabs(a[largest + k * *lda])) largest = i;
    pivots[k] = largest + 1;
    for (int64_t j = 0; j < *n; ++j) {
      const double other = a[k + j * *lda];
      a[k + j * *lda] = a[largest + j * *lda];
      a[largest + j * *lda] = other;
    }
    for (int64_t i = k + 1; i < *m; ++i) {
      a[i + k * *lda] /= a[k + k * *lda];
      for (int64_t j = k + 1; j < *n; ++j) a[i + j * *lda] -= a[i + k * *lda] * a[k + j * *lda];
    }
  }
}

void sgetrf_(const int64_t* m, const int64_t* n, float* a, const int64_t* lda, int64_t* pivots,
             int64_t* info) {
  (void)m, (void)n, (void)a, (void)lda, (void)pivots, (void)info;
  ++calls;
}
