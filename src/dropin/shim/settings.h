/* The drop-in's settings in the environment, read once, at the very first call. */
#ifndef DUOBLAS_DROPIN_SETTINGS_H
#define DUOBLAS_DROPIN_SETTINGS_H

/* Which calls go to the engine. */
enum calls {
  NO_CALLS,    /* the CPU was asked for */
  LARGE_CALLS, /* those that the engine may be faster at */
  ALL_CALLS    /* a strategy or a split was asked for: conformance suites use tiny matrices */
};

enum calls calls_setting(void);

/* Whether every call must be counted. */
int summary_setting(void);

/* Whether LD_PRELOAD has a library of this file's name. */
int is_preloaded(const char* file);

/* How much the user wants to read; 0: nothing. */
int verbose_setting(void);

#endif
