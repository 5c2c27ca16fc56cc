#include "dropin/shim/loader_gate.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;
static atomic_int process; /* that uses the gate */

/* A fork that had begun when the handlers were registered may have copied the gate closed. */
static void open_in_new_process(void) {
  int before = atomic_load(&process);
  const int now = getpid();
  if (before == now || !atomic_compare_exchange_strong(&process, &before, now)) return;
  if (before != 0) loading = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}

void begin_loading(void) {
  open_in_new_process();
  static atomic_flag watched = ATOMIC_FLAG_INIT;
  if (!atomic_flag_test_and_set(&watched)) pthread_atfork(begin_loading, end_loading, end_loading);
  pthread_mutex_lock(&loading);
}

void end_loading(void) {
  pthread_mutex_unlock(&loading);
}
