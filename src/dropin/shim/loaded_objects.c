#define _GNU_SOURCE /* dladdr1, dl_iterate_phdr */
#include "dropin/shim/loaded_objects.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static int read_count(struct dl_phdr_info* info, size_t size, void* count) {
  (void)size;
  *(unsigned long long*)count = info->dlpi_adds;
  return 1;
}

unsigned long long count_of_loads(void) {
  unsigned long long count = 1;
  dl_iterate_phdr(read_count, &count);
  return count;
}

static void* open_around(const void* address, int more_flags) {
  Dl_info where;
  struct link_map* map = NULL;
  if (dladdr1(address, &where, (void**)&map, RTLD_DL_LINKMAP) == 0 || map == NULL) return NULL;
  /* The executable has no name. */
  const char* name = *map->l_name != '\0' ? map->l_name : NULL;
  return dlopen(name, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD | more_flags);
}

void* object_around(const void* address) {
  return open_around(address, 0);
}

void keep_loaded(const void* address) {
  void* object = open_around(address, RTLD_NODELETE);
  if (object != NULL) dlclose(object);
}

static const void* base_of(const void* address) {
  Dl_info where;
  return dladdr(address, &where) != 0 ? where.dli_fbase : NULL;
}

/* A dependency of the object may be a drop-in without the object being one. */
static int defines(void* object, const char* symbol, const void* base) {
  const void* found = dlsym(object, symbol);
  return found != NULL && base_of(found) == base;
}

void* not_of_a_dropin(void* address) {
  if (address == NULL) return NULL;
  void* object = open_around(address, 0);
  if (object == NULL) return address;
  const int is_dropin = defines(object, "duoblas_dropin_version", base_of(address));
  dlclose(object);
  return is_dropin ? NULL : address;
}

/* Names are copied: nothing may be opened while the loader holds its list. */
struct names {
  char** entries;
  size_t count;
};

static int collect(struct dl_phdr_info* info, size_t size, void* data) {
  (void)size;
  struct names* names = data;
  char** longer = realloc(names->entries, (names->count + 1) * sizeof *longer);
  if (longer == NULL) return 1;
  names->entries = longer;
  char* copy = strdup(info->dlpi_name);
  if (copy == NULL) return 1;
  names->entries[names->count++] = copy;
  return 0;
}

static void* defined_in(const char* object_name, const char* symbol) {
  void* object =
      dlopen(*object_name != '\0' ? object_name : NULL, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
  if (object == NULL) return NULL;
  void* found = not_of_a_dropin(dlsym(object, symbol));
  dlclose(object);
  return found;
}

void* defined_in_any_object(const char* symbol) {
  struct names names = {NULL, 0};
  dl_iterate_phdr(collect, &names);
  void* found = NULL;
  for (size_t i = 0; i < names.count; ++i) {
    if (found == NULL) found = defined_in(names.entries[i], symbol);
    free(names.entries[i]);
  }
  free(names.entries);
  return found;
}
