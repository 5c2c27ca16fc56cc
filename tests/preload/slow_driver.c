/* An OpenCL driver without devices whose constructor takes its time, and multiplies or forks
 * meanwhile where DUOBLAS_TEST_DRIVER says so. It begins by making DUOBLAS_TEST_DRIVER_BEGUN, a
 * file. It ends the process with an error where its exit handler comes before its constructor has
 * ended, as a driver whose static objects are destroyed under it would crash. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "preload/constructor_product.h"

enum { NO_PLATFORM = -1001 };

__attribute__((visibility("default"))) void* clGetExtensionFunctionAddress(const char* name);

static void require(int right, const char* what) {
  if (right) return;
  fprintf(stderr, "the driver: %s\n", what);
  _exit(3);
}

static volatile int constructed;

static void end(void) {
  require(constructed, "the process ends while the constructor works");
}

__attribute__((constructor)) static void construct(void) {
  const char* const what = getenv("DUOBLAS_TEST_DRIVER");
  const char* const begun = getenv("DUOBLAS_TEST_DRIVER_BEGUN");
  atexit(end);
  if (begun != NULL) close(creat(begun, 0600));
  if (what != NULL && strcmp(what, "multiply") == 0) {
    require(product_is_right(LARGE), "a product in its constructor is wrong");
  } else if (what != NULL && strcmp(what, "fork") == 0) {
    require(child_is_right(), "a product in a child of its constructor is wrong");
  } else {
    nanosleep(&(struct timespec){0, 500000000}, NULL);
  }
  fprintf(stderr, "the driver is there\n");
  constructed = 1;
}

static int32_t no_platforms(uint32_t count, void* platforms, uint32_t* found) {
  (void)count;
  (void)platforms;
  if (found != NULL) *found = 0;
  return NO_PLATFORM;
}

/* ISO C has no conversion for this pointer. */
void* clGetExtensionFunctionAddress(const char* name) {
  int32_t (*const function)(uint32_t, void*, uint32_t*) = no_platforms;
  void* address = NULL;
  if (strcmp(name, "clIcdGetPlatformIDsKHR") == 0) memcpy(&address, &function, sizeof address);
  return address;
}
