#include "dropin/shim/host_threads.h"

#include <dlfcn.h>
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

/* A function is copied from the pointer that dlsym returns: C has no cast for it. */
static get_number* number_in(void* object, const char* name) {
  void* const symbol = dlsym(object, name);
  get_number* found = NULL;
  memcpy(&found, &symbol, sizeof found);
  return found;
}

static set_number* setter_in(void* object, const char* name) {
  void* const symbol = dlsym(object, name);
  set_number* found = NULL;
  memcpy(&found, &symbol, sizeof found);
  return found;
}

static get_number* first_number_in(void* object, const char* const* names) {
  get_number* found = NULL;
  for (int i = 0; i < SCHEMES && found == NULL; ++i) found = number_in(object, names[i]);
  return found;
}

static set_number* first_setter_in(void* object) {
  set_number* found = NULL;
  for (int i = 0; i < SCHEMES && found == NULL; ++i) found = setter_in(object, setters[i]);
  return found;
}

void find_host_threads(const void* definition, struct host_threads* found) {
  atomic_store(&found->library, start_of_object(definition));
  atomic_store(&found->end, end_of_object(definition));
  void* const object = object_around(definition);
  if (object == NULL) return;
  get_number* const parallel = first_number_in(object, parallel_kinds);
  get_number* get = NULL;
  set_number* set = NULL;
  /* A build with OpenMP takes what OpenMP says at each call. */
  if (parallel != NULL && parallel() == WITH_OPENMP) {
    get = number_in(object, "omp_get_max_threads");
    set = setter_in(object, "omp_set_num_threads");
    atomic_store(&found->of_each_thread, get != NULL);
  }
  if (get == NULL) {
    get = first_number_in(object, numbers);
    set = first_setter_in(object);
  }
  atomic_store(&found->get, get);
  atomic_store(&found->set, set);
  dlclose(object);
}
