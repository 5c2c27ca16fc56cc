/* A user's C99 program: one small product, checked by hand. */
#include <duoblas/duoblas.h>
#include <stdio.h>
#include <string.h>

int main(void) {
  const float a[4] = {1, 2, 3, 4};
  const float b[4] = {5, 6, 7, 8};
  const float expected[4] = {19, 22, 43, 50};
  float c[4] = {0, 0, 0, 0};
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
  printf("DuoBLAS %s\n", duoblas_version());
  return 0;
}
