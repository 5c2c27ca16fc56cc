/* A program that was written for any BLAS: checks a product, a solution and a dot product, and
 * prints whose functions they are. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>

void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*,
            const double*, const int*, const double*, const int*, const double*, double*,
            const int*);
void dtrsm_(const char*, const char*, const char*, const char*, const int*, const int*,
            const double*, const double*, const int*, double*, const int*);
double ddot_(const int*, const double*, const int*, const double*, const int*);

static void print_owner(const char* name) {
  Dl_info owner;
  void* function = dlsym(RTLD_DEFAULT, name);
  if (function != NULL && dladdr(function, &owner) != 0) printf("%s %s\n", name, owner.dli_fname);
}

int main(void) {
  const int one = 1, two = 2, four = 4;
  const double a[4] = {1, 2, 3, 4}, b[4] = {5, 6, 7, 8}, u[4] = {2, 0, 1, 4};
  const double unit = 1, zero = 0;
  double c[4] = {0, 0, 0, 0}, x[2] = {4, 8};
  dgemm_("N", "N", &two, &two, &two, &unit, a, &two, b, &two, &zero, c, &two);
  dtrsm_("L", "U", "N", "N", &two, &one, &unit, u, &two, x, &two);
  if (c[0] != 23 || c[1] != 34 || c[2] != 31 || c[3] != 46) return 1;
  if (x[0] != 1 || x[1] != 2) return 2;
  if (ddot_(&four, a, &one, b, &one) != 70) return 3;
  print_owner("dgemm_");
  print_owner("dtrsm_");
  print_owner("ddot_");
  return 0;
}
