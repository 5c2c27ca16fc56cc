#include "dropin/shim/spared_core.h"

#include <pthread.h>
#include <stddef.h>

/* Of a BLAS whose number is the process's. NumPy and SciPy may each bring one: only one of them
 * spares a core at a time. */
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static set_number* told; /* whom */
static int calls;        /* that spare the core */
static int all;          /* threads, without that */

static int begin_for_process(get_number* get, set_number* set) {
  int spares = 0;
  pthread_mutex_lock(&guard);
  if (calls == 0) {
    all = get();
    if (all > 1) {
      told = set;
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
  pthread_mutex_lock(&guard);
  if (--calls == 0 && get() == all - 1) set(all);
  pthread_mutex_unlock(&guard);
}

struct spared_core spare_core(struct host_threads* threads) {
  struct spared_core core = {NULL, 0};
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

void return_core(const struct spared_core* core) {
  if (core->of == NULL) return;
  get_number* const get = atomic_load(&core->of->get);
  set_number* const set = atomic_load(&core->of->set);
  if (!atomic_load(&core->of->of_each_thread))
    end_for_process(get, set);
  else if (get() == core->before - 1)
    set(core->before);
}
