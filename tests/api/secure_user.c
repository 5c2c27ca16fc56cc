/* One large product, and whether OpenCL was loaded for it: "secure 1 status 0 opencl 0". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include <duoblas/duoblas.h>

enum { n = 700 };

static int has_opencl(void) {
  char line[4096];
  FILE* maps = fopen("/proc/self/maps", "re");
  int found = 0;
  while (maps != NULL && fgets(line, sizeof line, maps) != NULL)
    found |= strstr(line, "libOpenCL") != NULL;
  if (maps != NULL) fclose(maps);
  return found;
}

int main(void) {
  float* a = calloc(n * n, sizeof(float));
  float* b = calloc(n * n, sizeof(float));
  float* c = calloc(n * n, sizeof(float));
  if (a == NULL || b == NULL || c == NULL) return 1;
  const duoblas_status status = duoblas_sgemm(DUOBLAS_ROW_MAJOR, DUOBLAS_NO_TRANS, DUOBLAS_NO_TRANS,
                                              n, n, n, 1, a, n, b, n, 0, c, n);
  printf("secure %lu status %d opencl %d\n", getauxval(AT_SECURE), (int)status, has_opencl());
  free(a);
  free(b);
  free(c);
  return 0;
}
