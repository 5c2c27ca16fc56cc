#define _GNU_SOURCE /* RTLD_NEXT */
#include "dropin/shim/next_symbol.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "dropin/shim/blas_integers.h"
#include "dropin/shim/host_threads.h"
#include "dropin/shim/loaded_objects.h"
#include "dropin/shim/loader_gate.h"

/* Where to look. Each stage answers with a definition, or null. */
struct search {
  const char* symbol;
  const void* caller;
  enum convention convention;
};

/* The pointer that ISO C has no conversion for. */
static blas_routine* routine_at(void* address) {
  blas_routine* routine = NULL;
  memcpy(&routine, &address, sizeof routine);
  return routine;
}

static void* after_us(const struct search* search) {
  return not_of_a_dropin(dlsym(RTLD_NEXT, search->symbol));
}

/* A module that was loaded RTLD_LOCAL, as Python does, and its libraries. */
static void* of_the_caller(const struct search* search) {
  void* object = object_around(search->caller);
  return object != NULL ? not_of_a_dropin(dlsym(object, search->symbol)) : NULL;
}

static void* of_any_object(const struct search* search) {
  return defined_in_any_object(search->symbol);
}

static void* of_a_new_library(const struct search* search) {
  static const char* const narrow[] = {"libblas.so.3", "libopenblas.so.0", "libcblas.so.3",
                                       "liblapack.so.3", NULL};
  static const char* const wide[] = {"libblas64.so.3",  "libopenblas64.so.0", "libopenblas64_.so.0",
                                     "libcblas64.so.3", "liblapack64.so.3",   NULL};
  const int is_wide = search->convention == FORTRAN_64 || search->convention == CBLAS_64;
  for (const char* const* name = is_wide ? wide : narrow; *name != NULL; ++name) {
    void* object = dlopen(*name, RTLD_LAZY | RTLD_LOCAL);
    void* found = object != NULL ? not_of_a_dropin(dlsym(object, search->symbol)) : NULL;
    if (found != NULL) return found;
    if (object != NULL) dlclose(object);
  }
  return NULL;
}

/* The names of one convention, as forms around the routine's. */
static const char* const forms[][5] = {
    [FORTRAN_32] = {"%s_", "scipy_%s_", NULL},
    [FORTRAN_64] = {"%s_64_", "%s64_", "scipy_%s_64_", "scipy_%s64_", NULL},
    [CBLAS_32] = {"cblas_%s", "scipy_cblas_%s", NULL},
    [CBLAS_64] = {"cblas_%s64_", "cblas_%s_64", "scipy_cblas_%s64_", NULL},
};

static void* search_by(void* (*stage)(const struct search*), const struct alias* alias,
                       const void* caller, int by_other_names) {
  struct search search = {alias->symbol, caller, alias->convention};
  if (!by_other_names) return stage(&search);
  for (const char* const* form = forms[alias->convention]; *form != NULL; ++form) {
    char symbol[64];
    snprintf(symbol, sizeof symbol, *form, alias->name);
    if (strcmp(symbol, alias->symbol) == 0) continue;
    search.symbol = symbol;
    void* found = stage(&search);
    if (found != NULL) return found;
  }
  return NULL;
}

static blas_routine* keep(struct alias* alias, void* found) {
  if (found == NULL) return NULL;
  keep_loaded(found);
  find_host_threads(found, &alias->threads);
  atomic_store(&alias->scal_bits, bits_by_scal(alias, found));
  atomic_store(&alias->next, routine_at(found));
  return routine_at(found);
}

blas_routine* loaded_symbol(struct alias* alias, const void* caller) {
  void* (*const stages[])(const struct search*) = {after_us, of_the_caller, of_any_object};
  /* A search in vain is repeated where objects were loaded since. */
  const unsigned long long objects = count_of_loads();
  if (atomic_load(&alias->searched_at) == objects) return NULL;
  void* found = NULL;
  for (int other_names = 0; other_names < 2 && found == NULL; ++other_names)
    for (size_t stage = 0; stage < sizeof stages / sizeof *stages && found == NULL; ++stage)
      found = search_by(stages[stage], alias, caller, other_names);
  if (found == NULL) atomic_store(&alias->searched_at, objects);
  return keep(alias, found);
}

blas_routine* loadable_symbol(struct alias* alias) {
  begin_loading();
  blas_routine* next = atomic_load(&alias->next);
  if (next == NULL && !atomic_load(&alias->tried_to_load)) {
    void* found = search_by(of_a_new_library, alias, NULL, 0);
    if (found == NULL) found = search_by(of_a_new_library, alias, NULL, 1);
    next = keep(alias, found);
    atomic_store(&alias->tried_to_load, 1);
  }
  end_loading();
  return next;
}

blas_routine* visible_symbol(const char* symbol, const void* caller) {
  void* found = dlsym(RTLD_DEFAULT, symbol);
  void* object = found == NULL ? object_around(caller) : NULL;
  if (object != NULL) found = dlsym(object, symbol);
  return routine_at(found);
}
