#include "dropin/shim/loader_gate.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

/* A thread that forks in a constructor has the loader's lock, for which the loads that it waits for
 * may be waiting. So it waits for 5 s at most; a load takes a hundredth of that. */
enum { MOST_WAITS = 5000 };
static const struct timespec wait_time = {0, 1000000};

/* Held for a moment, and by a fork while it copies the process. */
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static intptr_t loads; /* under way */
/* The calling thread's. Not a thread's variable, which would need the loader's own library. */
static pthread_key_t own_loads_key;
static int has_key;
static pthread_once_t prepared = PTHREAD_ONCE_INIT;
static atomic_int process; /* that uses the gate */

static intptr_t own_loads(void) {
  return has_key ? (intptr_t)pthread_getspecific(own_loads_key) : 0;
}

/* A fork that had begun when the handlers were registered may have copied the gate closed. */
static void open_in_new_process(void) {
  int before = atomic_load(&process);
  const int now = getpid();
  if (before == now || !atomic_compare_exchange_strong(&process, &before, now)) return;
  if (before == 0) return;
  gate = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
  loads = own_loads();
}

/* A constructor that our own load runs may fork. */
static void close_before_fork(void) {
  int could_be_cancelled;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &could_be_cancelled);
  pthread_mutex_lock(&gate);
  for (int waits = 0; loads > own_loads() && waits < MOST_WAITS; ++waits) {
    pthread_mutex_unlock(&gate);
    nanosleep(&wait_time, NULL);
    pthread_mutex_lock(&gate);
  }
  pthread_setcancelstate(could_be_cancelled, NULL);
}

static void open_in_parent(void) {
  pthread_mutex_unlock(&gate);
}

static void open_in_child(void) {
  loads = own_loads();
  atomic_store(&process, getpid());
  pthread_mutex_unlock(&gate);
}

/* Where there is no key, a fork in a constructor of our own load waits in vain. */
static void prepare(void) {
  has_key = pthread_key_create(&own_loads_key, NULL) == 0;
  pthread_atfork(close_before_fork, open_in_parent, open_in_child);
}

static void count_load(int more) {
  if (has_key) pthread_setspecific(own_loads_key, (void*)(own_loads() + more));
  pthread_mutex_lock(&gate);
  loads += more;
  pthread_mutex_unlock(&gate);
}

void begin_loading(void) {
  pthread_once(&prepared, prepare);
  open_in_new_process();
  count_load(+1);
}

void end_loading(void) {
  count_load(-1);
}
