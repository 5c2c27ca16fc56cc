/* Which loaded object an address or a file name belongs to, from the program headers. */
#define _GNU_SOURCE /* dl_iterate_phdr */
#include "dropin/shim/loaded_objects.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int read_count(struct dl_phdr_info* info, size_t size, void* count) {
  (void)size;
  *(unsigned long long*)count = info->dlpi_adds + 1; /* musl's begins at 0 */
  return 1;
}

unsigned long long count_of_loads(void) {
  unsigned long long count = 1;
  dl_iterate_phdr(read_count, &count);
  return count;
}

static int compare_file(struct dl_phdr_info* info, size_t size, void* file) {
  (void)size;
  const char* const slash = strrchr(info->dlpi_name, '/');
  const char* const name = slash != NULL ? slash + 1 : info->dlpi_name;
  return strncmp(name, file, strlen(file)) == 0;
}

int is_loaded(const char* file) {
  return dl_iterate_phdr(compare_file, (void*)(uintptr_t)file);
}

/* What an address lies in. dladdr() would look at all symbols of the object for the nearest one,
 * and a BLAS has over ten thousand. */
struct place {
  uintptr_t address;
  const char* name;        /* null: in no object */
  const void *start, *end; /* of the object */
};

static int look_in(struct dl_phdr_info* info, size_t size, void* data) {
  (void)size;
  struct place* place = data;
  const ElfW(Phdr)* first = NULL;
  for (ElfW(Half) i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)* const part = &info->dlpi_phdr[i];
    if (part->p_type != PT_LOAD) continue;
    if (first == NULL) first = part;
    if (place->address - (info->dlpi_addr + part->p_vaddr) >= part->p_memsz) continue;
    place->name = info->dlpi_name;
    place->start = (const void*)(info->dlpi_addr + first->p_vaddr);
    /* Parts are in the order of their addresses. */
    for (; i < info->dlpi_phnum; ++i) {
      const ElfW(Phdr)* const later = &info->dlpi_phdr[i];
      if (later->p_type != PT_LOAD) continue;
      place->end = (const void*)(info->dlpi_addr + later->p_vaddr + later->p_memsz);
    }
    return 1;
  }
  return 0;
}

static struct place place_of(const void* address) {
  struct place place = {(uintptr_t)address, NULL, NULL, NULL};
  dl_iterate_phdr(look_in, &place);
  return place;
}

static void* open_around(const void* address, int more_flags) {
  const struct place place = place_of(address);
  if (place.name == NULL) return NULL;
  /* The executable has no name. */
  const char* name = *place.name != '\0' ? place.name : NULL;
  return dlopen(name, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD | more_flags);
}

void* object_around(const void* address) {
  return open_around(address, 0);
}

void keep_loaded(const void* address) {
  void* object = open_around(address, RTLD_NODELETE);
  if (object != NULL) dlclose(object);
}

const char* name_of_object(const void* address) {
  return place_of(address).name;
}

/* A relative name is one from where the process was when the loader met it, which glibc's has kept.
 */
#ifndef __GLIBC__
static int find_in_origin(const void* address, const char* name, char* path) {
  (void)address;
  return realpath(name, path) != NULL;
}
#else
static int find_in_origin(const void* address, const char* name, char* path) {
  const char* const slash = strrchr(name, '/');
  const char* const last = slash != NULL ? slash + 1 : name;
  void* const object = object_around(address);
  char* const file = malloc(2 * PATH_MAX + strlen(last)); /* a thread's stack may be small */
  int found = 0;
  if (object != NULL && file != NULL && dlinfo(object, RTLD_DI_ORIGIN, file) == 0) {
    strcat(strcat(file, "/"), last);
    found = realpath(file, path) != NULL;
  }
  free(file);
  if (object != NULL) dlclose(object);
  return found;
}
#endif

int find_path_of_object(const void* address, char* path) {
  const char* const name = name_of_object(address);
  if (name == NULL || *name == '\0') return 0;
  return *name == '/' ? realpath(name, path) != NULL : find_in_origin(address, name, path);
}

const void* start_of_object(const void* address) {
  return place_of(address).start;
}

const void* end_of_object(const void* address) {
  return place_of(address).end;
}

/* One of its dependencies may have it, too. */
int has_definition(const void* address, const char* symbol) {
  void* object = open_around(address, 0);
  if (object == NULL) return 0;
  const void* found = dlsym(object, symbol);
  const int is_own = found != NULL && start_of_object(found) == start_of_object(address);
  dlclose(object);
  return is_own;
}

/* By this name DuoBLAS knows itself under any file name, and does not take itself for the BLAS that
 * it passes calls on to. */
__attribute__((visibility("default"))) const char* duoblas_dropin_version(void);

const char* duoblas_dropin_version(void) {
  return DUOBLAS_VERSION;
}

void* not_of_a_dropin(void* address) {
  return address == NULL || has_definition(address, "duoblas_dropin_version") ? NULL : address;
}

void* visible_to_all(const char* symbol) {
  void* program = dlopen(NULL, RTLD_LAZY | RTLD_LOCAL);
  if (program == NULL) return NULL;
  void* found = dlsym(program, symbol);
  dlclose(program);
  return found;
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
  void* found = dlsym(object, symbol);
  dlclose(object);
  return found;
}

void* defined_in_any_object(const char* symbol, int (*is_wanted)(void* definition, void* data),
                            void* data) {
  struct names names = {NULL, 0};
  dl_iterate_phdr(collect, &names);
  void* wanted = NULL;
  for (size_t i = 0; i < names.count; ++i) {
    void* found = wanted == NULL ? defined_in(names.entries[i], symbol) : NULL;
    if (found != NULL && is_wanted(found, data)) wanted = found;
    free(names.entries[i]);
  }
  free(names.entries);
  return wanted;
}
