/* A user's C99 program: one small product, checked by hand. */
#include <duoblas/duoblas.h>
#include <duoblas/opencl.h>
#include <stdio.h>
#include <string.h>

int main(void) {
  const float a[4] = {1, 2, 3, 4};
  const float b[4] = {5, 6, 7, 8};
  const float expected[4] = {19, 22, 43, 50};
  float c[4] = {0, 0, 0, 0};
  duoblas_job* job = NULL;
  duoblas_prepared* prepared = NULL;
  duoblas_operand left = {NULL, 0, NULL}, right = {NULL, 2, NULL};
  duoblas_device_blas* blas = NULL;
  int i;
  if (duoblas_sgemm(DUOBLAS_ROW_MAJOR, DUOBLAS_NO_TRANS, DUOBLAS_NO_TRANS, 2, 2, 2, 1.0f, a, 2, b,
                    2, 0.0f, c, 2) != DUOBLAS_OK) {
    fprintf(stderr, "%s\n", duoblas_last_error());
    return 1;
  }
  for (i = 0; i < 4; ++i) {
    if (c[i] != expected[i]) {
      fprintf(stderr, "c[%d] is %g, not %g\n", i, (double)c[i], (double)expected[i]);
      return 1;
    }
  }
  if (duoblas_sgemm(DUOBLAS_ROW_MAJOR, DUOBLAS_NO_TRANS, DUOBLAS_NO_TRANS, -2, 2, 2, 1.0f, a, 2, b,
                    2, 0.0f, c, 2) != DUOBLAS_INVALID_ARGUMENT) {
    fprintf(stderr, "a negative m was accepted\n");
    return 1;
  }
  if (strstr(duoblas_last_error(), "argument 4 (m)") == NULL) {
    fprintf(stderr, "unexpected message: %s\n", duoblas_last_error());
    return 1;
  }
  if (duoblas_register(b, sizeof b) != DUOBLAS_OK ||
      duoblas_sgemm_async(DUOBLAS_ROW_MAJOR, DUOBLAS_NO_TRANS, DUOBLAS_NO_TRANS, 2, 2, 2, 1.0f, a,
                          2, b, 2, 1.0f, c, 2, &job) != DUOBLAS_OK ||
      duoblas_job_wait(job) != DUOBLAS_OK || !duoblas_job_done(job) ||
      duoblas_unregister(b) != DUOBLAS_OK) {
    fprintf(stderr, "%s\n", duoblas_last_error());
    return 1;
  }
  duoblas_job_free(job);
  if (c[3] != 2 * expected[3]) {
    fprintf(stderr, "c[3] is %g, not %g\n", (double)c[3], (double)(2 * expected[3]));
    return 1;
  }
  if (duoblas_sprepare(DUOBLAS_ROW_MAJOR, 2, 2, a, 2, &prepared) != DUOBLAS_OK) return 1;
  left.prepared = prepared;
  right.data = b;
  if (duoblas_sgemm_prepared(DUOBLAS_ROW_MAJOR, DUOBLAS_NO_TRANS, DUOBLAS_NO_TRANS, 2, 2, 2, 1.0f,
                             left, right, 0.0f, c, 2) != DUOBLAS_OK ||
      c[0] != expected[0]) {
    fprintf(stderr, "the product with a prepared matrix: %s\n", duoblas_last_error());
    return 1;
  }
  duoblas_prepared_free(prepared);
  if (duoblas_sgemm_strided_batched(DUOBLAS_ROW_MAJOR, DUOBLAS_NO_TRANS, DUOBLAS_NO_TRANS, 2, 1, 2,
                                    1.0f, a, 2, 0, b, 2, 1, 0.0f, c, 2, 1, 2) != DUOBLAS_OK ||
      c[3] != expected[3]) {
    fprintf(stderr, "a batch of the columns: %s\n", duoblas_last_error());
    return 1;
  }
  if (duoblas_sgemv(DUOBLAS_ROW_MAJOR, DUOBLAS_NO_TRANS, 2, 2, 1.0f, a, 2, b, 1, 0.0f, c, 1) !=
          DUOBLAS_OK ||
      c[1] != a[2] * b[0] + a[3] * b[1]) {
    fprintf(stderr, "a vector: %s\n", duoblas_last_error());
    return 1;
  }
  {
    double matrix[4] = {4, 2, 2, 3}, x[2] = {8, 7}; /* the solution is 1.25, 1.5 */
    int64_t pivots[2], info = -1;
    if (duoblas_dgesv(2, 1, matrix, 2, pivots, x, 2, &info) != DUOBLAS_OK || info != 0 ||
        x[0] != 1.25 || x[1] != 1.5) {
      fprintf(stderr, "an equation: %s\n", duoblas_last_error());
      return 1;
    }
  }
  if (duoblas_device_blas_create(NULL, &blas) != DUOBLAS_DEVICE_ERROR || blas != NULL) {
    fprintf(stderr, "a null queue was accepted\n");
    return 1;
  }
  printf("DuoBLAS %s\n", duoblas_version());
  return 0;
}
