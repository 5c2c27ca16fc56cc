/* The shim's settings, from the environment. */
#define _GNU_SOURCE /* secure_getenv */
#include "dropin/shim/settings.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "problem/launchers.h"

static const char* setting(const char* name) {
  const char* value = secure_getenv(name);
  return value != NULL ? value : "";
}

/* What is not understood goes to the engine, which says so. */
enum calls calls_setting(void) {
  /* A set-user-ID program has the device "none" (src/api/settings.cpp). */
  if (getauxval(AT_SECURE) != 0) return NO_CALLS;
  const char* strategy = setting("DUOBLAS_STRATEGY");
  if (strcmp(strategy, "cpu") == 0 || strcmp(setting("DUOBLAS_DEVICE"), "none") == 0)
    return NO_CALLS;
  const int automatic = *strategy == '\0' || strcmp(strategy, "auto") == 0;
  return automatic && *setting("DUOBLAS_SPLIT") == '\0' ? LARGE_CALLS : ALL_CALLS;
}

int path_in_cache(const char* name, char* path, size_t size) {
  const char* own = setting("DUOBLAS_CACHE_DIR");
  const char* cache = setting("XDG_CACHE_HOME");
  const char* home = setting("HOME");
  int length = -1;
  if (*own != '\0')
    length = snprintf(path, size, "%s/%s", own, name);
  else if (*cache != '\0')
    length = snprintf(path, size, "%s/duoblas/%s", cache, name);
  else if (*home != '\0')
    length = snprintf(path, size, "%s/.cache/duoblas/%s", home, name);
  return length > 0 && (size_t)length < size;
}

int history_setting(void) {
  return *setting("DUOBLAS_START_MS") == '\0' && strcmp(setting("DUOBLAS_HISTORY"), "off") != 0 &&
         strcmp(setting("DUOBLAS_ADAPT"), "0") != 0;
}

int summary_setting(void) {
  const char* value = setting("DUOBLAS_SUMMARY");
  return strcmp(value, "1") == 0 || strcmp(value, "rank") == 0;
}

/* What the engine will find out (src/api/launched_rank.cpp). */
static int has_rank(void) {
  int is_told = 0;
  for (size_t i = 0; i < sizeof duoblas_launchers / sizeof *duoblas_launchers; ++i) {
    const char* size = setting(duoblas_launchers[i].in_job);
    if (*size != '\0' && strcmp(size, "1") != 0) return 1;
    is_told |= *size != '\0';
  }
  if (!is_told && *setting(DUOBLAS_RANK_WITHOUT_SIZE) != '\0') return 1;
  return strncmp(setting("DUOBLAS_DEVICE"), "rank:", 5) == 0;
}

int is_rank_setting(void) {
  static atomic_int known = -1;
  int is = atomic_load_explicit(&known, memory_order_relaxed);
  if (is < 0) atomic_store(&known, is = has_rank());
  return is;
}

const char* rank_number_setting(void) {
  const char* device = setting("DUOBLAS_DEVICE");
  if (!is_rank_setting()) return "";
  if (strncmp(device, "rank:", 5) == 0) return device;
  for (size_t i = 0; i < sizeof duoblas_launchers / sizeof *duoblas_launchers; ++i) {
    const char* size = setting(duoblas_launchers[i].in_job);
    const char* number = setting(duoblas_launchers[i].number);
    if (*size != '\0' && strcmp(size, "1") != 0 && *number != '\0') return number;
  }
  return setting(DUOBLAS_RANK_WITHOUT_SIZE);
}

int is_preloaded(const char* file) {
  const char* slash = file != NULL ? strrchr(file, '/') : NULL;
  const char* name = slash != NULL ? slash + 1 : file;
  return name != NULL && *name != '\0' && strstr(setting("LD_PRELOAD"), name) != NULL;
}

const char* thread_timeout_setting(int brief) {
  const char* told = setting(THREAD_TIMEOUT);
  if (*told != '\0') return told;
  return brief ? "22" : "0";
}

int verbose_setting(void) {
  const char* level = setting("DUOBLAS_VERBOSE");
  if (*level == '\0' || strcmp(level, "0") == 0) return 0;
  return strcmp(level, "2") == 0 ? 2 : 1;
}
