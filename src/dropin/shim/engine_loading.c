#define _GNU_SOURCE /* dladdr */
#include "dropin/shim/engine_loading.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dropin/shim/loader_gate.h"
#include "dropin/shim/settings.h"

enum { NOT_TRIED, LOADED, MISSING };

static atomic_int state = NOT_TRIED;
static const struct duoblas_dropin_engine* engine;

/* Beside this library, wherever links to it lie; else where the loader looks. */
static void* open_library(void) {
  Dl_info self;
  char path[PATH_MAX + sizeof "/" DUOBLAS_SONAME];
  if (dladdr((const void*)&state, &self) != 0 && realpath(self.dli_fname, path) != NULL) {
    char* slash = strrchr(path, '/');
    if (slash != NULL) {
      strcpy(slash + 1, DUOBLAS_SONAME);
      void* handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
      if (handle != NULL) return handle;
    }
  }
  return dlopen(DUOBLAS_SONAME, RTLD_NOW | RTLD_LOCAL);
}

static const struct duoblas_dropin_engine* load(void) {
  const int explains = verbose_setting() || summary_setting();
  void* handle = open_library();
  if (handle == NULL) {
    const char* why = dlerror();
    if (explains)
      fprintf(stderr, "duoblas: the CPU does every product: %s\n", why != NULL ? why : "");
    return NULL;
  }
  const struct duoblas_dropin_engine* (*get)(void) = NULL;
  void* symbol = dlsym(handle, "duoblas_dropin_engine");
  memcpy(&get, &symbol, sizeof get);
  const struct duoblas_dropin_engine* found = get != NULL ? get() : NULL;
  if (found != NULL && found->version == 5) return found;
  if (explains)
    fputs("duoblas: the CPU does every product: " DUOBLAS_SONAME " is of another version\n",
          stderr);
  return NULL;
}

const struct duoblas_dropin_engine* loaded_engine(void) {
  switch (atomic_load_explicit(&state, memory_order_acquire)) {
    case LOADED: return engine;
    case MISSING: return NULL;
    default: break;
  }
  begin_loading();
  if (atomic_load(&state) == NOT_TRIED) {
    engine = load();
    atomic_store_explicit(&state, engine != NULL ? LOADED : MISSING, memory_order_release);
  }
  end_loading();
  return engine;
}
