/* A plug-in whose constructor multiplies, or forks (DUOBLAS_TEST_CONSTRUCTOR=fork), while the loader
 * runs it, and while a thread of its own is at its first large product. That thread waits for the
 * loader, which the constructor's thread has. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SMALL = 6, LARGE = 1100, CHILD_SECONDS = 60 };

void dgemm_(const char*, const char*, const int32_t*, const int32_t*, const int32_t*, const double*,
            const double*, const int32_t*, const double*, const int32_t*, const double*, double*,
            const int32_t*);
__attribute__((visibility("default"))) int constructor_and_thread(void);

static int product_is_right(int32_t n) {
  const double one = 1, zero = 0;
  const size_t count = (size_t)n * (size_t)n;
  double* const numbers = calloc(2 * count, sizeof(double));
  if (numbers == NULL) abort();
  double* const a = numbers;
  double* const c = numbers + count;
  for (size_t i = 0; i < count; ++i) a[i] = 0.5;
  dgemm_("N", "N", &n, &n, &n, &one, a, &n, a, &n, &zero, c, &n);
  int right = 1;
  for (size_t i = 0; i < count; ++i) right &= c[i] == 0.25 * n;
  free(numbers);
  return right;
}

static atomic_int task;
static pthread_t thread;
static int constructor_was_right;

static void* multiply(void* nothing) {
  (void)nothing;
  atomic_store(&task, gettid());
  return product_is_right(LARGE) ? &task : NULL;
}

static void pause_shortly(void) {
  nanosleep(&(struct timespec){0, 5000000}, NULL);
}

static int sleeps(int id) {
  char path[64], line[256] = "";
  snprintf(path, sizeof path, "/proc/self/task/%d/stat", id);
  FILE* const file = fopen(path, "r");
  if (file == NULL) return 0;
  const char* const read = fgets(line, sizeof line, file);
  fclose(file);
  const char* const name_end = read != NULL ? strrchr(line, ')') : NULL;
  return name_end != NULL && name_end[1] == ' ' && name_end[2] == 'S';
}

/* It does not compute for a tenth of a second, so it waits for the loader; or it did in vain. */
static void wait_until_it_waits(void) {
  for (int asleep = 0, polls = 0; asleep < 20 && polls < 2000; ++polls) {
    const int id = atomic_load(&task);
    asleep = id != 0 && sleeps(id) ? asleep + 1 : 0;
    pause_shortly();
  }
}

static int child_is_right(void) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(CHILD_SECONDS);
    _exit(product_is_right(SMALL) && product_is_right(LARGE) ? 0 : 1);
  }
  int status = -1;
  return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

__attribute__((constructor)) static void construct(void) {
  const char* const what = getenv("DUOBLAS_TEST_CONSTRUCTOR");
  if (pthread_create(&thread, NULL, multiply, NULL) != 0) abort();
  wait_until_it_waits();
  constructor_was_right =
      what != NULL && strcmp(what, "fork") == 0 ? child_is_right() : product_is_right(LARGE);
}

int constructor_and_thread(void) {
  void* result = NULL;
  return pthread_join(thread, &result) == 0 && result != NULL && constructor_was_right;
}
