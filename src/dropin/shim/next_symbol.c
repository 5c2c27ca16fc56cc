/* Finds the definition that a program would call without us. */
#define _GNU_SOURCE /* RTLD_NEXT, RTLD_DEEPBIND */
#include "dropin/shim/next_symbol.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "dropin/shim/blas_integers.h"
#include "dropin/shim/host_threads.h"
#include "dropin/shim/leads_back.h"
#include "dropin/shim/loaded_objects.h"
#include "dropin/shim/loader_gate.h"

/* Where to look. Each stage answers with a definition, or null. */
struct search {
  const struct alias* alias;
  const char* symbol;
  const void* caller; /* null: whoever it is */
  int integer_bits;   /* of the definition that was found, as of leads_back() */
};

/* The pointer that ISO C has no conversion for. */
static blas_routine* routine_at(void* address) {
  blas_routine* routine = NULL;
  memcpy(&routine, &address, sizeof routine);
  return routine;
}

/* A library that has a name itself, and calls ours, got it from the loader in place of its own
 * (LAPACK beside BLAS in one library), or asked for it by a handle, to forward calls to it. It may
 * do so while it still forwards them to others: so whether it leads back it would not show yet. */
static int is_own_of_forwarder(const struct search* search, const void* definition) {
  if (search->caller == NULL || start_of_object(search->caller) != start_of_object(definition))
    return 0;
  void* const seen = visible_to_all(search->alias->symbol);
  return seen == NULL || not_of_a_dropin(seen) != NULL;
}

/* Whether a library was seen that forwards calls to us. */
static atomic_int has_forwarder;

/* Where libraries start that sent a question of ours back to us. Another name of theirs would not
 * show it once another thread has found what we pass its calls on to. */
static _Atomic(const void*) forwarders[4];

static int is_of_forwarder(const void* definition) {
  const void* const start = start_of_object(definition);
  for (size_t i = 0; i < sizeof forwarders / sizeof *forwarders; ++i)
    if (atomic_load(&forwarders[i]) == start) return 1;
  return 0;
}

static void note_forwarder(const void* definition) {
  const void* free_place = NULL;
  for (size_t i = 0; i < sizeof forwarders / sizeof *forwarders; ++i, free_place = NULL)
    if (atomic_compare_exchange_strong(&forwarders[i], &free_place, start_of_object(definition)))
      return;
}

static int is_next(void* definition, void* data) {
  struct search* const search = data;
  if (not_of_a_dropin(definition) == NULL || is_of_forwarder(definition)) return 0;
  const enum way_back way =
      leads_back(search->alias, routine_at(definition), &search->integer_bits);
  if (way == NO_WAY_BACK) return 1;
  if (way == TO_ITS_NAME) note_forwarder(definition);
  atomic_store(&has_forwarder, 1);
  return 0;
}

static int is_next_for_caller(void* definition, void* data) {
  if (!is_own_of_forwarder(data, definition)) return is_next(definition, data);
  atomic_store(&has_forwarder, 1);
  return 0;
}

static void* after_us(struct search* search) {
  void* found = dlsym(RTLD_NEXT, search->symbol);
  return found != NULL && is_next(found, search) ? found : NULL;
}

/* A module that was loaded RTLD_LOCAL, as Python does, and its libraries. */
static void* of_the_caller(struct search* search) {
  void* object = object_around(search->caller);
  void* found = object != NULL ? dlsym(object, search->symbol) : NULL;
  return found != NULL && is_next_for_caller(found, search) ? found : NULL;
}

static void* of_any_object(struct search* search) {
  return defined_in_any_object(search->symbol, is_next_for_caller, search);
}

/* musl has none: there a forwarder's library may reach us by such names, which leads_back() sees.
 */
#ifndef RTLD_DEEPBIND
#define RTLD_DEEPBIND 0
#endif

static void* of_a_new_library(struct search* search) {
  static const char* const narrow[] = {"libblas.so.3", "libopenblas.so.0", "libcblas.so.3",
                                       "liblapack.so.3", NULL};
  static const char* const wide[] = {"libblas64.so.3",  "libopenblas64.so.0", "libopenblas64_.so.0",
                                     "libcblas64.so.3", "liblapack64.so.3",   NULL};
  const enum convention convention = search->alias->convention;
  const int is_wide = convention == FORTRAN_64 || convention == CBLAS_64;
  for (const char* const* name = is_wide ? wide : narrow; *name != NULL; ++name) {
    /* Names that it calls and has itself are not to be the forwarder's, which has only us. */
    const int binding = atomic_load(&has_forwarder) ? RTLD_DEEPBIND : 0;
    void* object = dlopen(*name, RTLD_LAZY | RTLD_LOCAL | binding);
    void* found = object != NULL ? dlsym(object, search->symbol) : NULL;
    if (found != NULL && is_next(found, search)) return found;
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

static void* search_by(void* (*stage)(struct search*), struct search* search, int by_other_names) {
  const struct alias* const alias = search->alias;
  search->symbol = alias->symbol;
  if (!by_other_names) return stage(search);
  for (const char* const* form = forms[alias->convention]; *form != NULL; ++form) {
    char symbol[64];
    snprintf(symbol, sizeof symbol, *form, alias->name);
    if (strcmp(symbol, alias->symbol) == 0) continue;
    search->symbol = symbol;
    void* found = stage(search);
    if (found != NULL) return found;
  }
  return NULL;
}

static blas_routine* keep(struct alias* alias, void* found, int integer_bits) {
  /* Another thread may have found one while this one asked, whose questions it answered. */
  blas_routine* next = atomic_load(&alias->next);
  if (next != NULL || found == NULL) return next;
  keep_loaded(found);
  find_host_threads(found, &alias->threads);
  atomic_store(&alias->scal_bits, bits_by_scal(alias, found));
  atomic_store(&alias->integer_bits, integer_bits);
  return atomic_compare_exchange_strong(&alias->next, &next, routine_at(found)) ? routine_at(found)
                                                                                : next;
}

blas_routine* loaded_symbol(struct alias* alias, const void* caller) {
  void* (*const stages[])(struct search*) = {after_us, of_the_caller, of_any_object};
  /* A search in vain is repeated where objects were loaded since. */
  const unsigned long long objects = count_of_loads();
  if (atomic_load(&alias->searched_at) == objects) return NULL;
  struct search search = {alias, NULL, caller, 0};
  void* found = NULL;
  for (int other_names = 0; other_names < 2 && found == NULL; ++other_names)
    for (size_t stage = 0; stage < sizeof stages / sizeof *stages && found == NULL; ++stage)
      found = search_by(stages[stage], &search, other_names);
  if (found == NULL) atomic_store(&alias->searched_at, objects);
  return keep(alias, found, search.integer_bits);
}

blas_routine* loadable_symbol(struct alias* alias) {
  begin_loading();
  blas_routine* next = atomic_load(&alias->next);
  if (next == NULL && !atomic_load(&alias->tried_to_load)) {
    struct search search = {alias, NULL, NULL, 0};
    void* found = search_by(of_a_new_library, &search, 0);
    if (found == NULL) found = search_by(of_a_new_library, &search, 1);
    next = keep(alias, found, search.integer_bits);
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
