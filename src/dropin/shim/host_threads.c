#include "dropin/shim/host_threads.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#include "dropin/shim/loaded_objects.h"

static get_number* number_in(void* object, const char* name) {
  void* const symbol = dlsym(object, name);
  get_number* found = NULL;
  memcpy(&found, &symbol, sizeof found);
  return found;
}

static get_number* first_number_in(void* object, const char* const* names) {
  get_number* found = NULL;
  for (; *names != NULL && found == NULL; ++names) found = number_in(object, *names);
  return found;
}

/* The names of 64-bit builds and of the wheels too. */
static const char* const thread_numbers[] = {
    "openblas_get_num_threads",          "openblas_get_num_threads64_",
    "openblas_get_num_threads_64_",      "scipy_openblas_get_num_threads",
    "scipy_openblas_get_num_threads64_", NULL};
static const char* const parallel_kinds[] = {
    "openblas_get_parallel",       "openblas_get_parallel64_",       "openblas_get_parallel_64_",
    "scipy_openblas_get_parallel", "scipy_openblas_get_parallel64_", NULL};
enum { WITH_OPENMP = 2 };

get_number* host_threads_of(const void* definition) {
  void* const object = object_around(definition);
  if (object == NULL) return NULL;
  get_number* const parallel = first_number_in(object, parallel_kinds);
  get_number* found = NULL;
  /* A build with OpenMP takes what OpenMP says at each call. */
  if (parallel != NULL && parallel() == WITH_OPENMP)
    found = number_in(object, "omp_get_max_threads");
  if (found == NULL) found = first_number_in(object, thread_numbers);
  dlclose(object);
  return found;
}
