/* A BLAS that computes, slowly, and whose cblas_?gemm calls ?gemm_ by name, as the reference's
 * does: whoever stands before that name is called. */
#include <complex.h>
#include <stddef.h>

#define VISIBLE __attribute__((visibility("default")))
enum { ROW_MAJOR = 101, NO_TRANS = 111, TRANS = 112 };

/* Conjugation is the identity for real types. */
#define GEMM(name, type, conjugate)                                                               \
  VISIBLE void name(const char* ta, const char* tb, const int* m, const int* n, const int* k,     \
                    const type* alpha, const type* a, const int* lda, const type* b,              \
                    const int* ldb, const type* beta, type* c, const int* ldc);                   \
  void name(const char* ta, const char* tb, const int* m, const int* n, const int* k,             \
            const type* alpha, const type* a, const int* lda, const type* b, const int* ldb,      \
            const type* beta, type* c, const int* ldc) {                                          \
    const int a_as_is = (*ta | 32) == 'n', b_as_is = (*tb | 32) == 'n';                           \
    for (ptrdiff_t j = 0; j < *n; ++j)                                                            \
      for (ptrdiff_t i = 0; i < *m; ++i) {                                                        \
        type sum = 0;                                                                             \
        for (ptrdiff_t l = 0; l < *k; ++l) {                                                      \
          const type x = a_as_is ? a[i + l * *lda] : a[l + i * *lda];                             \
          const type y = b_as_is ? b[l + j * *ldb] : b[j + l * *ldb];                             \
          sum += ((*ta | 32) == 'c' ? conjugate(x) : x) * ((*tb | 32) == 'c' ? conjugate(y) : y); \
        }                                                                                         \
        type* const at = &c[i + j * *ldc];                                                        \
        *at = *alpha * sum + (*beta == 0 ? 0 : *beta * *at);                                      \
      }                                                                                           \
  }

/* Row-major C = A B is column-major C' = B' A' in the same memory. */
#define CBLAS_GEMM(name, gemm, type, scalar, address)                                         \
  VISIBLE void name(int layout, int op_a, int op_b, int m, int n, int k, scalar alpha,        \
                    const void* a, int lda, const void* b, int ldb, scalar beta, void* c,     \
                    int ldc);                                                                 \
  void name(int layout, int op_a, int op_b, int m, int n, int k, scalar alpha, const void* a, \
            int lda, const void* b, int ldb, scalar beta, void* c, int ldc) {                 \
    const char ta = letter_of(op_a), tb = letter_of(op_b);                                    \
    if (layout == ROW_MAJOR)                                                                  \
      gemm(&tb, &ta, &n, &m, &k, address alpha, b, &ldb, a, &lda, address beta, c, &ldc);     \
    else                                                                                      \
      gemm(&ta, &tb, &m, &n, &k, address alpha, a, &lda, b, &ldb, address beta, c, &ldc);     \
  }

static char letter_of(int op) {
  return op == NO_TRANS ? 'N' : op == TRANS ? 'T' : 'C';
}

GEMM(sgemm_, float, )
GEMM(dgemm_, double, )
GEMM(cgemm_, float _Complex, conjf)
GEMM(zgemm_, double _Complex, conj)
CBLAS_GEMM(cblas_sgemm, sgemm_, float, float, &)
CBLAS_GEMM(cblas_dgemm, dgemm_, double, double, &)
CBLAS_GEMM(cblas_cgemm, cgemm_, float _Complex, const void*, )
CBLAS_GEMM(cblas_zgemm, zgemm_, double _Complex, const void*, )
