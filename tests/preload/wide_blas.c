/* A BLAS with plain names and 64-bit integers, as Debian's 64-bit builds have. It computes nothing
 * but ?scal, and keeps the integers of its last product. */
#include <stdint.h>

#define VISIBLE __attribute__((visibility("default")))

VISIBLE extern int64_t wide_blas_integers[6];
VISIBLE extern const void* wide_blas_matrix;
VISIBLE extern int wide_blas_calls, wide_blas_scals;
int64_t wide_blas_integers[6];
const void* wide_blas_matrix;
int wide_blas_calls, wide_blas_scals;

static void note(int64_t m, int64_t n, int64_t k, const void* a, int64_t lda, int64_t ldb,
                 int64_t ldc) {
  const int64_t all[] = {m, n, k, lda, ldb, ldc};
  for (int i = 0; i < 6; ++i) wide_blas_integers[i] = all[i];
  wide_blas_matrix = a;
  ++wide_blas_calls;
}

static void scale(int64_t n, double alpha, double* x, int64_t incx) {
  ++wide_blas_scals;
  for (int64_t i = 0; i < n; ++i) x[i * incx] *= alpha;
}

VISIBLE void dscal_(const int64_t* n, const double* alpha, double* x, const int64_t* incx);
void dscal_(const int64_t* n, const double* alpha, double* x, const int64_t* incx) {
  scale(*n, *alpha, x, *incx);
}

VISIBLE void cblas_dscal(int64_t n, double alpha, double* x, int64_t incx);
void cblas_dscal(int64_t n, double alpha, double* x, int64_t incx) {
  scale(n, alpha, x, incx);
}

VISIBLE void dgemm_(const char*, const char*, const int64_t* m, const int64_t* n, const int64_t* k,
                    const double*, const double* a, const int64_t* lda, const double*,
                    const int64_t* ldb, const double*, double*, const int64_t* ldc);
void dgemm_(const char* op_a, const char* op_b, const int64_t* m, const int64_t* n,
            const int64_t* k, const double* alpha, const double* a, const int64_t* lda,
            const double* b, const int64_t* ldb, const double* beta, double* c,
            const int64_t* ldc) {
  (void)op_a, (void)op_b, (void)alpha, (void)b, (void)beta, (void)c;
  note(*m, *n, *k, a, *lda, *ldb, *ldc);
}

VISIBLE void cblas_dgemm(int, int, int, int64_t m, int64_t n, int64_t k, double, const double* a,
                         int64_t lda, const double*, int64_t ldb, double, double*, int64_t ldc);
void cblas_dgemm(int layout, int op_a, int op_b, int64_t m, int64_t n, int64_t k, double alpha,
                 const double* a, int64_t lda, const double* b, int64_t ldb, double beta, double* c,
                 int64_t ldc) {
  (void)layout, (void)op_a, (void)op_b, (void)alpha, (void)b, (void)beta, (void)c;
  note(m, n, k, a, lda, ldb, ldc);
}

VISIBLE void cblas_dgemv(int, int, int64_t m, int64_t n, double, const double* a, int64_t lda,
                         const double*, int64_t incx, double, double*, int64_t incy);
void cblas_dgemv(int layout, int op, int64_t m, int64_t n, double alpha, const double* a,
                 int64_t lda, const double* x, int64_t incx, double beta, double* y, int64_t incy) {
  (void)layout, (void)op, (void)alpha, (void)x, (void)beta, (void)y;
  note(m, n, incx, a, lda, incy, 0);
}
