/* A program that is linked against no BLAS and does what its arguments say, one after another:
 *   local:FILE, global:FILE      dlopen
 *   MODULE:FUNCTION              dlopens the module RTLD_LOCAL, prints "FUNCTION right" or "wrong"
 *   for-ms:N:MODULE:FUNCTION     again and again, for so long
 *   threads:MODULE:FUNCTION      in eight threads at once
 *   fork:MODULE:FUNCTION         in a child, which then exits
 *   cancel:MODULE:FUNCTION       in a thread that was cancelled just before, and ends thereafter
 *   small-stack:N:MODULE:FUNCTION  in a thread with a stack of N KiB
 *   daemon:MODULE:FUNCTION       after it has closed all files and opened its own, which have to be
 *                                there afterwards, and in a child
 *   chdir:FOLDER                 goes there
 *   wait:FILE                    until it is there
 *   namespaces                   opens link namespaces until there are no more
 *   maps                         prints which of our libraries and OpenCL's are in the process
 *   tasks                        prints how many threads the process has
 *   set-threads:N, threads?      openblas_set_num_threads, and what it was set to */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 8, CHILD_SECONDS = 60 };
typedef int product(void);
typedef void function(void);

static void* needed(void* what) {
  if (what == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    exit(2);
  }
  return what;
}

static void* opened(const char* file, int flags) {
  return needed(dlopen(file, RTLD_NOW | flags));
}

/* ISO C has no conversion for this pointer. */
static function* function_of(const char* file, const char* name) {
  void* const symbol = needed(dlsym(opened(file, RTLD_LOCAL), name));
  function* found = NULL;
  memcpy(&found, &symbol, sizeof found);
  return found;
}

static product* product_of(const char* module_and_name) {
  const char* colon = strrchr(module_and_name, ':');
  char file[4096];
  if (colon == NULL || (size_t)(colon - module_and_name) >= sizeof file) exit(2);
  memcpy(file, module_and_name, (size_t)(colon - module_and_name));
  file[colon - module_and_name] = '\0';
  return (product*)function_of(file, colon + 1);
}

static void say(const char* who, int right) {
  printf("%s %s\n", who, right ? "right" : "wrong");
  fflush(stdout);
}

static int count_tasks(void) {
  int tasks = 0;
  DIR* folder = needed(opendir("/proc/self/task"));
  for (const struct dirent* entry; (entry = readdir(folder)) != NULL;)
    tasks += entry->d_name[0] != '.';
  closedir(folder);
  return tasks;
}

/* Threads that end are there for a while. */
static void print_tasks(void) {
  int tasks = count_tasks();
  for (int before = 0; tasks != before;) {
    before = tasks;
    usleep(50000);
    tasks = count_tasks();
  }
  printf("tasks %d\n", tasks);
}

static void* in_thread(void* argument) {
  return (*(product**)argument)() ? argument : NULL;
}

static void run_in_threads(product* function, const char* name) {
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; ++i)
    if (pthread_create(&threads[i], NULL, in_thread, &function) != 0) exit(2);
  int right = 1;
  for (int i = 0; i < THREADS; ++i) {
    void* result = NULL;
    pthread_join(threads[i], &result);
    right &= result != NULL;
  }
  say(name, right);
}

static void run_for(const char* number_and_product) {
  char* product_name = NULL;
  const double seconds = 1e-3 * (double)strtol(number_and_product, &product_name, 10);
  product* const function = product_of(++product_name);
  struct timespec begun, now;
  clock_gettime(CLOCK_MONOTONIC, &begun);
  int right = 1;
  do {
    right &= function();
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while ((double)(now.tv_sec - begun.tv_sec) + 1e-9 * (double)(now.tv_nsec - begun.tv_nsec) <
           seconds);
  say(strrchr(product_name, ':') + 1, right);
}

static void run_in_child(product* function, const char* name) {
  fflush(NULL);
  const pid_t child = fork();
  if (child == 0) {
    alarm(CHILD_SECONDS);
    exit(function() ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) printf("signal %d\n", WTERMSIG(status));
  say(name, status == 0);
}

struct cancelled {
  product* function;
  int right;
};

static void* in_cancelled_thread(void* argument) {
  struct cancelled* const call = argument;
  pthread_cancel(pthread_self());
  call->right = call->function();
  pthread_testcancel();
  return NULL;
}

static void run_in_cancelled_thread(product* function, const char* name) {
  struct cancelled call = {function, 0};
  pthread_t thread;
  void* result = NULL;
  if (pthread_create(&thread, NULL, in_cancelled_thread, &call) != 0) exit(2);
  pthread_join(thread, &result);
  say(name, call.right && result == PTHREAD_CANCELED);
}

static void run_on_small_stack(const char* number_and_product) {
  char* product_name = NULL;
  const size_t size = 1024 * (size_t)strtol(number_and_product, &product_name, 10);
  product* const function = product_of(++product_name);
  pthread_attr_t small;
  pthread_t thread;
  void* result = NULL;
  pthread_attr_init(&small);
  if (pthread_attr_setstacksize(&small, size) != 0 ||
      pthread_create(&thread, &small, in_thread, (void*)&function) != 0)
    exit(2);
  pthread_join(thread, &result);
  pthread_attr_destroy(&small);
  say(strrchr(product_name, ':') + 1, result != NULL);
}

enum { OWN_FILES = 40 };

static int are_readable(const int* files) {
  int readable = 0;
  for (int i = 0; i < OWN_FILES; ++i) {
    char byte;
    readable += read(files[i], &byte, 1) == 1;
  }
  return readable == OWN_FILES;
}

static void run_as_daemon(product* function, const char* name) {
  int files[OWN_FILES];
  closefrom(3);
  for (int i = 0; i < OWN_FILES; ++i) files[i] = open("/dev/zero", O_RDONLY);
  for (int i = OWN_FILES / 2; i < OWN_FILES; ++i) {
    const int high =
        dup2(files[i], FD_SETSIZE + i - OWN_FILES / 2); /* where the process may have so many */
    if (high >= 0) files[i] = high;
  }
  const pid_t child = fork();
  if (child == 0) _exit(are_readable(files) ? 0 : 1);
  int status = -1;
  waitpid(child, &status, 0);
  const int right = function();
  say(name, right && status == 0 && are_readable(files));
}

static product* last_product;
static const char* last_name;

static void run_last_product(void) {
  say(last_name, last_product());
  fflush(stdout);
}

static void run_at_exit(product* function, const char* name) {
  last_product = function;
  last_name = name;
  if (atexit(run_last_product) != 0) exit(2);
}

static void print_maps(void) {
  static const char* const files[] = {"libduoblas.so", "libOpenCL", "libpocl", "libtbb",
                                      "libstdc++"};
  char line[4096];
  int seen[sizeof files / sizeof *files] = {0};
  FILE* maps = fopen("/proc/self/maps", "r");
  while (maps != NULL && fgets(line, sizeof line, maps) != NULL)
    for (size_t i = 0; i < sizeof files / sizeof *files; ++i)
      if (strstr(line, files[i]) != NULL && !seen[i]++) printf("mapped %s\n", files[i]);
  if (maps != NULL) fclose(maps);
}

static void use_up_namespaces(void) {
  int count = 0;
  while (dlmopen(LM_ID_NEWLM, "libc.so.6", RTLD_NOW) != NULL) ++count;
  printf("namespaces used up: %s\n", count > 0 ? "yes" : "no");
}

static int is(const char* action, const char* prefix, const char** rest) {
  const size_t length = strlen(prefix);
  *rest = action + length;
  return strncmp(action, prefix, length) == 0;
}

int main(int count, char** actions) {
  for (int i = 1; i < count; ++i) {
    const char* rest = NULL;
    if (is(actions[i], "local:", &rest)) {
      opened(rest, RTLD_LOCAL);
    } else if (is(actions[i], "global:", &rest)) {
      opened(rest, RTLD_GLOBAL);
    } else if (is(actions[i], "threads:", &rest)) {
      run_in_threads(product_of(rest), strrchr(rest, ':') + 1);
    } else if (is(actions[i], "for-ms:", &rest)) {
      run_for(rest);
    } else if (is(actions[i], "small-stack:", &rest)) {
      run_on_small_stack(rest);
    } else if (is(actions[i], "fork:", &rest)) {
      run_in_child(product_of(rest), strrchr(rest, ':') + 1);
    } else if (is(actions[i], "cancel:", &rest)) {
      run_in_cancelled_thread(product_of(rest), strrchr(rest, ':') + 1);
    } else if (is(actions[i], "at-exit:", &rest)) {
      run_at_exit(product_of(rest), strrchr(rest, ':') + 1);
    } else if (is(actions[i], "daemon:", &rest)) {
      run_as_daemon(product_of(rest), strrchr(rest, ':') + 1);
    } else if (is(actions[i], "chdir:", &rest)) {
      if (chdir(rest) != 0) exit(2);
    } else if (is(actions[i], "wait:", &rest)) {
      while (access(rest, F_OK) != 0) usleep(10000);
    } else if (is(actions[i], "set-threads:", &rest)) {
      ((void (*)(int))function_of(NULL, "openblas_set_num_threads"))(atoi(rest));
    } else if (strcmp(actions[i], "threads?") == 0) {
      printf("threads %d\n", ((int (*)(void))function_of(NULL, "openblas_get_num_threads"))());
    } else if (strcmp(actions[i], "tasks") == 0) {
      print_tasks();
    } else if (strcmp(actions[i], "namespaces") == 0) {
      use_up_namespaces();
    } else if (strcmp(actions[i], "maps") == 0) {
      print_maps();
    } else {
      say(strrchr(actions[i], ':') + 1, product_of(actions[i])());
    }
    fflush(stdout);
  }
  return 0;
}
