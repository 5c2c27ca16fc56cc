#include "dropin/shim/no_host_blas.h"

#include <ctype.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dropin/shim/next_symbol.h"

enum { NAME_LENGTH = 6 };

/* Fortran names are capitals, filled with blanks. */
static void fortran_name(const char* name, char padded[NAME_LENGTH + 1]) {
  const size_t length = strlen(name);
  for (size_t i = 0; i < NAME_LENGTH; ++i)
    padded[i] = i < length ? (char)toupper((unsigned char)name[i]) : ' ';
  padded[NAME_LENGTH] = '\0';
}

static void report_to_fortran(const struct alias* alias, int argument, const void* caller) {
  char name[NAME_LENGTH + 1];
  fortran_name(alias->name, name);
  /* Read as 32 bits or as 64, on machines that start with the low ones. */
  const int64_t number = argument;
  typedef void xerbla(const char*, const int64_t*, size_t);
  xerbla* const own = (xerbla*)visible_symbol("xerbla_", caller);
  if (own != NULL)
    own(name, &number, NAME_LENGTH);
  else
    fprintf(stderr, " ** On entry to %s parameter number %2d had an illegal value\n", name,
            argument);
}

static void report_to_c(const struct alias* alias, int argument, const void* caller) {
  char name[32];
  snprintf(name, sizeof name, "cblas_%s", alias->name);
  typedef void cblas_xerbla(int, const char*, const char*, ...);
  cblas_xerbla* const own = (cblas_xerbla*)visible_symbol("cblas_xerbla", caller);
  if (own != NULL)
    own(argument, name, "");
  else
    fprintf(stderr, "Parameter %d to routine %s was incorrect\n", argument, name);
}

void report_illegal_argument(const struct alias* alias, int argument, const void* caller) {
  if (alias->convention == FORTRAN_32 || alias->convention == FORTRAN_64)
    report_to_fortran(alias, argument, caller);
  else
    report_to_c(alias, argument + 1, caller);
}

void give_up(const struct alias* alias) {
  fprintf(stderr,
          "duoblas: %s was called, and there is no BLAS to do it: link one behind "
          "libduoblas_blas, or install libopenblas0-pthread\n",
          alias->symbol);
  abort();
}
