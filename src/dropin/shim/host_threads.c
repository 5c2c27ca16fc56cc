#include "dropin/shim/host_threads.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

#include "dropin/shim/loaded_objects.h"

/* The names of 64-bit builds and of the wheels too. */
#define NAMES(name)                                                                            \
  {                                                                                            \
    "openblas_" name, "openblas_" name "64_", "openblas_" name "_64_", "scipy_openblas_" name, \
        "scipy_openblas_" name "64_"                                                           \
  }
enum { SCHEMES = 5, WITH_OPENMP = 2 };
static const char* const numbers[SCHEMES] = NAMES("get_num_threads");
static const char* const setters[SCHEMES] = NAMES("set_num_threads");
static const char* const parallel_kinds[SCHEMES] = NAMES("get_parallel");
static const char* const omp_number = "omp_get_max_threads";
static const char* const omp_setter = "omp_set_num_threads";

/* The first symbol of these names, or null. Functions are copied from the pointer that dlsym
 * returns: C has no cast for it. */
static void* first_in(void* object, const char* const* names, int count) {
  void* found = NULL;
  for (int i = 0; i < count && found == NULL; ++i) found = dlsym(object, names[i]);
  return found;
}

static get_number* number_in(void* object, const char* const* names, int count) {
  void* const symbol = first_in(object, names, count);
  get_number* found = NULL;
  memcpy(&found, &symbol, sizeof found);
  return found;
}

static set_number* setter_in(void* object, const char* const* names, int count) {
  void* const symbol = first_in(object, names, count);
  set_number* found = NULL;
  memcpy(&found, &symbol, sizeof found);
  return found;
}

void find_host_threads(const void* definition, struct host_threads* found) {
  atomic_store(&found->library, start_of_object(definition));
  atomic_store(&found->end, end_of_object(definition));
  void* const object = object_around(definition);
  if (object == NULL) return;
  get_number* const parallel = number_in(object, parallel_kinds, SCHEMES);
  get_number* get = NULL;
  set_number* set = NULL;
  /* A build with OpenMP takes what OpenMP says at each call. */
  if (parallel != NULL && parallel() == WITH_OPENMP) {
    get = number_in(object, &omp_number, 1);
    set = setter_in(object, &omp_setter, 1);
    atomic_store(&found->of_each_thread, get != NULL);
  }
  if (get == NULL) {
    get = number_in(object, numbers, SCHEMES);
    set = setter_in(object, setters, SCHEMES);
  }
  atomic_store(&found->get, get);
  atomic_store(&found->set, set);
  dlclose(object);
}

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
