#include "dropin/shim/blas_integers.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "dropin/shim/loaded_objects.h"

/* 1 in the low 32 bits, and negative in all 64: with so many elements a routine of wide integers
 * does nothing, and reports no error. */
#define ONE_OR_NONE (INT64_C(1) - (INT64_C(1) << 32))

union number {
  float s;
  double d;
};

typedef void fortran_scal(const int64_t*, const void*, void*, const int64_t*);
typedef void cblas_sscal_routine(int64_t, float, float*, int64_t);
typedef void cblas_dscal_routine(int64_t, double, double*, int64_t);

/* Whether a call with `count` doubles an element. */
static int doubles(void* scal, enum convention convention, int is_double, int64_t count) {
  const int64_t step = 1;
  union number two, x;
  if (is_double)
    two.d = 2, x.d = 1;
  else
    two.s = 2, x.s = 1;
  if (convention == FORTRAN_32) {
    fortran_scal* routine;
    memcpy(&routine, &scal, sizeof routine);
    routine(&count, &two, &x, &step);
  } else if (is_double) {
    cblas_dscal_routine* routine;
    memcpy(&routine, &scal, sizeof routine);
    routine(count, two.d, &x.d, step);
  } else {
    cblas_sscal_routine* routine;
    memcpy(&routine, &scal, sizeof routine);
    routine(count, two.s, &x.s, step);
  }
  return is_double ? x.d == 2 : x.s == 2;
}

int starts_with_low_bits(void) {
  const uint32_t one = 1;
  uint8_t lowest;
  memcpy(&lowest, &one, 1);
  return lowest == 1;
}

int bits_by_scal(const struct alias* alias, void* definition) {
  const char* const name = strstr(alias->symbol, alias->name);
  if (!starts_with_low_bits() || name == NULL) return -1;
  if (alias->convention != FORTRAN_32 && alias->convention != CBLAS_32) return -1;
  const int is_double = *name == 'd' || *name == 'z';
  char symbol[64];
  snprintf(symbol, sizeof symbol, "%.*s%cscal%s", (int)(name - alias->symbol), alias->symbol,
           is_double ? 'd' : 's', name + strlen(alias->name));
  void* const object = object_around(definition);
  if (object == NULL) return -1;
  void* const scal = dlsym(object, symbol);
  int bits = -1;
  if (scal != NULL && doubles(scal, alias->convention, is_double, 1))
    bits = doubles(scal, alias->convention, is_double, ONE_OR_NONE) ? 32 : 64;
  dlclose(object);
  return bits;
}

int are_read_whole(const struct alias* alias, const void* const* integers) {
  if (atomic_load_explicit(&alias->scal_bits, memory_order_relaxed) != 64) return 1;
  for (; *integers != NULL; ++integers) {
    int64_t value;
    memcpy(&value, *integers, sizeof value);
    if (value != (int32_t)value) return 0;
  }
  return 1;
}
