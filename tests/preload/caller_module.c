/* A module as programs load them, that calls BLAS by name. Each function says whether the product
 * is right: 1 or 0. */
#include <stdint.h>
#include <stdlib.h>

#define VISIBLE __attribute__((visibility("default")))

void dgemm_(const char*, const char*, const int32_t*, const int32_t*, const int32_t*, const double*,
            const double*, const int32_t*, const double*, const int32_t*, const double*, double*,
            const int32_t*);
void scipy_dgemm_(const char*, const char*, const int32_t*, const int32_t*, const int32_t*,
                  const double*, const double*, const int32_t*, const double*, const int32_t*,
                  const double*, double*, const int32_t*);
void dgemm_64_(const char*, const char*, const int64_t*, const int64_t*, const int64_t*,
               const double*, const double*, const int64_t*, const double*, const int64_t*,
               const double*, double*, const int64_t*);
void scipy_cblas_dgemm64_(int, int, int, int64_t, int64_t, int64_t, double, const double*, int64_t,
                          const double*, int64_t, double, double*, int64_t);
void cblas_dgemm(int, int, int, int32_t, int32_t, int32_t, double, const double*, int32_t,
                 const double*, int32_t, double, double*, int32_t);

VISIBLE int dgemm_small(void);
VISIBLE int dgemm_large(void);
VISIBLE int scipy_dgemm_small(void);
VISIBLE int dgemm_64_small(void);
VISIBLE int scipy_cblas_dgemm64_small(void);
VISIBLE int dgemm_illegal(void);
VISIBLE int cblas_dgemm_illegal(void);

/* The product of halves and twos: n everywhere, exactly. */
struct product {
  int n;
  double *a, *b, *c;
};

static struct product prepare(int n) {
  const size_t count = (size_t)n * (size_t)n;
  struct product p = {n, calloc(count, sizeof(double)), calloc(count, sizeof(double)),
                      calloc(count, sizeof(double))};
  if (p.a == NULL || p.b == NULL || p.c == NULL) abort();
  for (size_t i = 0; i < count; ++i) {
    p.a[i] = 0.5;
    p.b[i] = 2;
    p.c[i] = -1;
  }
  return p;
}

static int is_right(struct product p) {
  int right = 1;
  for (size_t i = 0; i < (size_t)p.n * (size_t)p.n; ++i) right &= p.c[i] == p.n;
  free(p.a);
  free(p.b);
  free(p.c);
  return right;
}

static const double one = 1, zero = 0;
enum { SMALL = 6, LARGE = 1100, ROW_MAJOR = 101, NO_TRANS = 111 };

static int through_dgemm(int32_t n) {
  struct product p = prepare(n);
  dgemm_("N", "T", &n, &n, &n, &one, p.a, &n, p.b, &n, &zero, p.c, &n);
  return is_right(p);
}

int dgemm_small(void) {
  return through_dgemm(SMALL);
}

/* Enough for the drop-in to start. */
int dgemm_large(void) {
  return through_dgemm(LARGE);
}

int scipy_dgemm_small(void) {
  const int32_t n = SMALL;
  struct product p = prepare(n);
  scipy_dgemm_("N", "T", &n, &n, &n, &one, p.a, &n, p.b, &n, &zero, p.c, &n);
  return is_right(p);
}

int dgemm_64_small(void) {
  const int64_t n = SMALL;
  struct product p = prepare(SMALL);
  dgemm_64_("N", "T", &n, &n, &n, &one, p.a, &n, p.b, &n, &zero, p.c, &n);
  return is_right(p);
}

int scipy_cblas_dgemm64_small(void) {
  struct product p = prepare(SMALL);
  scipy_cblas_dgemm64_(ROW_MAJOR, NO_TRANS, NO_TRANS, SMALL, SMALL, SMALL, 1, p.a, SMALL, p.b,
                       SMALL, 0, p.c, SMALL);
  return is_right(p);
}

int dgemm_illegal(void) {
  const int32_t n = SMALL, less = SMALL - 1;
  dgemm_("N", "N", &n, &n, &n, &one, &one, &n, &one, &less, &zero, NULL, &n);
  return 1;
}

int cblas_dgemm_illegal(void) {
  cblas_dgemm(ROW_MAJOR, NO_TRANS, NO_TRANS, SMALL, SMALL, SMALL, 1, &one, SMALL, &one, SMALL - 1,
              0, NULL, SMALL);
  return 1;
}
