/* The drop-in's settings in the environment, read as the library is loaded and at the very first
 * call. */
#ifndef DUOBLAS_DROPIN_SETTINGS_H
#define DUOBLAS_DROPIN_SETTINGS_H

#include <stddef.h>

/* Which calls go to the engine. */
enum calls {
  NO_CALLS,    /* the CPU was asked for */
  LARGE_CALLS, /* those that the engine may be faster at */
  ALL_CALLS    /* a strategy or a split was asked for: conformance suites use tiny matrices */
};

enum calls calls_setting(void);

/* The path of a file in DUOBLAS_CACHE_DIR, or where the engine's settings have it without that
 * variable. 0: it has no place, or is too long. */
int path_in_cache(const char* name, char* path, size_t size);

/* Whether what earlier runs had may start the device. */
int history_setting(void);

/* Whether every call must be counted. */
int summary_setting(void);

/* Whether LD_PRELOAD has a library of this file's name. */
int is_preloaded(const char* file);

/* How much the user wants to read; 0: nothing. */
int verbose_setting(void);

#endif
