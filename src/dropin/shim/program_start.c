/* What is done before main(): a known program's device is started. */
#define _GNU_SOURCE /* secure_getenv, gettid */
#include "dropin/shim/program_start.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dropin/shim/engine_loading.h"
#include "dropin/shim/settings.h"

extern char** environ;
/* The C library's; not every one has it. */
extern char __libc_single_threaded __attribute__((weak));

/* Sums of D. Eastlake et al.: The FNV Non-Cryptographic Hash Algorithm, RFC 9923. */
static uint64_t fnv1a(uint64_t sum, const void* bytes, size_t count) {
  const unsigned char* byte = bytes;
  for (size_t i = 0; i < count; ++i) sum = (sum ^ byte[i]) * UINT64_C(0x100000001b3);
  return sum;
}
static const uint64_t no_bytes = UINT64_C(0xcbf29ce484222325);

static uint64_t with_text_of(uint64_t sum, const char* path) {
  char bytes[4096];
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  for (ssize_t got; file >= 0 && (got = read(file, bytes, sizeof bytes)) > 0;)
    sum = fnv1a(sum, bytes, (size_t)got);
  if (file >= 0) close(file);
  return sum;
}

/* What drivers, BLAS libraries and this library read when they start. */
static int is_read_by_drivers(const char* entry) {
  static const char* const begins[] = {
      "AMD_", "BLIS_",     "CL_",     "CUDA_", "DUOBLAS_", "FLEXIBLAS", "GOTO_",   "GPU_",
      "HIP_", "HSA_",      "IGC_",    "LP_",   "MESA_",    "MKL_",      "NVIDIA_", "OCL_",
      "OMP_", "OPENBLAS_", "OPENCL_", "POCL_", "ROCR_",    "RUSTICL_",  "ZE_"};
  for (size_t i = 0; i < sizeof begins / sizeof *begins; ++i)
    if (strncmp(entry, begins[i], strlen(begins[i])) == 0) return 1;
  return 0;
}

/* Of those variables, in any order, and of the cores that the process may use. */
static uint64_t surroundings(void) {
  uint64_t sum = 0;
  for (char** entry = environ; entry != NULL && *entry != NULL; ++entry)
    if (is_read_by_drivers(*entry)) sum += fnv1a(no_bytes, *entry, strlen(*entry));
  cpu_set_t cores;
  CPU_ZERO(&cores);
  if (sched_getaffinity(getpid(), sizeof cores, &cores) == 0)
    sum += fnv1a(no_bytes, &cores, sizeof cores);
  return sum;
}

static uint64_t surroundings_at_start;

static int is_unchanged(void) {
  return surroundings() == surroundings_at_start;
}

static struct duoblas_program program = {0, 0, is_unchanged, 0};

const struct duoblas_program* this_program(void) {
  return &program;
}

/* Of a list that is to be begun. Ranks that begin one together have the same, or only one of them
 * would get on it. */
static uint64_t salt_of_boot(void) {
  return with_text_of(no_bytes, "/proc/sys/kernel/random/boot_id");
}

/* The executable and its arguments; and which rank, since not all ranks may use their devices. */
static uint64_t key_of_program(uint64_t salt) {
  char path[PATH_MAX];
  uint64_t key = fnv1a(no_bytes, &salt, sizeof salt);
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  if (length > 0) key = fnv1a(key, path, (size_t)length);
  key = with_text_of(key, "/proc/self/cmdline");
  const char* rank = rank_number_setting();
  return fnv1a(key, rank, strlen(rank));
}

/* A file that is the user's, and that nobody else can write. */
static int is_private(int file, mode_t type) {
  struct stat about;
  return fstat(file, &about) == 0 && (about.st_mode & S_IFMT) == type &&
         about.st_uid == geteuid() && (about.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* The list's text, if it and its folder are private; else empty. */
static void read_list(char* text, size_t size) {
  char path[PATH_MAX];
  *text = '\0';
  if (!path_in_cache(DUOBLAS_PROGRAM_LIST, path, sizeof path)) return;
  char* const name = strrchr(path, '/');
  *name = '\0';
  const int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  const int file = is_private(folder, S_IFDIR)
                       ? openat(folder, name + 1, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
                       : -1;
  if (file >= 0 && is_private(file, S_IFREG)) {
    const ssize_t length = read(file, text, size - 1);
    text[length > 0 ? length : 0] = '\0';
  }
  if (file >= 0) close(file);
  close(folder);
}

/* Lines of 16 digits: the salt, then programs. */
static int is_listed(void) {
  char text[DUOBLAS_MOST_LISTED_BYTES + 1], line[sizeof "0123456789abcdef\n"];
  read_list(text, sizeof text);
  if (sscanf(text, "%16" SCNx64, &program.salt) != 1) program.salt = salt_of_boot();
  program.key = key_of_program(program.salt);
  snprintf(line, sizeof line, "%016" PRIx64 "\n", program.key);
  const char* others = strchr(text, '\n');
  return others != NULL && strstr(others, line) != NULL;
}

/* OpenBLAS's function of this name, which it calls before it starts its threads: the logarithm of
 * the cycles that they spin after a call, 0 for its own choice. A program that is linked with
 * OpenBLAS reads its environment before our constructor; but it finds this function first. */
__attribute__((visibility("default"))) int openblas_thread_timeout(void) {
  const int logarithm = atoi(thread_timeout_setting(calls_setting() != NO_CALLS));
  return logarithm > 0 ? logarithm : 0;
}

/* For an OpenBLAS that is loaded later, and may call a function of its own. */
static void let_threads_sleep(void) {
  if (&__libc_single_threaded == NULL || !__libc_single_threaded) return;
  setenv(THREAD_TIMEOUT, thread_timeout_setting(1), 0);
}

/* The C library's function behind thread_local of C++. */
extern int __cxa_thread_atexit_impl(void (*)(void*), void*, void*) __attribute__((weak));
extern void* __dso_handle;

static void end_with_program(void* unused) {
  (void)unused;
  program.main_waits = 0; /* other threads may go on */
  const struct duoblas_dropin_engine* engine = engine_if_loaded();
  if (engine != NULL) engine->end();
}

/* exit() destroys the main thread's variables first, then runs the handlers in the reverse order of
 * their registration, and a driver that is at work may have registered some a moment ago. */
static void end_before_handlers(void) {
  program.main_waits = &__cxa_thread_atexit_impl != NULL &&
                       __cxa_thread_atexit_impl(end_with_program, NULL, &__dso_handle) == 0;
}

/* On the main thread, where exit() waits for the start. */
__attribute__((constructor)) static void begin_with_program(void) {
  const enum calls calls = calls_setting();
  if (calls == NO_CALLS || gettid() != getpid()) return;
  end_before_handlers();
  let_threads_sleep();
  surroundings_at_start = surroundings();
  const int starts = history_setting() && is_listed();
  if (calls != LARGE_CALLS || !starts) return;
  const struct duoblas_dropin_engine* engine = loaded_engine();
  if (engine != NULL) engine->begin();
}
