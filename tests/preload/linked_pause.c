/* A program that is linked with OpenBLAS: prints what its other threads do in a pause of 0.15 s
 * after products. In milliseconds: their processor time, and how long one of them did not sleep. */
#define _GNU_SOURCE
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "preload/thread_state.h"

void dgemm_(const char* op_a, const char* op_b, const int* m, const int* n, const int* k,
            const double* alpha, const double* a, const int* lda, const double* b, const int* ldb,
            const double* beta, double* c, const int* ldc);

static double milliseconds(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

static double used_by_others(void) {
  return milliseconds(CLOCK_PROCESS_CPUTIME_ID) - milliseconds(CLOCK_THREAD_CPUTIME_ID);
}

static int others_sleep(void) {
  DIR* const folder = opendir("/proc/self/task");
  if (folder == NULL) exit(1);
  int asleep = 1;
  for (const struct dirent* entry; asleep && (entry = readdir(folder)) != NULL;) {
    const int id = atoi(entry->d_name);
    if (id > 0 && id != gettid()) asleep = sleeps(id);
  }
  closedir(folder);
  return asleep;
}

int main(void) {
  enum { n = 192 };
  const int extent = n;
  const double one = 1, zero = 0;
  double* const a = calloc(2 * n * n, sizeof *a);
  if (a == NULL) return 1;
  for (int i = 0; i < 3; ++i)
    dgemm_("N", "N", &extent, &extent, &extent, &one, a, &extent, a, &extent, &zero, a + n * n,
           &extent);
  const double used_before = used_by_others(), begun = milliseconds(CLOCK_MONOTONIC);
  double awake = 0;
  for (double passed = 0; passed < 150; passed = milliseconds(CLOCK_MONOTONIC) - begun) {
    if (!others_sleep()) awake = passed;
    nanosleep(&(struct timespec){0, 2000000}, NULL);
  }
  printf("%.3f %.3f\n", used_by_others() - used_before, awake);
  free(a);
  return 0;
}
