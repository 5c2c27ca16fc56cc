/* A program's own error exits, which a BLAS is to call instead of its own. */
#include <stdint.h>
#include <stdio.h>

#define VISIBLE __attribute__((visibility("default")))
VISIBLE void xerbla_(const char* name, const int32_t* argument, int length);
VISIBLE void cblas_xerbla(int argument, const char* name, const char* form, ...);

void xerbla_(const char* name, const int32_t* argument, int length) {
  while (length > 0 && name[length - 1] <= ' ') --length;
  printf("own xerbla_: %.*s %d\n", length, name, *argument);
}

void cblas_xerbla(int argument, const char* name, const char* form, ...) {
  (void)form;
  printf("own cblas_xerbla: %s %d\n", name, argument);
}
