/* Declares every name of BLAS that the drop-in exports. FORTRAN_SCHEME and CBLAS_SCHEME then make
 * of each what the including file defines FORTRAN_ROUTINE and CBLAS_ROUTINE to be. C++. */
#ifndef DUOBLAS_TESTS_PRELOAD_DECLARED_NAMES_H
#define DUOBLAS_TESTS_PRELOAD_DECLARED_NAMES_H

#include "preload/blas_prototypes.h"

#define FORTRAN_SCHEME(convention, integer, prefix, suffix)           \
  BLAS_ROUTINES(FORTRAN_ROUTINE, convention, integer, prefix, suffix) \
  COPY_ROUTINES(FORTRAN_ROUTINE, convention, integer, prefix, suffix)
#define CBLAS_SCHEME(convention, integer, prefix, suffix)           \
  BLAS_ROUTINES(CBLAS_ROUTINE, convention, integer, prefix, suffix) \
  COPY_ROUTINES(CBLAS_ROUTINE, convention, integer, prefix, suffix)

/* What is of gemm alone. */
#define OF_GEMM(...) __VA_ARGS__
#define OF_GEMV(...)
#define OF_COPY(...)
#define OF_SYMM(...)
#define OF_SYRK(...)
#define OF_SYR2K(...)
#define OF_TRMM(...)

extern "C" {
#define FORTRAN_ROUTINE(shape, routine, name, precision, alpha, beta, convention, integer, prefix, \
                        suffix)                                                                    \
  void prefix##name##suffix(FORTRAN_PARAMETERS(shape, integer));
#define CBLAS_ROUTINE(shape, routine, name, precision, alpha, beta, convention, integer, prefix, \
                      suffix)                                                                    \
  void prefix##name##suffix(CBLAS_PARAMETERS(shape, integer, alpha, beta));
FORTRAN_SCHEMES(FORTRAN_SCHEME)
CBLAS_SCHEMES(CBLAS_SCHEME)
#undef FORTRAN_ROUTINE
#undef CBLAS_ROUTINE
}

#endif
