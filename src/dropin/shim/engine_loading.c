/* Loads libduoblas, once, when it is first worth it. */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "dropin/shim/engine_loading.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "dropin/shim/loaded_objects.h"
#include "dropin/shim/loader_gate.h"
#include "dropin/shim/program_start.h"
#include "dropin/shim/settings.h"

enum { NOT_TRIED, LOADED, MISSING };

static atomic_int state = NOT_TRIED;
static _Atomic(const struct duoblas_dropin_engine*) engine;

/* Beside this library, wherever links to it lie; if it is not there, where the loader looks. */
static void* open_library(void) {
  char path[PATH_MAX + sizeof "/" DUOBLAS_SONAME];
  if (find_path_of_object((const void*)&state, path)) {
    strcpy(strrchr(path, '/') + 1, DUOBLAS_SONAME);
    if (access(path, F_OK) == 0) return dlopen(path, RTLD_NOW | RTLD_LOCAL);
  }
  return dlopen(DUOBLAS_SONAME, RTLD_NOW | RTLD_LOCAL);
}

/* AddressSanitizer takes the place of the C++ library's function that throws, which it looks for
 * when the program starts. If it finds none, any exception ends the program, and drivers throw. */
static const char* reason_against_it(void) {
  if (dlsym(RTLD_DEFAULT, "__asan_init") == NULL || is_loaded("libstdc++.so")) return NULL;
  return "AddressSanitizer has started without the C++ library: preload libstdc++.so.6, too";
}

static const struct duoblas_dropin_engine* engine_in(void* library, void* get_it) {
  const struct duoblas_dropin_engine* (*get)(void) = NULL;
  memcpy(&get, &get_it, sizeof get);
  const struct duoblas_dropin_engine* found = library != NULL && get != NULL ? get() : NULL;
  return found != NULL && found->version == DUOBLAS_ENGINE_VERSION ? found : NULL;
}

/* Who links a program against this library, or installs it for all, did not ask this process. */
static int is_asked_for(void) {
  return calls_setting() == ALL_CALLS || verbose_setting() || summary_setting() ||
         is_preloaded(name_of_object((const void*)&state));
}

static void explain(const char* reason, const void* library) {
  if (!is_asked_for()) return;
  const char* why = reason != NULL    ? reason
                    : library == NULL ? dlerror()
                                      : DUOBLAS_SONAME " is of another version";
  fprintf(stderr, "duoblas: the CPU does every product: %s\n", why != NULL ? why : "");
}

/* Threads may load the library at once, which is done once all the same. What follows is the first
 * one's, and waits for no loader. */
static void load(void) {
  static pthread_mutex_t publishing = PTHREAD_MUTEX_INITIALIZER;
  const char* const reason = reason_against_it();
  void* library = reason == NULL ? open_library() : NULL;
  void* get_it = library != NULL ? dlsym(library, "duoblas_dropin_engine") : NULL;
  pthread_mutex_lock(&publishing);
  if (atomic_load(&state) == NOT_TRIED) {
    atomic_store(&engine, engine_in(library, get_it));
    const int is_there = atomic_load(&engine) != NULL;
    if (is_there) atomic_load(&engine)->note_program(this_program());
    if (!is_there) explain(reason, library);
    atomic_store_explicit(&state, is_there ? LOADED : MISSING, memory_order_release);
  }
  pthread_mutex_unlock(&publishing);
}

const struct duoblas_dropin_engine* engine_if_loaded(void) {
  return atomic_load_explicit(&state, memory_order_acquire) == LOADED ? engine : NULL;
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
