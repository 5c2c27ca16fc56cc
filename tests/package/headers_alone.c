/* The C interface, compiled by itself as C99. */
#include <duoblas/batched.h>
#include <duoblas/duoblas.h>
#include <duoblas/lapack.h>
#include <duoblas/opencl.h>
#include <duoblas/vectors.h>

int duoblas_header_is_c99(void);
int duoblas_header_is_c99(void) {
  return DUOBLAS_VERSION_MAJOR;
}
