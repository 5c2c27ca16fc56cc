#include "dropin/shim/engine_loading.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dropin/shim/loaded_objects.h"
#include "dropin/shim/loader_gate.h"
#include "dropin/shim/settings.h"

enum { NOT_TRIED, LOADED, MISSING };

static atomic_int state = NOT_TRIED;
static _Atomic(const struct duoblas_dropin_engine*) engine;

/* Beside this library, wherever links to it lie; else where the loader looks. */
static void* open_library(void) {
  const char* const self = file_of_object((const void*)&state);
  char path[PATH_MAX + sizeof "/" DUOBLAS_SONAME];
  if (self != NULL && realpath(self, path) != NULL) {
    char* slash = strrchr(path, '/');
    if (slash != NULL) {
      strcpy(slash + 1, DUOBLAS_SONAME);
      void* handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
      if (handle != NULL) return handle;
    }
  }
  return dlopen(DUOBLAS_SONAME, RTLD_NOW | RTLD_LOCAL);
}

static const struct duoblas_dropin_engine* engine_in(void* library, void* get_it) {
  const struct duoblas_dropin_engine* (*get)(void) = NULL;
  memcpy(&get, &get_it, sizeof get);
  const struct duoblas_dropin_engine* found = library != NULL && get != NULL ? get() : NULL;
  return found != NULL && found->version == 11 ? found : NULL;
}

static void explain(const void* library) {
  if (!verbose_setting() && !summary_setting()) return;
  const char* why = library == NULL ? dlerror() : DUOBLAS_SONAME " is of another version";
  fprintf(stderr, "duoblas: the CPU does every product: %s\n", why != NULL ? why : "");
}

/* Threads may load the library at once, which is done once all the same. What follows is the first
 * one's, and waits for no loader. */
static void load(void) {
  static pthread_mutex_t publishing = PTHREAD_MUTEX_INITIALIZER;
  void* library = open_library();
  void* get_it = library != NULL ? dlsym(library, "duoblas_dropin_engine") : NULL;
  pthread_mutex_lock(&publishing);
  if (atomic_load(&state) == NOT_TRIED) {
    atomic_store(&engine, engine_in(library, get_it));
    const int is_there = atomic_load(&engine) != NULL;
    if (!is_there) explain(library);
    atomic_store_explicit(&state, is_there ? LOADED : MISSING, memory_order_release);
  }
  pthread_mutex_unlock(&publishing);
}

const struct duoblas_dropin_engine* loaded_engine(void) {
  switch (atomic_load_explicit(&state, memory_order_acquire)) {
    case LOADED: return engine;
    case MISSING: return NULL;
    default: break;
  }
  begin_loading();
  if (atomic_load(&state) == NOT_TRIED) load();
  end_loading();
  return engine;
}
