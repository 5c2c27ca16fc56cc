/* A CPU BLAS for tests: cblas_?gemm that appends "cpu_gemm s M N K begin" and "... end" to the file
 * named by DUOBLAS_LAYER_LOG, and computes in between. The OpenCL layer of these tests appends to
 * the same file, which gives one order of events. Each line is one write(2) to a file opened with
 * O_APPEND, so lines of several threads and libraries do not mix.
 *
 * With DUOBLAS_RECORD_DETAILS set, lines of a beginning go on with "c=ADDRESS task=ID cores=COUNT
 * first=CORE threads=N": where C starts, the calling thread, how many cores it may run on and the
 * first of them, and the number of threads that this copy was told to have.
 *
 * With DUOBLAS_RECORD_TOGETHER=FILE set, calls wait for each other while FILE exists, which holds a
 * number: as soon as that many calls have begun, the last of them removes FILE and all go on. So a
 * test does not depend on when the system runs which thread. They go on without more after ten
 * seconds.
 *
 * It needs the C library only: DuoBLAS loads it into a link namespace of its own. The environment
 * there is a copy made at loading, so the variables must be set before the first product. */
#define _GNU_SOURCE /* O_CLOEXEC, gettid, sched_getaffinity */
#include <fcntl.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ROW_MAJOR = 101, NO_TRANS = 111, CONJ_TRANS = 113 };

static void describe_caller(char* text, size_t size, const void* c) {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) CPU_ZERO(&set);
  size_t first = 0;
  while (first < CPU_SETSIZE && !CPU_ISSET(first, &set)) ++first;
  const char* threads = getenv("OPENBLAS_NUM_THREADS");
  snprintf(text, size, " c=%llu task=%ld cores=%d first=%zu threads=%s",
           (unsigned long long)(size_t)c, (long)gettid(), CPU_COUNT(&set), first,
           threads != NULL ? threads : "0");
}

static void record(char letter, int m, int n, int k, const void* c, const char* what) {
  const char* path = getenv("DUOBLAS_LAYER_LOG");
  if (path == NULL || *path == '\0') return;
  char details[128] = "";
  if (getenv("DUOBLAS_RECORD_DETAILS") != NULL && *what == 'b')
    describe_caller(details, sizeof details, c);
  char line[256];
  const int length =
      snprintf(line, sizeof line, "cpu_gemm %c %d %d %d %s%s\n", letter, m, n, k, what, details);
  const int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) return;
  if (write(file, line, (size_t)length) != length) abort();
  close(file);
}

/* The number in the file; 0 where there is none. */
static int number_in(const char* path) {
  FILE* file = fopen(path, "re");
  if (file == NULL) return 0;
  int number = 0;
  if (fscanf(file, "%d", &number) != 1) number = 0;
  fclose(file);
  return number;
}

static void wait_for_others(void) {
  static atomic_int waiting;
  const char* path = getenv("DUOBLAS_RECORD_TOGETHER");
  const int wanted = path != NULL ? number_in(path) : 0;
  if (wanted == 0) return;
  if (atomic_fetch_add(&waiting, 1) + 1 == wanted) unlink(path);
  const struct timespec millisecond = {0, 1000000};
  for (int waited = 0; waited < 10000 && access(path, F_OK) == 0; ++waited)
    nanosleep(&millisecond, NULL);
  unlink(path);
  atomic_fetch_sub(&waiting, 1);
}

/* One operand or C, row-major as stored: `parts` numbers per element (2 for complex types). */
struct matrix {
  const void* data;
  long ld;
  int parts, is_double, op;
};

static double number(const struct matrix* x, long at) {
  return x->is_double ? ((const double*)x->data)[at] : (double)((const float*)x->data)[at];
}

/* Element (row, col) of op(x). */
static void element(const struct matrix* x, long row, long col, double* re, double* im) {
  const long at = (x->op == NO_TRANS ? row * x->ld + col : col * x->ld + row) * x->parts;
  *re = number(x, at);
  *im = x->parts == 2 ? number(x, at + 1) : 0;
  if (x->op == CONJ_TRANS) *im = -*im;
}

static void store(const struct matrix* c, long at, double value) {
  if (c->is_double)
    ((double*)(size_t)c->data)[at] = value;
  else
    ((float*)(size_t)c->data)[at] = (float)value;
}

struct scalar {
  double re, im;
};

static void multiply(long m, long n, long k, struct scalar alpha, const struct matrix* a,
                     const struct matrix* b, struct scalar beta, const struct matrix* c) {
  double* sums = malloc(sizeof(double) * 2 * (size_t)(n > 0 ? n : 1));
  if (sums == NULL) abort();
  for (long i = 0; i < m; ++i) {
    memset(sums, 0, sizeof(double) * 2 * (size_t)n);
    for (long l = 0; l < k; ++l) {
      double x, y, u, v;
      element(a, i, l, &x, &y);
      for (long j = 0; j < n; ++j) {
        element(b, l, j, &u, &v);
        sums[2 * j] += x * u - y * v;
        sums[2 * j + 1] += x * v + y * u;
      }
    }
    for (long j = 0; j < n; ++j) {
      const long at = (i * c->ld + j) * c->parts;
      double re = alpha.re * sums[2 * j] - alpha.im * sums[2 * j + 1];
      double im = alpha.re * sums[2 * j + 1] + alpha.im * sums[2 * j];
      if (beta.re != 0 || beta.im != 0) {
        const double x = number(c, at), y = c->parts == 2 ? number(c, at + 1) : 0;
        re += beta.re * x - beta.im * y;
        im += beta.re * y + beta.im * x;
      }
      store(c, at, re);
      if (c->parts == 2) store(c, at + 1, im);
    }
  }
  free(sums);
}

static void gemm(char letter, int order, int op_a, int op_b, int m, int n, int k,
                 struct scalar alpha, const void* a, int lda, const void* b, int ldb,
                 struct scalar beta, void* c, int ldc) {
  const int parts = letter == 'c' || letter == 'z' ? 2 : 1;
  const int is_double = letter == 'd' || letter == 'z';
  const struct matrix ma = {a, lda, parts, is_double, op_a};
  const struct matrix mb = {b, ldb, parts, is_double, op_b};
  const struct matrix mc = {c, ldc, parts, is_double, NO_TRANS};
  record(letter, m, n, k, c, "begin");
  wait_for_others();
  if (order == ROW_MAJOR)
    multiply(m, n, k, alpha, &ma, &mb, beta, &mc);
  else
    multiply(n, m, k, alpha, &mb, &ma, beta, &mc);
  record(letter, m, n, k, c, "end");
}

#define REAL(name, letter, type)                                                              \
  __attribute__((visibility("default"))) void name(                                           \
      int order, int op_a, int op_b, int m, int n, int k, type alpha, const type* a, int lda, \
      const type* b, int ldb, type beta, type* c, int ldc) {                                  \
    const struct scalar al = {(double)alpha, 0}, be = {(double)beta, 0};                      \
    gemm(letter, order, op_a, op_b, m, n, k, al, a, lda, b, ldb, be, c, ldc);                 \
  }

#define COMPLEX(name, letter, type)                                                             \
  __attribute__((visibility("default"))) void name(                                             \
      int order, int op_a, int op_b, int m, int n, int k, const void* alpha, const void* a,     \
      int lda, const void* b, int ldb, const void* beta, void* c, int ldc) {                    \
    const type *al = alpha, *be = beta;                                                         \
    const struct scalar x = {(double)al[0], (double)al[1]}, y = {(double)be[0], (double)be[1]}; \
    gemm(letter, order, op_a, op_b, m, n, k, x, a, lda, b, ldb, y, c, ldc);                     \
  }

REAL(cblas_sgemm, 's', float)
REAL(cblas_dgemm, 'd', double)
COMPLEX(cblas_cgemm, 'c', float)
COMPLEX(cblas_zgemm, 'z', double)
