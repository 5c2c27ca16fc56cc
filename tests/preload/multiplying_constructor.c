/* A plug-in whose constructor multiplies, or forks (DUOBLAS_TEST_CONSTRUCTOR=fork), while the
 * loader runs it, and while a thread of its own is at its first large product. That thread waits
 * for the loader, which the constructor's thread has. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "preload/constructor_product.h"
#include "preload/thread_state.h"

__attribute__((visibility("default"))) int constructor_and_thread(void);

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

/* Whether the thread waits for the loader: it does not compute for a tenth of a second. */
static int waits_at_last(void) {
  int asleep = 0;
  for (int polls = 0; asleep < 20 && polls < 2000; ++polls) {
    const int id = atomic_load(&task);
    asleep = id != 0 && sleeps(id) ? asleep + 1 : 0;
    pause_shortly();
  }
  return asleep == 20;
}

__attribute__((constructor)) static void construct(void) {
  const char* const what = getenv("DUOBLAS_TEST_CONSTRUCTOR");
  if (pthread_create(&thread, NULL, multiply, NULL) != 0) abort();
  const int waits = waits_at_last();
  if (!waits) fprintf(stderr, "the thread did not wait for the loader\n");
  const int right =
      what != NULL && strcmp(what, "fork") == 0 ? child_is_right() : product_is_right(LARGE);
  constructor_was_right = waits && right;
}

int constructor_and_thread(void) {
  void* result = NULL;
  return pthread_join(thread, &result) == 0 && result != NULL && constructor_was_right;
}
