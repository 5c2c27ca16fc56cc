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

/* Whether a launcher may have started several ranks (src/api/launched_rank.cpp knows). What they
 * did before must not decide who does a call: the same calls of theirs must have the same results.
 */
int is_rank_setting(void);

/* Which rank of its host this is, in the words of who started it; empty: of none. */
const char* rank_number_setting(void);

/* Whether LD_PRELOAD has a library of this file's name. */
int is_preloaded(const char* file);

/* How long threads of OpenBLAS spin after a call, as the user said it in this variable, which is
 * OpenBLAS's: the logarithm of cycles of the time stamp counter. Otherwise, if they are to be
 * `brief`, 2^22, 1 to 2 ms; else "0", OpenBLAS's own choice.
 *
 * That is 2^28, 0.09 to 0.13 s. Beside 16 such threads a GPU took 3.5 ms for a product of 1.1,
 * since its copies need cores. With 2^22 programs without a device are as fast
 * (docs/results/h200.md#threads-that-spin). */
#define THREAD_TIMEOUT "OPENBLAS_THREAD_TIMEOUT"
const char* thread_timeout_setting(int brief);

/* How much the user wants to read; 0: nothing. */
int verbose_setting(void);

#endif
