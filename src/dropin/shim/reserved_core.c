#include "dropin/shim/reserved_core.h"

#include <pthread.h>
#include <stddef.h>

/* Of a BLAS whose number is the process's. NumPy and SciPy may each bring one: only one of them
 * spares a core at a time. */
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static set_number* told; /* whom */
static get_number* told_get;
static pthread_once_t forks_watched = PTHREAD_ONCE_INIT;
static int calls; /* that spare the core */
static int all;   /* threads, without that */

/* Whoever reserves it in the parent does not release it in the child. */
static void return_in_child(void) {
  if (calls > 0 && told_get() == all - 1) told(all);
  calls = 0;
  guard = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}

static void watch_forks(void) {
  pthread_atfork(NULL, NULL, return_in_child);
}

/* A child would find the mutex as another thread had it. */
static void lock(void) {
  pthread_once(&forks_watched, watch_forks);
  pthread_mutex_lock(&guard);
}

static int begin_for_process(get_number* get, set_number* set) {
  int spares = 0;
  lock();
  if (calls == 0) {
    all = get();
    if (all > 1) {
      told = set;
      told_get = get;
      set(all - 1);
    }
  }
  if (all > 1 && told == set) {
    ++calls;
    spares = 1;
  }
  pthread_mutex_unlock(&guard);
  return spares;
}

static void end_for_process(get_number* get, set_number* set) {
  lock();
  if (--calls == 0 && get() == all - 1) set(all);
  pthread_mutex_unlock(&guard);
}

int threads_of_program(struct host_threads* threads) {
  get_number* const get = atomic_load(&threads->get);
  if (get == NULL) return 0;
  if (atomic_load(&threads->of_each_thread)) return get();
  lock();
  const int now = get();
  const int spares = calls > 0 && told == atomic_load(&threads->set) && now == all - 1;
  const int before = all;
  pthread_mutex_unlock(&guard);
  return spares ? before : now;
}

struct reserved_core reserve_core(struct host_threads* threads) {
  struct reserved_core core = {NULL, 0};
  get_number* const get = atomic_load(&threads->get);
  set_number* const set = atomic_load(&threads->set);
  if (get == NULL || set == NULL) return core;
  if (!atomic_load(&threads->of_each_thread)) {
    if (begin_for_process(get, set)) core.of = threads;
    return core;
  }
  core.before = get();
  if (core.before < 2) return core;
  core.of = threads;
  set(core.before - 1);
  return core;
}

void release_core(const struct reserved_core* core) {
  if (core->of == NULL) return;
  get_number* const get = atomic_load(&core->of->get);
  set_number* const set = atomic_load(&core->of->set);
  if (!atomic_load(&core->of->of_each_thread))
    end_for_process(get, set);
  else if (get() == core->before - 1)
    set(core->before);
}
