/* A library whose constructor calls a function while the loader runs it. Its address comes from the
 * environment. */
#include <stdint.h>
#include <stdlib.h>

__attribute__((constructor)) static void call(void) {
  const char* const address = getenv("DUOBLAS_TEST_CALLED");
  if (address != NULL) ((void (*)(void))(uintptr_t)strtoull(address, NULL, 10))();
}
