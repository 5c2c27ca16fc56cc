#include "dropin/loader_gate.h"

#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;

void begin_loading(void) {
  static atomic_flag watched = ATOMIC_FLAG_INIT;
  if (!atomic_flag_test_and_set(&watched)) pthread_atfork(begin_loading, end_loading, end_loading);
  pthread_mutex_lock(&loading);
}

void end_loading(void) {
  pthread_mutex_unlock(&loading);
}
