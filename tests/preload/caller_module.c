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

void dgemv_(const char*, const int32_t*, const int32_t*, const double*, const double*,
            const int32_t*, const double*, const int32_t*, const double*, double*, const int32_t*);
void dgemv_64_(const char*, const int64_t*, const int64_t*, const double*, const double*,
               const int64_t*, const double*, const int64_t*, const double*, double*,
               const int64_t*);

void dgetrf_(const int32_t*, const int32_t*, double*, const int32_t*, int32_t*, int32_t*);
void dpotrf_(const char*, const int32_t*, double*, const int32_t*, int32_t*);
void dcopy_(const int32_t*, const double*, const int32_t*, double*, const int32_t*);

VISIBLE int dgemm_small(void);
VISIBLE int dgemm_middling(void);
VISIBLE int dgemm_large(void);
VISIBLE int scipy_dgemm_small(void);
VISIBLE int dgemm_64_small(void);
VISIBLE int scipy_cblas_dgemm64_small(void);
VISIBLE int dgemv_small(void);
VISIBLE int dgemv_large(void);
VISIBLE int dgemv_64_small(void);
VISIBLE int dgemv_empty(void);
VISIBLE int dgemm_illegal(void);
VISIBLE int dgemv_illegal(void);
VISIBLE int cblas_dgemm_illegal(void);
VISIBLE int cblas_dgemm_small(void);
VISIBLE int dgetrf_small(void);
VISIBLE int dpotrf_small(void);
VISIBLE int dcopy_small(void);

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
enum { SMALL = 6, MIDDLING = 768, LARGE = 1100, ROW_MAJOR = 101, NO_TRANS = 111 };

static int through_dgemm(int32_t n) {
  struct product p = prepare(n);
  dgemm_("N", "T", &n, &n, &n, &one, p.a, &n, p.b, &n, &zero, p.c, &n);
  return is_right(p);
}

int dgemm_small(void) {
  return through_dgemm(SMALL);
}

/* Ten of them are enough for the drop-in to start, three are not. */
int dgemm_middling(void) {
  return through_dgemm(MIDDLING);
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

int cblas_dgemm_small(void) {
  struct product p = prepare(SMALL);
  cblas_dgemm(ROW_MAJOR, NO_TRANS, NO_TRANS, SMALL, SMALL, SMALL, 1, p.a, SMALL, p.b, SMALL, 0, p.c,
              SMALL);
  return is_right(p);
}

/* y is C's first column; the others are as they were. */
static int is_right_vector(struct product p) {
  for (size_t i = (size_t)p.n; i < (size_t)p.n * (size_t)p.n; ++i) p.c[i] += p.n + 1;
  return is_right(p);
}

static int through_dgemv(int32_t n) {
  const int32_t step = 1, back = -1;
  struct product p = prepare(n);
  dgemv_("T", &n, &n, &one, p.a, &n, p.b, &step, &zero, p.c, &back);
  return is_right_vector(p);
}

int dgemv_small(void) {
  return through_dgemv(SMALL);
}

int dgemv_large(void) {
  return through_dgemv(LARGE);
}

int dgemv_64_small(void) {
  const int64_t n = SMALL, step = 1;
  struct product p = prepare(SMALL);
  dgemv_64_("N", &n, &n, &one, p.a, &n, p.b, &step, &zero, p.c, &step);
  return is_right_vector(p);
}

/* Of no columns: not even beta is applied. */
int dgemv_empty(void) {
  const int32_t n = SMALL, none = 0, step = 1;
  double y[SMALL] = {1, 1, 1, 1, 1, 1};
  dgemv_("N", &n, &none, &one, NULL, &n, NULL, &step, &zero, y, &step);
  int right = 1;
  for (int i = 0; i < n; ++i) right &= y[i] == 1;
  return right;
}

int dgemv_illegal(void) {
  const int32_t n = SMALL, step = 1, none = 0;
  dgemv_("N", &n, &n, &one, &one, &n, &one, &step, &zero, NULL, &none);
  return 1;
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

/* The factors of 4 1 / 1 3. */
int dgetrf_small(void) {
  const int32_t n = 2;
  double a[4] = {4, 1, 1, 3};
  int32_t pivots[2] = {0, 0}, info = -1;
  dgetrf_(&n, &n, a, &n, pivots, &info);
  return info == 0 && pivots[0] == 1 && pivots[1] == 2 && a[0] == 4 && a[1] == 0.25 && a[2] == 1 &&
         a[3] == 2.75;
}

/* And of 4 2 / 2 5. */
int dpotrf_small(void) {
  const int32_t n = 2;
  double a[4] = {4, 2, 2, 5};
  int32_t info = -1;
  dpotrf_("L", &n, a, &n, &info);
  return info == 0 && a[0] == 2 && a[1] == 1 && a[3] == 2;
}

int dcopy_small(void) {
  const int32_t n = 2, step = 1;
  const double x[2] = {1, 2};
  double y[2] = {0, 0};
  dcopy_(&n, x, &step, y, &step);
  return y[0] == 1 && y[1] == 2;
}
