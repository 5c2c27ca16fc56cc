/* What the kernel says of a thread of this process. */
#ifndef DUOBLAS_TESTS_PRELOAD_THREAD_STATE_H
#define DUOBLAS_TESTS_PRELOAD_THREAD_STATE_H

#include <stdio.h>
#include <string.h>

/* Whether it sleeps. One that spins does not, whoever has the core. */
static int sleeps(int id) {
  char path[64], line[256] = "";
  snprintf(path, sizeof path, "/proc/self/task/%d/stat", id);
  FILE* const file = fopen(path, "r");
  if (file == NULL) return 0;
  const char* const read = fgets(line, sizeof line, file);
  fclose(file);
  const char* const name_end = read != NULL ? strrchr(line, ')') : NULL;
  return name_end != NULL && name_end[1] == ' ' && name_end[2] == 'S';
}

#endif
